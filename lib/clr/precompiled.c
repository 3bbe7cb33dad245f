/*
 * SPDX-License-Identifier: MIT
 *
 * precompiled.c - ReadyToRun code by address.
 *
 * The image has its functions sorted by address, but names them only the other way, from methods to functions. So each
 * image gets a table by function, made in one pass when it is loaded: a row of MethodDef, or where the signature of a
 * generic instance stands, which is read when its code is met first. Everything else is read where the loader mapped
 * it, and stays there: the runtime uses no such code of images that can be unloaded.
 *
 * Which image an address is in says a table of lists by megabyte, to which is only added. Any thread, any context, but
 * for adding.
 */
#include <sys/mman.h>
#include <mono/metadata/tokentype.h>
#include "precompiled.h"
#include "r2r.h"

enum { GRANULE_BITS = 20, BUCKETS = 1 << 10 };

/* What a function is: a row of MethodDef or the offset of a signature; 0: nobody says. */
enum { OWNER_INSTANCE = 1u << 31, OWNER_PART = 1u << 30, OWNER_VALUE = OWNER_PART - 1 };

typedef struct {
	monocle__clr_image *image;
	uintptr_t base;
	uintptr_t begin, end;               /* from the first function to the end of the last */
	monocle__r2r r2r;
	/* By function; the last two are touched where code was met. */
	uint32_t *owners;
	_Atomic(uint64_t) *frames;
	_Atomic(MonoMethod *) *methods;     /* of instances, once they are known */
} precompiled;

typedef struct node node;

struct node {
	node *next;
	precompiled *code;
};

static _Atomic(node *) buckets[BUCKETS];
static _Atomic(uint64_t) all_bytes;

static _Atomic(node *) *
bucket_of (uintptr_t granule)
{
	return &buckets[granule & (BUCKETS - 1)];
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static void *
map (size_t size)
{
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void
own_method (uint32_t row, uint32_t function, void *data)
{
	((precompiled *) data)->owners[function] = row;
}

static void
own_instance (uint32_t signature, uint32_t function, void *data)
{
	if (signature < OWNER_VALUE)
		((precompiled *) data)->owners[function] = OWNER_INSTANCE | signature;
}

static void
own_cold (uint32_t cold, uint32_t function, void *data)
{
	precompiled *p = data;
	p->owners[cold] = p->owners[function] | OWNER_PART;
}

/* What no table names belongs to what stands before it: a funclet to its method. */
static void
own_parts (precompiled *p)
{
	for (uint32_t i = 1; i < p->r2r.function_count; i++)
		if (!p->owners[i] && p->owners[i - 1])
			p->owners[i] = p->owners[i - 1] | OWNER_PART;
}

/* The struct, and behind it the arrays, in one mapping that stays. */
static precompiled *
precompiled_new (monocle__clr_image *image, const monocle__r2r *r2r)
{
	size_t count = r2r->function_count;
	size_t frames = (sizeof (precompiled) + 63) & ~(size_t) 63, methods = frames + count * sizeof (uint64_t);
	size_t owners = methods + count * sizeof (MonoMethod *);
	precompiled *p = map (owners + count * sizeof (uint32_t));
	if (!p)
		return NULL;
	p->image = image;
	p->r2r = *r2r;
	p->base = (uintptr_t) image->cli.ecma.base;
	p->begin = p->base + monocle__r2r_get (r2r, 0).begin;
	p->end = p->base + monocle__r2r_get (r2r, r2r->function_count - 1).end;
	p->frames = (void *) ((char *) p + frames);
	p->methods = (void *) ((char *) p + methods);
	p->owners = (void *) ((char *) p + owners);
	atomic_fetch_add (&all_bytes, count * sizeof (uint32_t));
	return p;
}

static bool
publish (precompiled *p)
{
	uintptr_t first = p->begin >> GRANULE_BITS, last = (p->end - 1) >> GRANULE_BITS;
	node *nodes = p->begin < p->end ? map ((last - first + 1) * sizeof *nodes) : NULL;
	if (!nodes)
		return false;
	for (uintptr_t granule = first; granule <= last; granule++) {
		node *fresh = &nodes[granule - first];
		_Atomic(node *) *bucket = bucket_of (granule);
		fresh->code = p;
		fresh->next = atomic_load (bucket);
		while (!atomic_compare_exchange_weak_explicit (bucket, &fresh->next, fresh, memory_order_release,
		                                               memory_order_relaxed))
			;
	}
	return true;
}

bool
monocle__precompiled_add (monocle__clr_image *image)
{
	monocle__r2r r2r;
	const monocle__ecma_image *ecma = &image->cli.ecma;
	if (image->is_collectible || !ecma->mapped || monocle__r2r_open (&r2r, ecma))
		return false;
	precompiled *p = precompiled_new (image, &r2r);
	if (!p)
		return false;
	monocle__r2r_each_method (&p->r2r, own_method, p);
	monocle__r2r_each_instance (&p->r2r, own_instance, p);
	monocle__r2r_each_cold (&p->r2r, own_cold, p);
	own_parts (p);
	return publish (p);
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

static precompiled *
image_at (uintptr_t ip)
{
	node *at = atomic_load_explicit (bucket_of (ip >> GRANULE_BITS), memory_order_acquire);
	for (; at; at = at->next)
		if (ip - at->code->begin < at->code->end - at->code->begin)
			return at->code;
	return NULL;
}

/*
 * Reading a signature takes the thread's memory, which a signal handler may not be the first to ask for: then the
 * service thread will be the one.
 */
static MonoMethod *
instance_at (precompiled *p, uint32_t function, uint32_t owner)
{
	MonoMethod *known = atomic_load_explicit (&p->methods[function], memory_order_acquire);
	if (known || !monocle__thread_has_memory ())
		return known;
	known = monocle__cli_native_method (&p->image->cli, &p->r2r, owner & OWNER_VALUE);
	if (known)
		atomic_store_explicit (&p->methods[function], known, memory_order_release);
	return known;
}

static MonoMethod *
method_at (precompiled *p, uint32_t function)
{
	uint32_t owner = p->owners[function];
	if (owner & OWNER_INSTANCE)
		return instance_at (p, function, owner);
	owner &= OWNER_VALUE;
	return owner ? monocle_method_def (p->image->cli.record, MONO_TOKEN_METHOD_DEF | owner) : NULL;
}

static bool
find_thunk (const precompiled *p, uintptr_t ip, monocle__code *ret)
{
	uintptr_t start = p->base + p->r2r.thunks_rva;
	if (ip - start >= p->r2r.thunks_size)
		return false;
	*ret = (monocle__code) { .start = start, .size = p->r2r.thunks_size, .kind = MONOCLE__CODE_STUB };
	return true;
}

bool
monocle__precompiled_find (uintptr_t ip, monocle__code *ret)
{
	precompiled *p = image_at (ip);
	if (!p)
		return false;
	uint32_t function = monocle__r2r_find (&p->r2r, (uint32_t) (ip - p->base));
	if (function == UINT32_MAX)
		return find_thunk (p, ip, ret);
	monocle__r2r_function piece = monocle__r2r_get (&p->r2r, function);
	uint32_t owner = p->owners[function];
	*ret = (monocle__code) {
		.start = p->base + piece.begin,
		.size = piece.end - piece.begin,
		.method = method_at (p, function),
		.frame = &p->frames[function],
		.unwind = monocle__r2r_unwind (&p->r2r, &piece),
		.kind = owner & OWNER_INSTANCE ? MONOCLE__CODE_R2R_INSTANCE : MONOCLE__CODE_R2R,
		.is_part = (owner & OWNER_PART) != 0,
	};
	return true;
}

void
monocle__precompiled_name (uintptr_t ip, MonoMethod *method)
{
	MonoMethod *none = NULL;
	precompiled *p = image_at (ip);
	uint32_t function = p ? monocle__r2r_find (&p->r2r, (uint32_t) (ip - p->base)) : UINT32_MAX;
	if (function != UINT32_MAX && p->owners[function] & OWNER_INSTANCE)
		atomic_compare_exchange_strong (&p->methods[function], &none, method);
}

uint64_t
monocle__precompiled_bytes (void)
{
	return atomic_load (&all_bytes);
}

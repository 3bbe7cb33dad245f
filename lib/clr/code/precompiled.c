/*
 * SPDX-License-Identifier: MIT
 *
 * precompiled.c - ReadyToRun code by address.
 *
 * The image has its functions sorted by address, but names them only the other way, from methods to functions. So each
 * image gets a table by function: a row of MethodDef, or where the signature of a generic instance is, which is
 * read when its code is met first. Rows are entered when the image comes (0.5 ms for the core library); instances,
 * which are slower to go through, and what belongs to the function before it, such as funclets, by the service thread,
 * which also notes at which function each page of code begins, so that searches are short. Everything else is read
 * where the loader mapped it, and stays there: the runtime uses no such code of images that can be unloaded.
 *
 * Which image an address is in says a table of lists by megabyte, to which is only added. Any thread, any context, but
 * for adding.
 */
#include "precompiled.h"
#include <stdatomic.h>
#include <sys/mman.h>
#include <mono/metadata/tokentype.h>
#include <monocle/host.h>
#include "codemap.h"
#include "images/image.h"
#include "invariant.h"
#include "pause.h"
#include "r2r.h"
#include "thread-memory.h"

enum { GRANULE_BITS = 20, BUCKETS = 1 << 10, PAGE_BITS = 11 };

/* Bytes of stack that reading the signature of an instance takes, with type arguments in type arguments. */
enum { NAMING_ROOM = 16 << 10 };

/* What a function is: a row of MethodDef or the offset of a signature; 0: unknown. */
enum { OWNER_INSTANCE = 1u << 31, OWNER_PART = 1u << 30, OWNER_VALUE = OWNER_PART - 1 };

typedef struct precompiled precompiled;

struct precompiled {
	precompiled *waiting; /* the next one that is not indexed yet */
	monocle__clr_image *image;
	uintptr_t base;
	uintptr_t begin, end; /* of all functions, and of thunks beside them */
	monocle__r2r r2r;
	atomic_bool is_indexed;     /* all of `owners` and `pages` hold */
	_Atomic (uint32_t) *owners; /* by function */
	uint32_t *pages;            /* the function that a page of code begins in, or after which it begins */
	/* By function, touched where code was met: the walker's words, and instances once they are known. */
	_Atomic (uint64_t) *frames;
	_Atomic (MonoMethod *) *methods;
};

typedef struct node node;

struct node {
	node *next;
	precompiled *code;
};

static _Atomic (node *) buckets[BUCKETS];
static _Atomic (precompiled *) waiting;
static _Atomic (uint64_t) all_bytes;

static _Atomic (node *) *
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

static uint32_t
owner_of (const precompiled *p, uint32_t function)
{
	return atomic_load_explicit (&p->owners[function], memory_order_relaxed);
}

static void
own (precompiled *p, uint32_t function, uint32_t owner)
{
	MONOCLE__INVARIANT (function < p->r2r.function_count);
	atomic_store_explicit (&p->owners[function], owner, memory_order_relaxed);
}

static void
own_method (uint32_t row, uint32_t function, void *data)
{
	own (data, function, row);
}

static void
own_instance (uint32_t signature, uint32_t function, void *data)
{
	if (signature < OWNER_VALUE)
		own (data, function, OWNER_INSTANCE | signature);
}

static void
own_cold (uint32_t cold, uint32_t function, void *data)
{
	own (data, cold, owner_of (data, function) | OWNER_PART);
}

/* What no table names belongs to what comes before it: a funclet to its method. */
static void
own_parts (precompiled *p)
{
	for (uint32_t i = 1; i < p->r2r.function_count; i++)
		if (!owner_of (p, i) && owner_of (p, i - 1))
			own (p, i, owner_of (p, i - 1) | OWNER_PART);
}

static size_t
page_count (const precompiled *p)
{
	return ((p->end - p->begin) >> PAGE_BITS) + 1;
}

static void
number_pages (precompiled *p)
{
	size_t page = 0;
	for (uint32_t i = 0; i < p->r2r.function_count; i++) {
		uintptr_t begin = p->base + monocle__r2r_get (&p->r2r, i).begin;
		for (; begin >= p->begin && begin < p->end && page <= (begin - p->begin) >> PAGE_BITS; page++)
			p->pages[page] = i && begin > p->begin + (page << PAGE_BITS) ? i - 1 : i;
	}
	MONOCLE__INVARIANT (page <= page_count (p));
	while (page < page_count (p))
		p->pages[page++] = p->r2r.function_count - 1;
}

void
monocle__precompiled_index (void)
{
	precompiled *p = atomic_exchange (&waiting, NULL);
	for (; p; p = p->waiting) {
		monocle__r2r_each_instance (&p->r2r, own_instance, p);
		monocle__r2r_each_cold (&p->r2r, own_cold, p);
		MONOCLE__PAUSE (precompiled_has_instances);
		own_parts (p);
		number_pages (p);
		MONOCLE__PAUSE (precompiled_has_pages);
		atomic_store_explicit (&p->is_indexed, true, memory_order_release);
	}
}

/* False: the table contradicts itself. */
static bool
find_extent (precompiled *p)
{
	uint32_t begin = monocle__r2r_get (&p->r2r, 0).begin, thunks = p->r2r.thunks_rva;
	uint32_t end = monocle__r2r_get (&p->r2r, p->r2r.function_count - 1).end;
	if (begin >= end)
		return false;
	if (p->r2r.thunks_size && thunks < begin)
		begin = thunks;
	if (p->r2r.thunks_size && thunks + p->r2r.thunks_size > end)
		end = thunks + p->r2r.thunks_size;
	MONOCLE__INVARIANT (begin < end);
	p->begin = p->base + begin;
	p->end = p->base + end;
	return true;
}

/* The struct, and after it the arrays, in one mapping that stays. */
static precompiled *
precompiled_new (monocle__clr_image *image, const monocle__r2r *r2r)
{
	precompiled like = { .image = image, .r2r = *r2r, .base = (uintptr_t) image->cli.ecma.base };
	size_t count = r2r->function_count, at = (sizeof like + 63) & ~(size_t) 63;
	if (!find_extent (&like))
		return NULL;
	size_t tables = count * sizeof (uint32_t) + page_count (&like) * sizeof (uint32_t);
	char *memory = map (at + count * (sizeof (uint64_t) + sizeof (MonoMethod *)) + tables);
	if (!memory)
		return NULL;
	like.frames = (void *) (memory + at);
	like.methods = (void *) (memory + at + count * sizeof (uint64_t));
	like.owners = (void *) (like.methods + count);
	like.pages = (void *) (like.owners + count);
	precompiled *p = (void *) memory;
	*p = like;
	atomic_fetch_add (&all_bytes, tables);
	return p;
}

static bool
publish (precompiled *p)
{
	uintptr_t first = p->begin >> GRANULE_BITS, last = (p->end - 1) >> GRANULE_BITS;
	MONOCLE__INVARIANT (first <= last && p->begin < p->end);
	node *nodes = map ((last - first + 1) * sizeof *nodes);
	if (!nodes)
		return false;
	for (uintptr_t granule = first; granule <= last; granule++) {
		node *fresh = &nodes[granule - first];
		_Atomic (node *) *bucket = bucket_of (granule);
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
	if (!publish (p))
		return false;
	MONOCLE__PAUSE (precompiled_published);
	p->waiting = atomic_load (&waiting);
	while (!atomic_compare_exchange_weak (&waiting, &p->waiting, p))
		;
	return true;
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
 * Reading a signature takes the thread's memory, which a signal handler may not be the first to ask for, and some room
 * on the stack, which is the program's: else the service thread will be the one.
 */
static MonoMethod *
instance_at (precompiled *p, uint32_t function, uint32_t owner)
{
	MonoMethod *known = atomic_load_explicit (&p->methods[function], memory_order_acquire);
	if (known || !monocle__thread_memory_exists () || !monocle__thread_memory_has_room (NAMING_ROOM))
		return known;
	known = monocle__describe_native_method (&p->image->cli, &p->r2r, owner & OWNER_VALUE);
	if (known)
		atomic_store_explicit (&p->methods[function], known, memory_order_release);
	return known;
}

static MonoMethod *
method_at (precompiled *p, uint32_t function, uint32_t owner)
{
	if (owner & OWNER_INSTANCE)
		return instance_at (p, function, owner);
	owner &= OWNER_VALUE;
	return owner ? monocle_method_def (p->image->cli.record, MONO_TOKEN_METHOD_DEF | owner) : NULL;
}

static uint32_t
function_at (const precompiled *p, uintptr_t ip)
{
	uint32_t rva = (uint32_t) (ip - p->base), last = p->r2r.function_count - 1;
	if (!atomic_load_explicit (&p->is_indexed, memory_order_acquire))
		return monocle__r2r_find (&p->r2r, rva, 0, last);
	size_t page = (ip - p->begin) >> PAGE_BITS;
	MONOCLE__INVARIANT (page < page_count (p) && p->pages[page] <= last);
	MONOCLE__INVARIANT (page + 1 == page_count (p) || p->pages[page] <= p->pages[page + 1]);
	return monocle__r2r_find (&p->r2r, rva, p->pages[page], page + 1 < page_count (p) ? p->pages[page + 1] : last);
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
	uint32_t function = function_at (p, ip);
	if (function == UINT32_MAX)
		return find_thunk (p, ip, ret);
	monocle__r2r_function piece = monocle__r2r_get (&p->r2r, function);
	MONOCLE__INVARIANT (function < p->r2r.function_count && ip - p->base - piece.begin < piece.end - piece.begin);
	uint32_t owner = owner_of (p, function);
	*ret = (monocle__code) {
		.start = p->base + piece.begin,
		.size = piece.end - piece.begin,
		.method = method_at (p, function, owner),
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
	uint32_t function = p ? function_at (p, ip) : UINT32_MAX;
	if (function != UINT32_MAX && owner_of (p, function) & OWNER_INSTANCE)
		atomic_compare_exchange_strong (&p->methods[function], &none, method);
}

uint64_t
monocle__precompiled_bytes (void)
{
	return atomic_load (&all_bytes);
}

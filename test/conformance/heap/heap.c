/*
 * SPDX-License-Identifier: MIT
 *
 * heap.c - walks the heap whenever all of it was collected and writes down what heap.cs built, so that two runtimes can
 * be compared: "heap:FILE" writes NAME VALUE lines about the walk that met most objects of the program.
 *
 * In the stopped world what is met is only copied into a mapping. At the end of the program each object of its own
 * classes gets a name, the class and the number in its field `id`; an array that of the object and field that hold it.
 * A sum over names says which objects there were, a sum over (name, field or element, name) which references.
 *
 * `BAD...` must be 0: references to what was not met (in any walk), objects met twice, objects that overlap, sizes
 * against the rule, fields that no reference should lie in, batches of more than 128, walks outside of their time that
 * did not fail.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>

enum { COPIED = 80, CLASSES = 4096, STATIC = 0x10 };

typedef struct {
	uintptr_t address;
	MonoClass *klass;
	uintptr_t size, own_size;
	uint64_t name;       /* 0: not the program's */
	size_t first, count; /* references */
	unsigned char bytes[COPIED];
} met;

typedef struct {
	uintptr_t target, offset;
} reference;

struct _MonoProfiler {
	const char *file;
	int is_mono;
	met *objects, *best;
	reference *references, *best_references;
	size_t object_count, reference_count, best_count, best_reference_count;
	uintptr_t *addresses; /* a hash table, of which `address_mask + 1` places are in use */
	size_t address_mask;
	uintptr_t array_data, before; /* where elements begin; what of an object's size lies before its address */
	unsigned long walks, young, refused, late, dangling, large_batches, continued;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_heap (const char *desc);

static void *
reserve (size_t bytes)
{
	void *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		abort ();
	return memory;
}

enum { OBJECTS_MAX = 4000000, REFERENCES_MAX = 16000000, ADDRESSES = 1 << 23 };

/* --- in the stopped world ----------------------------------------------------------------------------------------- */

static int
on_object (MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
           uintptr_t *offsets, void *data)
{
	struct _MonoProfiler *p = data;
	met *m = p->objects + p->object_count - 1;
	if (size) {
		m = p->objects + p->object_count++;
		*m = (met) { .address = (uintptr_t) object, .klass = klass, .size = size, .first = p->reference_count };
		m->own_size = mono_object_get_size (object);
		uintptr_t bytes = m->own_size - p->before;
		memcpy (m->bytes, object, bytes < COPIED ? bytes : COPIED);
	} else {
		p->continued++;
		if ((uintptr_t) object != m->address)
			abort ();
	}
	p->large_batches += count > 128;
	m->count += count;
	for (uintptr_t i = 0; i < count; i++)
		p->references[p->reference_count++] = (reference) { (uintptr_t) references[i], offsets[i] };
	return 0;
}

/* Where it is in the table, or would be. */
static uintptr_t *
place_of (struct _MonoProfiler *p, uintptr_t address)
{
	size_t i = (address >> 3) * 0x9e3779b97f4a7c15u >> 41 & p->address_mask;
	while (p->addresses[i] && p->addresses[i] != address)
		i = (i + 1) & p->address_mask;
	return &p->addresses[i];
}

/* Whatever is referred to has been met. */
static void
check_references (struct _MonoProfiler *p)
{
	madvise (p->addresses, ADDRESSES * sizeof *p->addresses, MADV_DONTNEED);
	p->address_mask = ADDRESSES - 1;
	while (p->address_mask / 8 > p->object_count)
		p->address_mask >>= 1;
	for (size_t i = 0; i < p->object_count; i++)
		*place_of (p, p->objects[i].address) = p->objects[i].address;
	for (size_t i = 0; i < p->reference_count; i++)
		p->dangling += !*place_of (p, p->references[i].target);
}

static void
keep_if_better (struct _MonoProfiler *p)
{
	if (p->object_count < p->best_count)
		return;
	met *objects = p->best;
	reference *references = p->best_references;
	p->best = p->objects;
	p->best_references = p->references;
	p->best_count = p->object_count;
	p->best_reference_count = p->reference_count;
	p->objects = objects;
	p->references = references;
}

/* 0: done. */
static int
walk (struct _MonoProfiler *p)
{
	p->object_count = p->reference_count = 0;
	int result = mono_gc_walk_heap (0, on_object, p);
	if (!result && !p->is_mono)
		check_references (p);
	return result;
}

static void
on_event (struct _MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	int is_old = generation == (uint32_t) mono_gc_max_generation ();
	if (event != MONO_GC_EVENT_PRE_START_WORLD) {
		p->late += !p->is_mono && !walk (p);
		return;
	}
	if (p->is_mono && !(serial && is_old))
		return;
	if (walk (p)) {
		p->refused++;
		return;
	}
	p->walks++;
	p->young += !is_old;
	if (serial && is_old)
		keep_if_better (p);
}

/* --- what it means ------------------------------------------------------------------------------------------------ */

static uint64_t
mix (uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
	return x ^ x >> 32;
}

static uint64_t
hash (const char *text)
{
	uint64_t h = 1;
	while (*text)
		h = mix (h, (unsigned char) *text++);
	return h;
}

enum { FIELDS = 8 };

/* A class as the comparison needs it. */
typedef struct {
	MonoClass *klass;
	int is_mine, is_array;
	uint64_t name;
	char text[64];
	uint32_t id_offset; /* 0: no number */
	int element_size;
	unsigned field_count;
	struct {
		uint32_t offset;
		uint64_t name;
	} fields[FIELDS]; /* of the class, or of the elements */
	unsigned long count;
	uintptr_t own_bytes;
} kind;

static kind kinds[CLASSES];

static void
add_fields (kind *k, MonoClass *klass, uint32_t header)
{
	void *iter = NULL;
	MonoClassField *field;
	if (mono_class_get_parent (klass))
		add_fields (k, mono_class_get_parent (klass), header);
	while ((field = mono_class_get_fields (klass, &iter))) {
		if (mono_field_get_flags (field) & STATIC)
			continue;
		if (!strcmp (mono_field_get_name (field), "id"))
			k->id_offset = mono_field_get_offset (field);
		if (k->field_count < FIELDS) {
			k->fields[k->field_count].offset = mono_field_get_offset (field) - header;
			k->fields[k->field_count++].name = hash (mono_field_get_name (field));
		}
	}
}

static int
is_of_program (MonoClass *klass)
{
	return !strcmp (mono_image_get_name (mono_class_get_image (klass)), "heap");
}

static void
fill (kind *k, MonoClass *klass)
{
	char *text = mono_type_get_name (mono_class_get_type (klass));
	k->klass = klass;
	snprintf (k->text, sizeof k->text, "%s", text);
	mono_free (text);
	k->name = hash (k->text);
	k->is_array = mono_class_get_rank (klass) != 0;
	MonoClass *inner = k->is_array ? mono_class_get_element_class (klass) : klass;
	k->is_mine = is_of_program (inner);
	if (!k->is_mine)
		return;
	if (k->is_array)
		k->element_size = mono_class_array_element_size (inner);
	if (!k->is_array || mono_class_is_valuetype (inner))
		add_fields (k, inner,
		            k->is_array ? (uint32_t) (mono_class_instance_size (inner) - mono_class_value_size (inner, NULL))
		                        : 0);
}

static kind *
kind_of (MonoClass *klass)
{
	size_t i = (uintptr_t) klass / 16 % CLASSES;
	while (kinds[i].klass && kinds[i].klass != klass)
		i = (i + 1) % CLASSES;
	if (!kinds[i].klass)
		fill (&kinds[i], klass);
	return &kinds[i];
}

static int
by_address (const void *a, const void *b)
{
	const met *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static met *
find (struct _MonoProfiler *p, uintptr_t address)
{
	met key = { .address = address };
	return bsearch (&key, p->best, p->best_count, sizeof key, by_address);
}

static void
name_object (met *m, const kind *k)
{
	int32_t id;
	if (!k->is_mine || k->is_array || !k->id_offset)
		return;
	memcpy (&id, m->bytes + k->id_offset, sizeof id);
	m->name = mix (k->name, (uint64_t) id) | 1;
}

/* Which field, or element and field of it; 0: there is none. */
static uint64_t
name_place (const struct _MonoProfiler *p, const kind *k, uintptr_t offset)
{
	uint64_t element = 0;
	if (k->is_array) {
		if (offset < p->array_data)
			return 0;
		element = (offset - p->array_data) / (uintptr_t) k->element_size + 1;
		offset = (offset - p->array_data) % (uintptr_t) k->element_size;
		if (!k->field_count)
			return offset ? 0 : mix (element, 1);
	}
	for (unsigned i = 0; i < k->field_count; i++)
		if (k->fields[i].offset == offset)
			return mix (element, k->fields[i].name) | 1;
	return 0;
}

typedef struct {
	uint64_t objects, references;
	unsigned long object_count, reference_count, bad_places, twice, overlapping, bad_sizes;
	uintptr_t bytes, all_bytes;
} sums;

/* An array is known by who holds it. */
static void
name_arrays (struct _MonoProfiler *p)
{
	for (met *m = p->best; m < p->best + p->best_count; m++) {
		const kind *k = kind_of (m->klass);
		for (size_t i = 0; i < m->count && m->name && !k->is_array; i++) {
			const reference *r = &p->best_references[m->first + i];
			met *target = find (p, r->target);
			if (target && kind_of (target->klass)->is_array && kind_of (target->klass)->is_mine)
				target->name = mix (m->name, name_place (p, k, r->offset)) | 1;
		}
	}
}

static void
add_reference (struct _MonoProfiler *p, const met *m, const kind *k, const reference *r, sums *s)
{
	const met *target = m->name ? find (p, r->target) : NULL;
	if (!target)
		return;
	uint64_t place = name_place (p, k, r->offset);
	s->bad_places += !place;
	s->reference_count++;
	s->references += mix (mix (m->name, place), target->name ? target->name : kind_of (target->klass)->name);
}

static void
check_sizes (const struct _MonoProfiler *p, const met *m, sums *s)
{
	const met *next = m + 1;
	uintptr_t rounded = (m->own_size + 7) & ~(uintptr_t) 7;
	s->bad_sizes += p->is_mono ? m->size < rounded : m->size != rounded;
	if (next == p->best + p->best_count)
		return;
	s->twice += m->address == next->address;
	s->overlapping += m->address + m->size > next->address;
}

static void
add_object (struct _MonoProfiler *p, const met *m, sums *s)
{
	kind *k = kind_of (m->klass);
	check_sizes (p, m, s);
	s->all_bytes += m->size;
	for (size_t i = 0; i < m->count; i++)
		add_reference (p, m, k, &p->best_references[m->first + i], s);
	if (!m->name)
		return;
	k->count++;
	k->own_bytes += m->own_size;
	s->object_count++;
	s->objects += mix (m->name, k->name);
}

static void
put (FILE *out, const struct _MonoProfiler *p, const sums *s)
{
	fprintf (out, "objects %lu\nobject-sum %016llx\nreferences %lu\nreference-sum %016llx\n", s->object_count,
	         (unsigned long long) s->objects, s->reference_count, (unsigned long long) s->references);
	for (int i = 0; i < CLASSES; i++)
		if (kinds[i].count)
			fprintf (out, "class:%s %lu\nsize:%s %lu\n", kinds[i].text, kinds[i].count, kinds[i].text,
			         (unsigned long) kinds[i].own_bytes);
	fprintf (out, "BAD-dangling %lu\nBAD-twice %lu\nBAD-overlapping %lu\nBAD-sizes %lu\nBAD-places %lu\nBAD-late %lu\n",
	         p->dangling, s->twice, s->overlapping, s->bad_sizes, s->bad_places, p->late);
	fprintf (out, "BAD-batches %lu\nall-objects %zu\nall-references %zu\nall-bytes %lu\n", p->large_batches,
	         p->best_count, p->best_reference_count, (unsigned long) s->all_bytes);
	fprintf (out, "walks %lu\nyoung %lu\nrefused %lu\ncontinued %lu\n", p->walks, p->young, p->refused, p->continued);
}

static void
on_end (struct _MonoProfiler *p)
{
	sums s = { .objects = 0 };
	FILE *out = fopen (p->file, "w");
	if (!out)
		return;
	qsort (p->best, p->best_count, sizeof *p->best, by_address);
	for (met *m = p->best; m < p->best + p->best_count; m++)
		name_object (m, kind_of (m->klass));
	name_arrays (p);
	for (const met *m = p->best; m < p->best + p->best_count; m++)
		add_object (p, m, &s);
	put (out, p, &s);
	fclose (out);
}

static void
on_initialized (struct _MonoProfiler *p)
{
	char *version = mono_get_runtime_build_info ();
	p->is_mono = !strstr (version, "CoreCLR");
	p->array_data = p->is_mono ? 32 : 16;
	p->before = p->is_mono ? 0 : 8;
	mono_free (version);
	if (!p->is_mono)
		p->late += walk (p) == 0;
}

void
mono_profiler_init_heap (const char *desc)
{
	struct _MonoProfiler *p = &profiler;
	p->file = strdup (strchr (desc, ':') + 1);
	p->objects = reserve (OBJECTS_MAX * sizeof *p->objects);
	p->best = reserve (OBJECTS_MAX * sizeof *p->best);
	p->references = reserve (REFERENCES_MAX * sizeof *p->references);
	p->best_references = reserve (REFERENCES_MAX * sizeof *p->best_references);
	p->addresses = reserve (ADDRESSES * sizeof *p->addresses);
	MonoProfilerHandle handle = mono_profiler_create (p);
	mono_profiler_set_runtime_initialized_callback (handle, on_initialized);
	mono_profiler_set_gc_event_callback (handle, on_event);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, on_end);
}

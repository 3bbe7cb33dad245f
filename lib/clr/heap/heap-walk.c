/*
 * SPDX-License-Identifier: MIT
 *
 * heap-walk.c - every object on the heap, with its size and its references, as Mono's modules walk over them.
 *
 * While the world is stopped and no collection is under way, the heap is a list of ranges, and each range is one object
 * after the other, what is free among them. So nothing is recorded while the program runs or is collected: a walk asks
 * for the ranges and goes along them. Two facts of objects are read where the runtime would be asked much too often:
 * the type handle in an object's first word, and the facts of that type about sizes.
 *
 *     GetGenerationBounds        ranges of the generations, of large and of pinned objects
 *     GetNonGCHeapBounds         ranges of frozen objects (literals, for example), from .NET 8 on
 *     EnumerateObjectReferences  the references in one object, and where each of them lies
 *
 * Classes that were not told of are told of between two objects, never while one is: modules hold their own locks then.
 *
 * A collection in the background frees objects while the program runs, and leaves references to them in others that
 * are no longer used: until it is over there is no walk. Memory comes from the kernel, because the world is stopped.
 */
#include "heap-walk.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <monocle/host.h>
#include "collector.h"
#include "images/class-load.h"
#include "images/layout.h"
#include "images/resolve.h"
#include "invariant.h"
#include "state.h"

enum {
	BATCH = 128, /* references; so many Mono tells at once */
	ALIGNMENT = 8,
	SIZE_MIN = 24,        /* of any object */
	LENGTH_OFFSET = 8,    /* of what has components */
	INFO_REFERENCES = 10, /* the first ICorProfilerInfo that knows the references of an object */
	INFO_FROZEN = 14,     /* and the first that knows frozen ranges */
	SPARE = 16,           /* ranges that may come while they are asked for */
	KNOWN = 128,          /* classes that are looked up once; others share their places */
};

#define HAS_COMPONENTS 0x80000000u

/* The first words of a type, at its handle. */
typedef struct {
	uint32_t flags; /* the low half is the size of a component where there are components */
	uint32_t base_size;
} type_facts;

typedef struct {
	ClassID id;
	MonoClass *klass;
	bool refers; /* may its objects refer to others? */
} known_class;

typedef struct {
	MonoGCReferences callback;
	void *data;
	uintptr_t object, size;
	MonoClass *klass;
	bool is_told;
	uintptr_t count;
	MonoObject *references[BATCH];
	uintptr_t offsets[BATCH];
	known_class known[KNOWN];
} heap_walk;

/* --- ranges ------------------------------------------------------------------------------------------------------- */

typedef struct {
	void *ranges;
	ULONG count;
	size_t mapped;
} range_list;

static void
drop_ranges (range_list *list)
{
	if (list->mapped)
		munmap (list->ranges, list->mapped);
	*list = (range_list) { .ranges = NULL };
}

/* `ask` is one of the two below. */
static int
take_ranges (HRESULT (*ask) (ULONG room, ULONG *ret_count, void *ranges), size_t width, range_list *ret)
{
	ULONG count = 0;
	*ret = (range_list) { .ranges = NULL };
	HRESULT hr = ask (0, &count, NULL);
	ULONG room = count + SPARE;
	if (hr < 0)
		return MONOCLE_E_UNKNOWN;
	void *ranges = mmap (NULL, room * width, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ranges == MAP_FAILED)
		return MONOCLE_E_NO_MEMORY;
	*ret = (range_list) { ranges, 0, room * width };
	if (ask (room, &ret->count, ranges) >= 0 && ret->count <= room)
		return 0;
	drop_ranges (ret);
	return MONOCLE_E_UNKNOWN;
}

static HRESULT
ask_generations (ULONG room, ULONG *ret_count, void *ranges)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	return info->vtbl->GetGenerationBounds (info, room, ret_count, ranges);
}

static HRESULT
ask_frozen (ULONG room, ULONG *ret_count, void *ranges)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	return info->vtbl->GetNonGCHeapBounds (info, room, ret_count, ranges);
}

/* --- one object --------------------------------------------------------------------------------------------------- */

static void
tell (heap_walk *walk)
{
	walk->callback ((MonoObject *) walk->object, walk->klass, walk->is_told ? 0 : walk->size, walk->count,
	                walk->references, walk->offsets, walk->data);
	walk->is_told = true;
	walk->count = 0;
}

/* What keeps a class that can be unloaded is a reference as well, but lies in no object: offset 0. */
static BOOL
add_reference (ObjectID object, ObjectID *reference, void *data)
{
	heap_walk *walk = data;
	uintptr_t offset = (uintptr_t) reference - object;
	if (!*reference)
		return 1;
	if (walk->count == BATCH)
		tell (walk);
	MONOCLE__INVARIANT (walk->count < BATCH && object == walk->object);
	walk->references[walk->count] = (MonoObject *) *reference;
	walk->offsets[walk->count++] = offset < walk->size ? offset : 0;
	return 1;
}

/* Arrays and strings have components, and so has free memory, whose components are bytes: but it is no array. */
static bool
is_free (ClassID id, const type_facts *facts)
{
	static _Atomic (ClassID) known;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	CorElementType element;
	ClassID element_class;
	ULONG rank;
	if ((facts->flags & (HAS_COMPONENTS | 0xffff)) != (HAS_COMPONENTS | 1))
		return false;
	if (atomic_load_explicit (&known, memory_order_relaxed) == id)
		return true;
	if (info->vtbl->IsArrayClass (info, id, &element, &element_class, &rank) == S_OK)
		return false;
	atomic_store_explicit (&known, id, memory_order_relaxed);
	return true;
}

static known_class *
class_of (heap_walk *walk, ClassID id)
{
	known_class *known = &walk->known[(id / ALIGNMENT) % KNOWN];
	if (known->id != id) {
		*known = (known_class) { id, monocle__resolve_class (id), true };
		monocle__resolve_bases (id);
		monocle__class_load_met (known->klass);
	}
	return known;
}

static int
visit (heap_walk *walk, uintptr_t object, uintptr_t size, ClassID id)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	known_class *known = class_of (walk, id);
	HRESULT hr = S_OK;
	walk->object = object;
	walk->size = size;
	walk->klass = known->klass;
	walk->is_told = false;
	walk->count = 0;
	if (known->refers)
		hr = info->vtbl->EnumerateObjectReferences (info, object, (ObjectReferenceCallback) add_reference, walk);
	if (hr < 0)
		return MONOCLE_E_UNKNOWN;
	if (hr == S_FALSE) /* as all objects of this class */
		known->refers = false;
	if (walk->count || !walk->is_told)
		tell (walk);
	return 0;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* 0: this is no object that ends before `room` bytes are over. */
static uintptr_t
size_of (uintptr_t object, const type_facts *facts, uintptr_t room)
{
	uintptr_t size = facts->base_size;
	if (facts->flags & HAS_COMPONENTS)
		size += (uintptr_t) * (const uint32_t *) (object + LENGTH_OFFSET) * (facts->flags & 0xffff);
	size = (size + ALIGNMENT - 1) & ~(uintptr_t) (ALIGNMENT - 1);
	return size >= SIZE_MIN && size <= room ? size : 0;
}

static int
walk_range (heap_walk *walk, uintptr_t start, uintptr_t length)
{
	uintptr_t size;
	int result = 0;
	for (uintptr_t at = start, end = start + length; at < end && !result; at += size) {
		ClassID id = end - at < SIZE_MIN ? 0 : monocle__clr_layout_class_id ((MonoObject *) at);
		const type_facts *facts = (const type_facts *) id;
		size = id ? size_of (at, facts, end - at) : 0;
		if (!size)
			return MONOCLE_E_UNKNOWN;
		if (!is_free (id, facts))
			result = visit (walk, at, size, id);
	}
	return result;
}

static int
walk_generations (heap_walk *walk)
{
	range_list list;
	int result = take_ranges (ask_generations, sizeof (COR_PRF_GC_GENERATION_RANGE), &list);
	const COR_PRF_GC_GENERATION_RANGE *ranges = list.ranges;
	for (ULONG i = 0; i < list.count && !result; i++)
		result = walk_range (walk, ranges[i].rangeStart, ranges[i].rangeLength);
	drop_ranges (&list);
	return result;
}

static int
walk_frozen (heap_walk *walk)
{
	range_list list;
	if (monocle__clr_state.info_version < INFO_FROZEN)
		return 0;
	int result = take_ranges (ask_frozen, sizeof (COR_PRF_NONGC_HEAP_RANGE), &list);
	const COR_PRF_NONGC_HEAP_RANGE *ranges = list.ranges;
	for (ULONG i = 0; i < list.count && !result; i++)
		result = walk_range (walk, ranges[i].rangeStart, ranges[i].rangeLength);
	drop_ranges (&list);
	return result;
}

int
monocle__heap_walk (void *host, MonoGCReferences callback, void *data)
{
	heap_walk walk = { .callback = callback, .data = data };
	if (!monocle__collector_is_starting_world ())
		return MONOCLE_E_REFUSED;
	if (!monocle__collector_is_alone ())
		return MONOCLE_E_BUSY;
	if (monocle__clr_state.info_version < INFO_REFERENCES)
		return MONOCLE_E_UNKNOWN;
	int result = walk_generations (&walk);
	return result ? result : walk_frozen (&walk);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_heap_walk.c - a walk over a heap that a test wrote: what is met, what is passed over, where the walk fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/mono-gc.h>
#include "../core/child.h"
#include "fake-runtime.h"
#include "trace.h"

/* --- the heap ----------------------------------------------------------------------------------------------------- */

typedef struct {
	uint32_t flags, base_size;
} type;

static _Alignas(8) type plain = { 0, 40 }, bytes = { 0x80000001, 24 }, unused = { 0x80000001, 24 },
                        many = { 0x80000008, 24 };

/* Words of the small heap, by number. */
enum { PLAIN = 0, BYTES = 5, UNUSED = 9, LAST = 17, WORDS = 22, FROZEN = 3, LARGE = 3 + 300 };

static uint64_t heap[WORDS], frozen[FROZEN], large[LARGE];
static ULONG frozen_length = sizeof frozen, large_length = sizeof large;
static HRESULT references_answer;

#define HANDLE(type) ((uintptr_t) & (type))

static void
fill (void)
{
	heap[PLAIN] = HANDLE (plain) | 1; /* the collector's bit */
	heap[PLAIN + 1] = (uintptr_t) &heap[BYTES];
	heap[PLAIN + 3] = (uintptr_t) &frozen[0];
	heap[BYTES] = HANDLE (bytes);
	heap[BYTES + 1] = 3; /* 27 bytes take 32 */
	heap[UNUSED] = HANDLE (unused);
	heap[UNUSED + 1] = 40;
	heap[LAST] = HANDLE (plain);
	frozen[0] = HANDLE (bytes);
	large[0] = HANDLE (many);
	large[1] = 300;
	for (int i = 0; i < 300; i++)
		large[2 + i] = i % 3 ? (uintptr_t) &heap[LAST] : 0;
}

static HRESULT
is_array_class (ICorProfilerInfo15 *self, ClassID id, CorElementType *element, ClassID *element_class, ULONG *rank)
{
	return id == HANDLE (bytes) || id == HANDLE (many) ? S_OK : S_FALSE;
}

static HRESULT
get_class_id_info2 (ICorProfilerInfo15 *self, ClassID id, ModuleID *module, mdToken *token, ClassID *parent,
                    ULONG32 room, ULONG32 *count, ClassID *arguments)
{
	CHECK (id != HANDLE (unused)); /* the runtime would not survive it */
	return E_FAIL;
}

static HRESULT
get_generation_bounds (ICorProfilerInfo15 *self, ULONG room, ULONG *ret_count, COR_PRF_GC_GENERATION_RANGE *ranges)
{
	const COR_PRF_GC_GENERATION_RANGE all[] = {
		{ .generation = 2, .rangeStart = (uintptr_t) heap, .rangeLength = sizeof heap },
		{ .generation = 1, .rangeStart = (uintptr_t) heap, .rangeLength = 0 },
		{ .generation = 3, .rangeStart = (uintptr_t) large, .rangeLength = large_length },
	};
	*ret_count = 3;
	for (ULONG i = 0; i < 3 && i < room; i++)
		ranges[i] = all[i];
	return S_OK;
}

static HRESULT
get_non_gc_heap_bounds (ICorProfilerInfo15 *self, ULONG room, ULONG *ret_count, COR_PRF_NONGC_HEAP_RANGE *ranges)
{
	*ret_count = 1;
	if (room)
		ranges[0] = (COR_PRF_NONGC_HEAP_RANGE) { .rangeStart = (uintptr_t) frozen, .rangeLength = frozen_length };
	return S_OK;
}

static HRESULT
enumerate_object_references (ICorProfilerInfo15 *self, ObjectID object, ObjectReferenceCallback callback, void *data)
{
	BOOL (*tell) (ObjectID object, ObjectID * reference, void *data);
	static ObjectID loader;
	uintptr_t id = *(uintptr_t *) object & ~(uintptr_t) 7;
	memcpy (&tell, &callback, sizeof tell);
	loader = (uintptr_t) &heap[PLAIN];
	for (int i = 1; i < 5 && object == (uintptr_t) &heap[PLAIN]; i++)
		tell (object, (ObjectID *) object + i, data);
	for (int i = 0; i < 300 && id == HANDLE (many); i++)
		tell (object, (ObjectID *) object + 2 + i, data);
	if (object == (uintptr_t) &heap[LAST])
		tell (object, &loader, data); /* of a class that can be unloaded: no place in the object */
	return references_answer;
}

/* --- the module that walks ---------------------------------------------------------------------------------------- */

static const char *
name_of (const void *address)
{
	return address == &heap[PLAIN] ? "plain"
	     : address == &heap[BYTES] ? "bytes"
	     : address == &heap[LAST]  ? "last"
	     : address == frozen       ? "frozen"
	     : address == large        ? "large"
	                               : "?";
}

static int
on_object (MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
           uintptr_t *offsets, void *data)
{
	CHECK (klass != NULL && count <= 128 && data == trace);
	note ("%s:%lu", name_of (object), (unsigned long) size);
	for (uintptr_t i = 0; i < count && i < 3; i++)
		note (" +%lu>%s", (unsigned long) offsets[i], name_of (references[i]));
	note (count > 3 ? " (%lu)\n" : "\n", (unsigned long) count);
	return 1; /* as Mono, that goes on */
}

static int result = -1;

static void *
walk (void *nothing)
{
	result = mono_gc_walk_heap (0, on_object, trace);
	return NULL;
}

static MonoProfilerGCEvent walks_in = MONO_GC_EVENT_PRE_START_WORLD;
static bool walks_elsewhere; /* on a thread of its own */

static void
on_gc (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	pthread_t thread;
	if (event != walks_in)
		return;
	if (!walks_elsewhere)
		walk (NULL);
	else if (!pthread_create (&thread, NULL, walk, NULL))
		pthread_join (thread, NULL);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_walker (const char *desc);

void
mono_profiler_init_walker (const char *desc)
{
	mono_profiler_set_gc_event_callback (mono_profiler_create (NULL), on_gc);
}

static void
start (void)
{
	static ICorProfilerInfo15Vtbl slots;
	slots = *fake_runtime.vtbl;
	slots.IsArrayClass = is_array_class;
	slots.GetClassIDInfo2 = get_class_id_info2;
	slots.GetGenerationBounds = get_generation_bounds;
	slots.GetNonGCHeapBounds = get_non_gc_heap_bounds;
	slots.EnumerateObjectReferences = enumerate_object_references;
	fake_runtime.vtbl = &slots;
	fill ();
	setenv ("MONOCLE_PROFILE", "walker", 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
}

/* --- the runtime's events ----------------------------------------------------------------------------------------- */

enum { GC_START = 1, GC_END = 2, RESTARTED = 3, RESTARTING = 7, SUSPENDING = 9, BACKGROUND = 1, SERIAL = 0 };

static void
deliver (unsigned id, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t data[] = { a, b, c, d };
	monocle__callback_EventPipeEventDelivered (NULL, 1, id, 1, 26, NULL, sizeof data, (const BYTE *) data, NULL, NULL,
	                                           0, 0, NULL);
}

static void
restart (void)
{
	deliver (RESTARTING, 0, 0, 0, 0);
	deliver (RESTARTED, 0, 0, 0, 0);
}

static void
collect (uint32_t number, uint32_t generation)
{
	result = -1;
	deliver (SUSPENDING, 1, 0, 0, 0);
	deliver (GC_START, number, generation, 0, SERIAL);
	deliver (GC_END, number, generation, 0, 0);
	restart ();
}

CHILD_TEST (every_object_comes_with_its_size_and_references)
{
	start ();
	collect (1, 0);
	CHECK (result == 0);
	check_trace ("plain:40 +8>bytes +24>frozen\nbytes:32\nlast:40 +0>plain\n"
	             "large:2424 +24>last +32>last +48>last (128)\nlarge:0 +1560>last +1568>last +1584>last (72)\n"
	             "frozen:24\n");
}

CHILD_TEST (it_fails_but_in_its_event_on_the_thread_that_has_it)
{
	start ();
	for (int event = 0; event < 12; event++) {
		walks_in = (MonoProfilerGCEvent) event;
		collect ((uint32_t) event + 1, 2);
		CHECK (result == (event == MONO_GC_EVENT_PRE_START_WORLD ? 0 : event >= 1 && event <= 4 ? -1 : 1));
		CHECK (!trace[0] == (result != 0));
		trace[0] = 0;
	}
	walks_in = MONO_GC_EVENT_PRE_START_WORLD;
	walks_elsewhere = true;
	collect (20, 2);
	CHECK (result == 1);
	walk (NULL);
	CHECK (result == 1);
	check_trace ("");
}

CHILD_TEST (it_fails_beside_a_collection_in_the_background)
{
	start ();
	deliver (SUSPENDING, 1, 0, 0, 0);
	deliver (GC_START, 1, 2, 0, BACKGROUND);
	restart ();
	CHECK (result == 1);
	collect (2, 1);
	CHECK (result == 1);
	check_trace ("");
	deliver (GC_END, 1, 2, 0, 0);
	collect (3, 1);
	CHECK (result == 0);
}

CHILD_TEST (one_that_nobody_saw_begin_may_be_under_way)
{
	start ();
	collect (7, 1);
	CHECK (result == 1);
	collect (8, 2);
	CHECK (result == 0);
	collect (9, 0);
	CHECK (result == 0);
}

CHILD_TEST (what_is_no_object_ends_it)
{
	start ();
	large_length = 1000; /* ends within the object */
	collect (1, 2);
	CHECK (result == 1);
	check_trace ("plain:40 +8>bytes +24>frozen\nbytes:32\nlast:40 +0>plain\n");
	large_length = sizeof large;
	frozen[0] = 0;
	collect (2, 2);
	CHECK (result == 1);
	frozen[0] = HANDLE (bytes);
	references_answer = E_FAIL;
	trace[0] = 0;
	collect (3, 2);
	CHECK (result == 1);
	check_trace ("");
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_object_comes_with_its_size_and_references),
		cmocka_unit_test (it_fails_but_in_its_event_on_the_thread_that_has_it),
		cmocka_unit_test (it_fails_beside_a_collection_in_the_background),
		cmocka_unit_test (one_that_nobody_saw_begin_may_be_under_way),
		cmocka_unit_test (what_is_no_object_ends_it),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

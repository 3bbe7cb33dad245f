/*
 * SPDX-License-Identifier: MIT
 *
 * test_moves.c - the heap in a collection: ranges that the runtime tells become pairs of objects, its roots become
 * those of Mono, and what is malformed becomes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "../core/child.h"
#include "fake-runtime.h"
#include "trace.h"

/* --- the module that watches -------------------------------------------------------------------------------------- */

static atomic_ulong pairs; /* counted where there are too many to be written down */
static bool is_counting;

static void
on_moves (MonoProfiler *prof, MonoObject *const *objects, uint64_t count)
{
	atomic_fetch_add (&pairs, count / 2);
	CHECK (count % 2 == 0 && count <= 64);
	for (uint64_t i = 0; i < count && !is_counting; i += 2)
		note ("%lx>%lx ", (unsigned long) objects[i], (unsigned long) objects[i + 1]);
}

static void
on_survivors (MonoProfiler *prof, const void *const *starts, const void *const *now_at, const uint64_t *sizes,
              uint64_t count)
{
	for (uint64_t i = 0; i < count && !is_counting; i++)
		note ("[%lx+%lu%s] ", (unsigned long) starts[i], (unsigned long) sizes[i], now_at ? ">" : "");
}

static void
on_roots (MonoProfiler *prof, uint64_t count, const mono_byte *const *addresses, MonoObject *const *objects)
{
	CHECK (count && count <= 32);
	note ("(%lu)", (unsigned long) count);
	for (uint64_t i = 0; i < count && i < 4; i++)
		note (" %lu:%lx", (unsigned long) addresses[i], (unsigned long) objects[i]);
	note (" ");
}

static void
on_register (MonoProfiler *prof, const mono_byte *start, uintptr_t size, MonoGCRootSource source, const void *key,
             const char *name)
{
	note ("%lu+%lu/%d \"%s\" ", (unsigned long) start, (unsigned long) size, source, name);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	if (strstr (desc, "moves"))
		mono_profiler_set_gc_moves_callback (handle, on_moves);
	if (strstr (desc, "survivors"))
		monocle_profiler_set_survivors_callback (handle, on_survivors);
	if (strstr (desc, "roots")) {
		mono_profiler_set_gc_roots_callback (handle, on_roots);
		mono_profiler_set_gc_root_register_callback (handle, on_register);
	}
}

/* Objects are 20 bytes long where their address ends in 8, so that the next one is 24 further; others are 32. */
static HRESULT
get_object_size2 (ICorProfilerInfo15 *self, ObjectID object, SIZE_T *ret_size)
{
	if (object >= 0xdead0000)
		return E_FAIL;
	*ret_size = (object & 0xf) == 8 ? 20 : 32;
	return S_OK;
}

static void
start (const char *modules)
{
	static ICorProfilerInfo15Vtbl slots;
	slots = *fake_runtime.vtbl;
	slots.GetObjectSize2 = get_object_size2;
	fake_runtime.vtbl = &slots;
	setenv ("MONOCLE_PROFILE", modules, 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
}

/* --- the runtime's events ----------------------------------------------------------------------------------------- */

/* `said`: how many ranges the event claims to have. */
static void
deliver (unsigned id, uint32_t said, uint32_t count, const uint64_t *words, uint32_t width)
{
	ULONG size = 10 + count * width * 8;
	uint8_t *data = calloc (1, size);
	memcpy (data + 4, &said, 4);
	memcpy (data + 10, words, size - 10);
	monocle__callback_EventPipeEventDelivered (NULL, 1, id, 1, 26, NULL, size, data, NULL, NULL, 0, 0, NULL);
	free (data);
}

enum { SURVIVING = 21, MOVED = 22 };

CHILD_TEST (ranges_that_moved_are_told_by_object_when_all_is_in_its_place)
{
	const uint64_t ranges[] = { 0x1000, 0x2000, 64, 0x5008, 0x4008, 48, 0x7000, 0x7000, 32 };
	const uint64_t unknown[] = { 0x9000, 0xdead0000, 64 };
	start ("watch:moves");
	CHECK (fake_mask == (COR_PRF_MONITOR_MODULE_LOADS | COR_PRF_MONITOR_ASSEMBLY_LOADS | COR_PRF_MONITOR_THREADS |
	                     COR_PRF_ENABLE_STACK_SNAPSHOT | COR_PRF_ENABLE_REJIT));
	CHECK (fake_keywords == 0x400001);
	deliver (MOVED, 3, 3, ranges, 3);
	check_trace (""); /* neither place may be looked at yet */
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("1000>2000 1020>2020 5008>4008 5020>4020 ");
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("");
	deliver (MOVED, 1, 1, unknown, 3); /* the runtime does not know what lies there */
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("");
}

CHILD_TEST (many_objects_come_in_mono_s_batches)
{
	const uint64_t range[] = { 0x10000, 0x80000, 32 * 1000 };
	start ("watch:moves");
	is_counting = true;
	deliver (MOVED, 1, 1, range, 3);
	monocle__callback_GarbageCollectionFinished (NULL);
	CHECK (pairs == 1000);
}

CHILD_TEST (ranges_that_stay_and_ranges_that_go_survive)
{
	const uint64_t stay[] = { 0x1000, 64, 0x3000, 32 }, move[] = { 0x5000, 0x4000, 128 };
	start ("watch:survivors");
	deliver (SURVIVING, 2, 2, stay, 2);
	deliver (MOVED, 1, 1, move, 3);
	check_trace ("[1000+64] [3000+32] [5000+128>] ");
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("");
}

CHILD_TEST (an_event_is_not_believed_beyond_its_end)
{
	const uint64_t two[] = { 0x1000, 0x2000, 32, 0x3000, 0x4000, 32 };
	start ("watch:moves,survivors");
	deliver (MOVED, 0x7fffffff, 2, two, 3); /* claims more than it has */
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("[1000+32>] [3000+32>] 1000>2000 3000>4000 ");
	deliver (MOVED, 0, 2, two, 3);
	deliver (SURVIVING, 1, 0, two, 2);
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("");
}

static void *
bring_ranges (void *data)
{
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t at = i * 64;
		const uint64_t ranges[] = { 0x100000 + at, 0x200000 + at, 64, 0x300000 + at, 0x400000 + at, 64 };
		deliver (MOVED, 2, 2, ranges, 3);
	}
	return NULL;
}

CHILD_TEST (several_threads_of_the_collector_may_bring_ranges)
{
	enum { THREADS = 4 };
	pthread_t all[THREADS];
	start ("watch:moves,survivors");
	is_counting = true;
	for (int i = 0; i < THREADS; i++)
		CHECK (!pthread_create (&all[i], NULL, bring_ranges, NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_join (all[i], NULL);
	monocle__callback_GarbageCollectionFinished (NULL);
	CHECK (pairs == THREADS * 1000 * 4);
}

/* --- roots -------------------------------------------------------------------------------------------------------- */

CHILD_TEST (roots_lie_where_their_kind_was_registered)
{
	ObjectID objects[40] = { 0x1000, 0, 0x2000, 0x3000, 0x4000, 0x5000 };
	COR_PRF_GC_ROOT_KIND kinds[40] = {
		COR_PRF_GC_ROOT_STACK,  COR_PRF_GC_ROOT_STACK,     COR_PRF_GC_ROOT_HANDLE,
		COR_PRF_GC_ROOT_HANDLE, COR_PRF_GC_ROOT_FINALIZER, (COR_PRF_GC_ROOT_KIND) 99,
	};
	COR_PRF_GC_ROOT_FLAGS flags[40] = { [3] = COR_PRF_GC_ROOT_WEAKREF };
	UINT_PTR ids[40] = { 0 };
	start ("watch:roots");
	CHECK (fake_mask & COR_PRF_MONITOR_GC);
	check_trace ("7+1/0 \"Other\" 5+1/1 \"Thread Stack\" 1+1/2 \"Finalizer Queue\" 6+1/6 \"GC Handles\" ");
	monocle__callback_RootReferences2 (NULL, 6, objects, kinds, flags, ids);
	check_trace ("(4) 5:1000 6:2000 1:4000 7:5000 ");
	for (int i = 0; i < 40; i++) {
		objects[i] = 0x1000;
		kinds[i] = COR_PRF_GC_ROOT_STACK;
		flags[i] = (COR_PRF_GC_ROOT_FLAGS) 0;
	}
	monocle__callback_RootReferences2 (NULL, 40, objects, kinds, flags, ids);
	check_trace ("(32) 5:1000 5:1000 5:1000 5:1000 (8) 5:1000 5:1000 5:1000 5:1000 ");
	monocle__callback_RootReferences2 (NULL, 0, objects, kinds, flags, ids);
	check_trace ("");
	CHECK (monocle__callback_ObjectReferences (NULL, 0x1000, 0, 0, NULL) < 0); /* no walk over the heap */
}

CHILD_TEST (who_listens_to_none_of_it_pays_for_none_of_it)
{
	ObjectID objects[] = { 0x1000 };
	COR_PRF_GC_ROOT_KIND kinds[] = { COR_PRF_GC_ROOT_STACK };
	COR_PRF_GC_ROOT_FLAGS flags[] = { (COR_PRF_GC_ROOT_FLAGS) 0 };
	UINT_PTR ids[] = { 0 };
	start ("watch");
	CHECK (!(fake_mask & COR_PRF_MONITOR_GC) && !fake_keywords);
	monocle__callback_RootReferences2 (NULL, 1, objects, kinds, flags, ids);
	monocle__callback_GarbageCollectionFinished (NULL);
	check_trace ("");
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (ranges_that_moved_are_told_by_object_when_all_is_in_its_place),
		cmocka_unit_test (many_objects_come_in_mono_s_batches),
		cmocka_unit_test (ranges_that_stay_and_ranges_that_go_survive),
		cmocka_unit_test (an_event_is_not_believed_beyond_its_end),
		cmocka_unit_test (several_threads_of_the_collector_may_bring_ranges),
		cmocka_unit_test (roots_lie_where_their_kind_was_registered),
		cmocka_unit_test (who_listens_to_none_of_it_pays_for_none_of_it),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

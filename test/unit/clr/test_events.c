/*
 * SPDX-License-Identifier: MIT
 *
 * test_events.c - what modules see of collections, finalisation, handles and monitors when the runtime's provider says
 * so: the order as Mono has it, and nothing of what is malformed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <mono/metadata/mono-gc.h>
#include "../core/child.h"
#include "fake-runtime.h"
#include "trace.h"
#include "heap/collector.h"
#include "heap/gc-handle.h"
#include "heap/voice.h"
#include "nanoseconds.h"
#include "naps.h"

static MonoProfilerHandle handle;

/* --- the module that watches -------------------------------------------------------------------------------------- */

static pthread_t teller; /* of the last step of a collection */
static pthread_t handle_teller;
static bool asks_for_more;          /* in each */
static void *(*meanwhile) (void *); /* once: what another thread does while the end of a pause is told */

static void
on_gc (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	pthread_t thread;
	void *(*run) (void *) = event == MONO_GC_EVENT_POST_START_WORLD ? meanwhile : NULL;
	teller = pthread_self ();
	if (asks_for_more)
		mono_gc_collect (0);
	if (run) {
		meanwhile = NULL;
		CHECK (!pthread_create (&thread, NULL, run, NULL));
		pthread_join (thread, NULL);
	}
	note ("%d/%u%s ", event, generation, is_serial ? "s" : "");
}

static void
on_resize (MonoProfiler *prof, uintptr_t size)
{
	note ("size=%lu ", (unsigned long) size);
}

static void
on_finalizing (MonoProfiler *prof)
{
	note ("finalizing ");
}

static void
on_finalized (MonoProfiler *prof)
{
	note ("finalized ");
}

static uintptr_t shown; /* the object that was told last */

static void
on_finalizing_object (MonoProfiler *prof, MonoObject *object)
{
	shown = (uintptr_t) object;
	note ("+object ");
}

static void
on_finalized_object (MonoProfiler *prof, MonoObject *object)
{
	bool is_like = *(uintptr_t *) object == *(uintptr_t *) shown;
	note ((uintptr_t) object == shown ? "-object " : is_like ? "-like " : "-other ");
}

enum { FIRST = (1 << 24) << 3 }; /* smaller numbers are the core's, for handles that modules make */

static void
on_created (MonoProfiler *prof, uint32_t number, MonoGCHandleType type, MonoObject *object)
{
	handle_teller = pthread_self ();
	note ("+%u:%d%s ", number - FIRST, type, object ? "" : "null");
}

static void
on_deleted (MonoProfiler *prof, uint32_t number, MonoGCHandleType type)
{
	note ("-%u:%d ", number - FIRST, type);
}

static void
on_contention (MonoProfiler *prof, MonoObject *object)
{
	note ("wait ");
}

static void
on_acquired (MonoProfiler *prof, MonoObject *object)
{
	note ("acquired ");
}

static void
on_failed (MonoProfiler *prof, MonoObject *object)
{
	note ("failed ");
}

static void
on_sampled (MonoProfiler *prof, MonoClass *klass, uint64_t size, uint64_t stands_for)
{
	note ("%s%lu/%lu ", klass ? "?" : "", (unsigned long) size, (unsigned long) stands_for);
}

static void
on_class (MonoProfiler *prof, MonoClass *klass)
{
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	handle = mono_profiler_create (NULL);
	if (strstr (desc, ":allocations")) {
		mono_profiler_enable_allocations ();
		mono_profiler_set_gc_event_callback (handle, on_gc);
	}
	if (strstr (desc, ":samples"))
		monocle_profiler_set_allocation_sampled_callback (handle, on_sampled);
	if (!strstr (desc, ":collector"))
		return;
	mono_profiler_set_gc_event_callback (handle, on_gc);
	mono_profiler_set_gc_resize_callback (handle, on_resize);
	mono_profiler_set_gc_finalizing_callback (handle, on_finalizing);
	mono_profiler_set_gc_finalized_callback (handle, on_finalized);
	mono_profiler_set_gc_finalizing_object_callback (handle, on_finalizing_object);
	mono_profiler_set_gc_finalized_object_callback (handle, on_finalized_object);
	mono_profiler_set_gc_handle_created_callback (handle, on_created);
	mono_profiler_set_gc_handle_deleted_callback (handle, on_deleted);
	mono_profiler_set_monitor_contention_callback (handle, on_contention);
	mono_profiler_set_monitor_acquired_callback (handle, on_acquired);
	mono_profiler_set_monitor_failed_callback (handle, on_failed);
}

static void
start (const char *modules)
{
	setenv ("MONOCLE_PROFILE", modules, 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
}

/* --- the runtime's events ----------------------------------------------------------------------------------------- */

/* One event; the payload is a list of sizes and values that ends with size 0. */
static ULONG metadata_size = 26;

static void
deliver (unsigned id, ...)
{
	uint8_t data[256];
	ULONG size = 0;
	va_list arguments;
	va_start (arguments, id);
	for (int width; (width = va_arg (arguments, int)); size += (ULONG) width) {
		uint64_t value = va_arg (arguments, uint64_t);
		memcpy (data + size, &value, (size_t) width);
	}
	va_end (arguments);
	uint8_t *exact = malloc (size + 1); /* so that a sanitizer sees who reads further */
	memcpy (exact + 1, data, size);
	monocle__callback_EventPipeEventDelivered (NULL, 1, id, 1, metadata_size, NULL, size, exact + 1, NULL, NULL, 0, 0,
	                                           NULL);
	free (exact);
}

#define U(x) ((uint64_t) (x))

static void
suspend (unsigned reason)
{
	deliver (9, 4, U (reason), 4, U (0), 2, U (0), 0);
	deliver (8, 2, U (0), 0);
}

static void
collect (unsigned number, unsigned generation, unsigned type)
{
	deliver (1, 4, U (number), 4, U (generation), 4, U (0), 4, U (type), 2, U (0), 8, U (0), 0);
}

static void
collected (unsigned number, unsigned generation)
{
	deliver (2, 4, U (number), 4, U (generation), 2, U (0), 0);
}

static void
size_is (uint64_t large)
{
	deliver (4, 8, U (1), 8, U (99), 8, U (2), 8, U (99), 8, U (4), 8, U (99), 8, large, 8, U (99), 8, U (99), 8,
	         U (99), 4, U (99), 4, U (99), 4, U (99), 2, U (99), 8, U (8), 8, U (99), 0);
}

static void
resume (void)
{
	deliver (7, 2, U (0), 0);
	deliver (3, 2, U (0), 0);
}

CHILD_TEST (a_collection_is_told_in_mono_s_order)
{
	start ("watch:collector");
	suspend (1);
	check_trace ("");
	collect (1, 0, 0);
	check_trace ("6/0s 10/0s 7/0s 0/0 ");
	collected (1, 0);
	size_is (1000);
	resume ();
	check_trace ("5/0 size=1015 8/0s 9/0s 11/0s ");
	suspend (1);
	collect (2, 2, 0);
	collected (2, 2);
	size_is (1000);
	resume ();
	check_trace ("6/2s 10/2s 7/2s 0/2 5/2 8/2s 9/2s 11/2s ");
	suspend (0); /* for a debugger, a profiler: no collection */
	resume ();
	resume ();
	collected (7, 2); /* began before anybody listened */
	check_trace ("");
}

CHILD_TEST (events_of_other_providers_mean_nothing)
{
	start ("watch:collector");
	metadata_size = 144; /* ProcessInfo, which the pipe sends when a session ends, is number 1 of its provider */
	suspend (1);
	collect (1, 0, 0);
	check_trace ("");
}

CHILD_TEST (collections_nest_in_one_in_the_background)
{
	start ("watch:collector");
	suspend (6);
	collect (1, 2, 1);
	collect (2, 1, 2);
	collected (2, 1);
	resume ();
	check_trace ("6/2 10/2 7/2 0/2s 0/1 5/1 8/2 9/2 11/2 ");
	suspend (1);
	collect (3, 0, 2);
	collected (3, 0);
	resume ();
	check_trace ("6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s ");
	suspend (6);
	resume ();
	check_trace ("6/2 10/2 7/2 8/2 9/2 11/2 ");
	collected (1, 2);
	check_trace ("5/2s ");
}

static void *
collect_as_another (void *unused)
{
	suspend (1);
	collect (2, 0, 0);
	collected (2, 0);
	resume ();
	return NULL;
}

static void *
collect_from_bed (void *unused)
{
	naps_take_bed (0);
	return collect_as_another (unused);
}

CHILD_TEST (a_pause_is_over_before_the_next_begins_whoever_is_slow)
{
	pthread_t thread;
	start ("watch:collector");
	suspend (1);
	collect (1, 1, 0);
	collected (1, 1);
	deliver (7, 2, U (0), 0);
	check_trace ("6/1s 10/1s 7/1s 0/1 5/1 8/1s ");
	CHECK (!pthread_create (&thread, NULL, collect_from_bed, NULL));
	naps_await (0);
	check_trace ("");
	deliver (3, 2, U (0), 0);
	naps_free_bed (0);
	pthread_join (thread, NULL);
	check_trace ("9/1s 11/1s 6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s ");
	suspend (1);
	collect (1, 1, 0);
	deliver (7, 2, U (0), 0);
	trace[0] = 0;
	CHECK (!pthread_create (&thread, NULL, collect_as_another, NULL)); /* and we never go on */
	pthread_join (thread, NULL);
	deliver (3, 2, U (0), 0);
	check_trace ("9/1s 11/1s 6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s ");
}

/* A module's callback takes so long that the next pause does not wait for it. */
CHILD_TEST (who_waits_in_vain_for_a_pause_s_end_does_not_say_it_again)
{
	start ("watch:collector");
	suspend (1);
	collect (1, 1, 0);
	collected (1, 1);
	deliver (7, 2, U (0), 0);
	trace[0] = 0;
	meanwhile = collect_as_another;
	deliver (3, 2, U (0), 0);
	check_trace ("6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s 9/1s 11/1s ");
}

static void *
begin_elsewhere (void *type)
{
	fake_collects = true;
	collect (1, type ? 2 : 1, type ? 1 : 0);
	return NULL;
}

static void *
end_elsewhere (void *type)
{
	fake_collects = true;
	collected (1, type ? 2 : 1);
	return NULL;
}

/* The step is told before its thread goes on, and on the same thread as the one before. */
static void
step_elsewhere (void *(*step) (void *), void *type, const char *should)
{
	pthread_t thread, before = teller;
	CHECK (!pthread_create (&thread, NULL, step, type));
	pthread_join (thread, NULL);
	check_trace (should);
	CHECK (!before || pthread_equal (before, teller));
	CHECK (!pthread_equal (teller, pthread_self ()));
}

static void *
make_handle_elsewhere (void *nothing)
{
	fake_collects = true;
	deliver (30, 8, U (0x9000), 8, U (0), 4, U (2), 4, U (0), 8, U (0), 2, U (0), 0);
	return NULL;
}

/* A module's lock is held for the collection on the thread that told of its begin. */
CHILD_TEST (the_same_thread_tells_of_handles_that_a_collector_makes)
{
	pthread_t thread;
	start ("watch:collector");
	fake_collects = true;
	suspend (1);
	step_elsewhere (begin_elsewhere, NULL, "6/1s 10/1s 7/1s 0/1 ");
	CHECK (!pthread_create (&thread, NULL, make_handle_elsewhere, NULL));
	pthread_join (thread, NULL);
	CHECK (pthread_equal (handle_teller, teller));
	fake_collects = false;
	deliver (30, 8, U (0x9008), 8, U (0), 4, U (2), 4, U (0), 8, U (0), 2, U (0), 0);
	CHECK (pthread_equal (handle_teller, pthread_self ()));
}

CHILD_TEST (one_thread_tells_of_a_collector_with_many)
{
	start ("watch:collector");
	fake_collects = true;
	suspend (1);
	step_elsewhere (begin_elsewhere, NULL, "6/1s 10/1s 7/1s 0/1 ");
	pthread_t first = teller;
	step_elsewhere (end_elsewhere, NULL, "5/1 ");
	size_is (1000);
	resume ();
	check_trace ("size=1015 8/1s 9/1s 11/1s ");
	CHECK (pthread_equal (first, teller));
	suspend (1);
	step_elsewhere (begin_elsewhere, "background", "6/2 10/2 7/2 0/2s ");
	resume ();
	check_trace ("8/2 9/2 11/2 ");
	step_elsewhere (end_elsewhere, "background", "5/2s ");
	CHECK (pthread_equal (first, teller));
}

/* Who waited for the end of that collection would wait for himself. */
CHILD_TEST (who_tells_of_a_collection_does_not_wait_for_the_next)
{
	start ("watch:collector");
	fake_collects = true;
	asks_for_more = true;
	suspend (1);
	step_elsewhere (begin_elsewhere, NULL, "6/1s 10/1s 7/1s 0/1 ");
	step_elsewhere (end_elsewhere, NULL, "5/1 ");
	resume ();
	FAKE_AWAIT (fake_forced == 8);
}

static void *
stop_for_something_else (void *unused)
{
	suspend (0);
	resume ();
	return NULL;
}

CHILD_TEST (a_collection_that_waits_for_its_turn_is_not_told_before)
{
	pthread_t thread;
	start ("watch:collector");
	suspend (1); /* waits for its turn */
	CHECK (!pthread_create (&thread, NULL, stop_for_something_else, NULL));
	pthread_join (thread, NULL);
	check_trace ("");
	collect (1, 0, 0);
	collected (1, 0);
	resume ();
	check_trace ("6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s ");
}

CHILD_TEST (an_object_that_may_have_moved_is_replaced_by_its_like)
{
	uintptr_t first[2] = { 0x1000 }, second[2] = { 0x2000 };
	start ("watch:collector");
	deliver (14, 2, U (0), 0);
	deliver (13, 4, U (0), 2, U (0), 0);
	check_trace ("finalizing finalized ");
	deliver (14, 2, U (0), 0);
	deliver (29, 8, U (1), 8, U (first), 2, U (0), 0);
	deliver (29, 8, U (1), 8, U (second), 2, U (0), 0);
	suspend (1);
	collect (1, 0, 0);
	collected (1, 0);
	resume ();
	deliver (13, 4, U (2), 2, U (0), 0);
	check_trace ("finalizing +object -object +object 6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s -like finalized ");
}

CHILD_TEST (handles_have_small_numbers_and_their_type_inside)
{
	uintptr_t object[2] = { 0x1000 };
	start ("watch:collector");
	deliver (30, 8, U (0x7f0010), 8, U (object), 4, U (2), 4, U (0), 8, U (0), 2, U (0), 0);
	deliver (30, 8, U (0x7f0018), 8, U (0), 4, U (0), 4, U (0), 8, U (0), 2, U (0), 0);
	deliver (30, 8, U (0x7f0018), 8, U (object), 4, U (0), 4, U (0), 8, U (0), 2, U (0), 0);
	check_trace ("+3:2 +9:0null ");
	deliver (30, 8, U (0x7f0020), 8, U (object), 4, U (6), 4, U (0), 8, U (0), 2, U (0), 0);
	deliver (31, 8, U (0x7f0020), 2, U (0), 0);
	deliver (31, 8, U (0x7f0028), 2, U (0), 0);
	check_trace ("");
	deliver (31, 8, U (0x7f0010), 2, U (0), 0);
	deliver (31, 8, U (0x7f0010), 2, U (0), 0);
	deliver (30, 8, U (0x7f0030), 8, U (object), 4, U (3), 4, U (0), 8, U (0), 2, U (0), 0);
	check_trace ("-3:2 +4:3 ");
}

static void
tick (uint64_t size)
{
	deliver (10, 4, U (102408), 4, U (0), 2, U (0), 8, U (102408), 8, U (0), 2, U ('A'), 2, U (0), 4, U (0), 8,
	         U (0x1000), 8, size, 0);
}

static void
draw (uint64_t size)
{
	deliver (303, 4, U (0), 2, U (0), 8, U (0), 2, U ('A'), 2, U ('B'), 2, U (0), 8, U (0x1000), 8, size, 8, U (0), 0);
}

/* s / (1 - e^(-s / 102400)) bytes. */
CHILD_TEST (an_object_that_is_drawn_stands_for_its_size_over_its_chance)
{
	start ("watch:samples");
	CHECK (fake_keywords == 0x80000000001);
	draw (24);
	draw (102400);
	draw (10240000);
	tick (24);
	check_trace ("24/102411 102400/161948 10240000/10240000 ");
}

CHILD_TEST (older_runtimes_tick)
{
	start ("watch:samples");
	monocle__clr_state.major = 9;
	tick (24);
	check_trace ("24/102408 ");
}

/* As after an attach that was over in the middle of things, and another one. */
static void
leave (void)
{
	monocle__voice_leave ();
	monocle__collector_leave ();
	monocle__gc_handle_leave ();
	trace[0] = 0;
}

CHILD_TEST (a_collection_whose_end_nobody_heard_is_forgotten)
{
	start ("watch:collector");
	suspend (1);
	collect (1, 2, 1);
	leave ();
	suspend (1);
	collect (7, 0, 0);
	collected (7, 0);
	resume ();
	check_trace ("6/0s 10/0s 7/0s 0/0 5/0 8/0s 9/0s 11/0s ");
}

CHILD_TEST (handles_that_went_unseen_are_forgotten)
{
	uintptr_t object[2] = { 0x1000 };
	start ("watch:collector");
	for (int turn = 0; turn < 2; turn++) {
		deliver (30, 8, U (0x7f0010), 8, U (object), 4, U (2), 4, U (0), 8, U (0), 2, U (0), 0);
		check_trace ("+3:2 ");
		leave ();
	}
	deliver (31, 8, U (0x7f0010), 2, U (0), 0);
	check_trace ("");
}

CHILD_TEST (an_object_that_moves_unseen_has_a_stand_in)
{
	uintptr_t first[2] = { 0x1000 }, second[2] = { 0x2000 };
	start ("watch:collector");
	deliver (29, 8, U (1), 8, U (first), 2, U (0), 0);
	leave ();
	deliver (29, 8, U (1), 8, U (second), 2, U (0), 0);
	check_trace ("-like +object ");
}

CHILD_TEST (indexes_of_handles_are_used_again)
{
	start ("watch:collector");
	for (uint64_t i = 1; i <= 5000; i++)
		monocle__gc_handle_created (i * 8, NULL, 2);
	for (uint64_t i = 1; i <= 5000; i++)
		monocle__gc_handle_destroyed (i * 8);
	trace[0] = 0;
	for (int round = 0; round < 100000; round++) {
		monocle__gc_handle_created (8 + (uintptr_t) round * 8, NULL, 2);
		monocle__gc_handle_destroyed (8 + (uintptr_t) round * 8);
		if (round < 99999)
			trace[0] = 0;
	}
	unsigned made = 0, gone = 1;
	CHECK (sscanf (trace, "+%u:2null -%u:2 ", &made, &gone) == 2);
	CHECK (made == gone && made >> 3 < 5000);
}

static void
wait_for (uintptr_t *lock, uintptr_t *object)
{
	deliver (81, 1, U (0), 2, U (0), 8, U (lock), 8, U (object), 8, U (0), 0);
}

CHILD_TEST (who_holds_a_lock_is_seen_from_the_lock)
{
	uintptr_t object[2] = { 0 }, lock[3] = { 1, 0, 0 };
	start ("watch:collector");
	wait_for (lock, object);
	deliver (91, 1, U (0), 2, U (0), 8, U (0), 0);
	check_trace ("wait acquired ");
	wait_for (lock, object);
	lock[2] = (uintptr_t) syscall (SYS_gettid);
	lock[1] = 7;
	deliver (91, 1, U (0), 2, U (0), 8, U (0), 0);
	check_trace ("wait acquired ");
	wait_for (lock, object);
	lock[2]++;
	deliver (91, 1, U (0), 2, U (0), 8, U (0), 0);
	check_trace ("wait failed ");
	wait_for (lock, object);
	lock[0] = lock[1] = lock[2] = 0;
	deliver (91, 1, U (0), 2, U (0), 8, U (0), 0);
	deliver (91, 1, U (0), 2, U (0), 8, U (0), 0);
	check_trace ("wait failed ");
}

CHILD_PRINTS (a_payload_that_is_too_short_is_dropped_and_said_once,
              "monocle: CoreCLR: event 1 of the runtime has 2 bytes, 16 are needed: it is dropped, like "
              "others of its kind\n")
{
	start ("watch:collector");
	for (unsigned id = 0; id < 400; id++)
		if (id != 3 && id != 7 && id != 13 && id != 14 && id != 91)
			deliver (id, 2, U (0xffff), 0);
	check_trace ("");
}

static void
on_suspension (MonoProfiler *prof, MonocleSuspensionPhase phase, MonocleSuspensionReason reason, uint64_t nanoseconds)
{
	note ("%d:%d%s ", phase, reason, nanoseconds ? "+" : "");
}

static MonocleExceptionPhase last_phase;

static void
on_phase (MonoProfiler *prof, MonocleExceptionPhase phase, MonoMethod *method, MonoObject *exception)
{
	last_phase = phase;
	note ("%d%s ", phase, exception ? "!" : "");
}

/* A nanosecond at least. */
static void
let_time_pass (void)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	while (monocle__nanoseconds (CLOCK_MONOTONIC) == now)
		;
}

static void *
suspend_as_another (void *unused)
{
	monocle__callback_RuntimeSuspendStarted (NULL, COR_PRF_SUSPEND_FOR_REJIT);
	return NULL;
}

CHILD_TEST (the_end_of_a_suspension_is_its_own_when_the_next_has_begun)
{
	pthread_t thread;
	start ("watch");
	monocle_profiler_set_suspension_callback (handle, on_suspension);
	monocle__callback_RuntimeSuspendStarted (NULL, COR_PRF_SUSPEND_FOR_GC);
	let_time_pass ();
	monocle__callback_RuntimeResumeStarted (NULL);
	CHECK (!pthread_create (&thread, NULL, suspend_as_another, NULL));
	pthread_join (thread, NULL);
	monocle__callback_RuntimeResumeFinished (NULL);
	check_trace ("0:1 3:1 0:8 4:1+ ");
}

CHILD_TEST (a_suspension_has_a_reason_and_a_duration)
{
	start ("watch");
	monocle_profiler_set_suspension_callback (handle, on_suspension);
	CHECK (fake_mask & COR_PRF_MONITOR_SUSPENDS);
	monocle__callback_RuntimeResumeFinished (NULL);
	monocle__callback_RuntimeSuspendStarted (NULL, COR_PRF_SUSPEND_FOR_GC);
	let_time_pass ();
	monocle__callback_RuntimeSuspendFinished (NULL);
	monocle__callback_RuntimeResumeStarted (NULL);
	monocle__callback_RuntimeResumeFinished (NULL);
	monocle__callback_RuntimeSuspendStarted (NULL, COR_PRF_SUSPEND_FOR_PROFILER);
	let_time_pass ();
	monocle__callback_RuntimeSuspendAborted (NULL);
	check_trace ("4:0 0:1 1:1+ 3:1 4:1+ 0:9 2:9+ ");
}

CHILD_TEST (a_suspension_has_nothing_of_the_one_before_it)
{
	start ("watch");
	monocle_profiler_set_suspension_callback (handle, on_suspension);
	for (int i = 0; i < 2; i++) {
		monocle__callback_RuntimeSuspendStarted (NULL, i ? COR_PRF_SUSPEND_FOR_REJIT : COR_PRF_SUSPEND_FOR_GC);
		let_time_pass ();
		monocle__callback_RuntimeResumeStarted (NULL);
		monocle__callback_RuntimeResumeFinished (NULL);
	}
	monocle__callback_RuntimeResumeFinished (NULL);
	check_trace ("0:1 3:1 4:1+ 0:8 3:8 4:8+ 4:0 ");
}

CHILD_TEST (every_phase_of_an_exception_has_its_number)
{
	start ("watch");
	monocle_profiler_set_exception_phase_callback (handle, on_phase);
	CHECK (fake_mask & COR_PRF_MONITOR_EXCEPTIONS);
	monocle__callback_ExceptionSearchFunctionEnter (NULL, 0);
	monocle__callback_ExceptionSearchFilterEnter (NULL, 0);
	monocle__callback_ExceptionSearchFilterLeave (NULL);
	monocle__callback_ExceptionSearchCatcherFound (NULL, 0);
	monocle__callback_ExceptionSearchFunctionLeave (NULL);
	monocle__callback_ExceptionUnwindFunctionEnter (NULL, 0);
	monocle__callback_ExceptionUnwindFinallyEnter (NULL, 0);
	monocle__callback_ExceptionUnwindFinallyLeave (NULL);
	monocle__callback_ExceptionUnwindFunctionLeave (NULL);
	monocle__callback_ExceptionCatcherEnter (NULL, 0, 0x1000);
	monocle__callback_ExceptionCatcherLeave (NULL);
	check_trace ("0 2 3 4 1 5 7 8 6 9! 10 ");
	CHECK (last_phase == MONOCLE_EXCEPTION_CATCHER_LEAVE);
}

/* Only a frame that is found by asking the runtime for the stack: this process has no managed code. */
CHILD_TEST (an_exception_below_managed_code_leaves_the_mask_alone)
{
	static fake_module nowhere;
	static fake_function function = { .module = &nowhere };
	fake_frame = ID (&function);
	start ("watch");
	monocle_profiler_set_exception_phase_callback (handle, on_phase);
	monocle__callback_ExceptionThrown (NULL, 0x1000);
	CHECK (fake_mask & COR_PRF_MONITOR_EXCEPTIONS);
}

CHILD_TEST (of_an_exception_without_managed_code_below_it_nothing_more_is_asked)
{
	start ("watch");
	monocle_profiler_set_exception_phase_callback (handle, on_phase);
	CHECK (fake_mask & COR_PRF_MONITOR_EXCEPTIONS);
	monocle__callback_ExceptionThrown (NULL, 0x1000);
	CHECK (!(fake_mask & COR_PRF_MONITOR_EXCEPTIONS));
	CHECK (fake_mask & COR_PRF_MONITOR_MODULE_LOADS);
	mono_profiler_set_exception_throw_callback (handle, on_acquired);
	mono_profiler_set_class_loaded_callback (handle, on_class);
	CHECK (fake_mask & COR_PRF_MONITOR_CLASS_LOADS);
	CHECK (!(fake_mask & COR_PRF_MONITOR_EXCEPTIONS));
}

/* --- what is asked for -------------------------------------------------------------------------------------------- */

CHILD_TEST (nothing_is_asked_for_before_somebody_listens)
{
	start ("watch");
	CHECK (fake_high_mask == COR_PRF_HIGH_BASIC_GC && fake_sessions == 0);
	mono_profiler_set_gc_event_callback (handle, on_gc);
	FAKE_AWAIT (fake_keywords == 1);
	CHECK (fake_high_mask == (COR_PRF_HIGH_BASIC_GC | COR_PRF_HIGH_MONITOR_EVENT_PIPE) && fake_level == 4);
	mono_profiler_set_gc_event_callback (handle, NULL);
	mono_profiler_set_gc_handle_created_callback (handle, on_created);
	FAKE_AWAIT (fake_keywords == 3);
	CHECK (fake_sessions == 2);
	mono_profiler_set_gc_finalizing_object_callback (handle, on_finalizing_object);
	FAKE_AWAIT (fake_level == 5);
	monocle__callback_Shutdown (NULL);
}

static void
on_roots (MonoProfiler *prof, uint64_t count, const mono_byte *const *addresses, MonoObject *const *objects)
{
	for (uint64_t i = 0; i < count; i++)
		note ("%lx@%lu ", (unsigned long) objects[i], (unsigned long) addresses[i]);
}

/* Of a stack, a weak one, of a handle, of something new. */
CHILD_TEST (who_asks_for_roots_late_has_those_of_forced_collections)
{
	start ("watch");
	mono_profiler_set_gc_roots_callback (handle, on_roots);
	FAKE_AWAIT (fake_keywords == 0x100001);
	CHECK (!(fake_mask & COR_PRF_MONITOR_GC));
	deliver (16, 4, U (0), 4, U (4), 2, U (0),               /* */
	         8, U (0x10), 1, U (0), 4, U (0), 8, U (0x7000), /* */
	         8, U (0x20), 1, U (2), 4, U (2), 8, U (0x7008), /* */
	         8, U (0x30), 1, U (2), 4, U (1), 8, U (0x7010), /* */
	         8, U (0x40), 1, U (77), 4, U (0), 8, U (0x7018), 0);
	check_trace ("10@5 30@6 40@7 ");
	deliver (16, 4, U (1), 4, U (1000), 2, U (0), 8, U (0x50), 1, U (1), 4, U (0), 8, U (0), 0); /* and no more */
	check_trace ("50@1 ");
}

CHILD_PRINTS (a_refused_flag_is_named_by_its_event_and_costs_nobody_else,
              "monocle: CoreCLR: exception_throw cannot be had any more: the runtime refuses flags "
              "0x40/0x0: E_FAIL (0x80004005)\n")
{
	fake_refused_flags = COR_PRF_MONITOR_EXCEPTIONS;
	start ("watch");
	mono_profiler_set_exception_throw_callback (handle, on_acquired);
	mono_profiler_set_class_loaded_callback (handle, on_class);
	CHECK (fake_mask & COR_PRF_MONITOR_CLASS_LOADS);
}

CHILD_PRINTS (a_flag_refused_from_the_start_costs_nobody_else_either,
              "monocle: CoreCLR: gc_allocation cannot be had any more: the runtime refuses flags 0x800100/0x0: "
              "E_FAIL (0x80004005)\n")
{
	fake_refused_flags = COR_PRF_ENABLE_OBJECT_ALLOCATED;
	start ("watch:allocations");
	CHECK (fake_mask & COR_PRF_MONITOR_MODULE_LOADS);
	CHECK (fake_high_mask & COR_PRF_HIGH_MONITOR_EVENT_PIPE);
	CHECK (fake_keywords == 1);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_collection_is_told_in_mono_s_order),
		cmocka_unit_test (who_asks_for_roots_late_has_those_of_forced_collections),
		cmocka_unit_test (events_of_other_providers_mean_nothing),
		cmocka_unit_test (collections_nest_in_one_in_the_background),
		cmocka_unit_test (an_object_that_may_have_moved_is_replaced_by_its_like),
		cmocka_unit_test (handles_have_small_numbers_and_their_type_inside),
		cmocka_unit_test (an_object_that_is_drawn_stands_for_its_size_over_its_chance),
		cmocka_unit_test (older_runtimes_tick),
		cmocka_unit_test (a_collection_whose_end_nobody_heard_is_forgotten),
		cmocka_unit_test (handles_that_went_unseen_are_forgotten),
		cmocka_unit_test (an_object_that_moves_unseen_has_a_stand_in),
		cmocka_unit_test (indexes_of_handles_are_used_again),
		cmocka_unit_test (who_holds_a_lock_is_seen_from_the_lock),
		cmocka_unit_test (a_payload_that_is_too_short_is_dropped_and_said_once),
		cmocka_unit_test (a_suspension_has_a_reason_and_a_duration),
		cmocka_unit_test (a_suspension_has_nothing_of_the_one_before_it),
		cmocka_unit_test (the_end_of_a_suspension_is_its_own_when_the_next_has_begun),
		cmocka_unit_test (a_pause_is_over_before_the_next_begins_whoever_is_slow),
		cmocka_unit_test (who_waits_in_vain_for_a_pause_s_end_does_not_say_it_again),
		cmocka_unit_test (one_thread_tells_of_a_collector_with_many),
		cmocka_unit_test (the_same_thread_tells_of_handles_that_a_collector_makes),
		cmocka_unit_test (who_tells_of_a_collection_does_not_wait_for_the_next),
		cmocka_unit_test (a_collection_that_waits_for_its_turn_is_not_told_before),
		cmocka_unit_test (every_phase_of_an_exception_has_its_number),
		cmocka_unit_test (an_exception_below_managed_code_leaves_the_mask_alone),
		cmocka_unit_test (of_an_exception_without_managed_code_below_it_nothing_more_is_asked),
		cmocka_unit_test (nothing_is_asked_for_before_somebody_listens),
		cmocka_unit_test (a_refused_flag_is_named_by_its_event_and_costs_nobody_else),
		cmocka_unit_test (a_flag_refused_from_the_start_costs_nobody_else_either),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

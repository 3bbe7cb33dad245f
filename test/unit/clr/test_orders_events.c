/*
 * SPDX-License-Identifier: MIT
 *
 * test_orders_events.c - what modules are told of pauses, handles and threads, and asked of methods, in every order of
 * the threads that tell and ask.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <mono/jit/jit.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/threads.h>
#include "fake-runtime.h"
#include "heap/collector.h"
#include "heap/gc-handle.h"
#include "heap/voice.h"
#include "house.h"
#include "orders.h"
#include "probes/probing.h"
#include "quiet.h"
#include "trace.h"

static MonoProfilerHandle handle;

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	handle = mono_profiler_create (NULL);
}

static void
start_once (void)
{
	static bool is_started;
	if (is_started)
		return;
	is_started = true;
	setenv ("MONOCLE_PROFILE", "watch", 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
}

/* --- pauses ------------------------------------------------------------------------------------------------------- */

enum { FOR_A_COLLECTION = 1, OLD = 0x9000, NEW = 0x9008 };

static void
on_gc (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	note ("%d/%u ", event, generation);
}

static atomic_bool world_starts;

static void
begin_pause (uint32_t number, uint32_t generation)
{
	monocle__collector_start (number, generation, 0);
	monocle__collector_end (number, generation);
	monocle__collector_starting_world ();
}

static void
listen_to_pauses (void)
{
	start_once ();
	mono_profiler_set_gc_event_callback (handle, on_gc);
	monocle__collector_leave ();
	atomic_store (&world_starts, false);
	trace[0] = 0;
}

static void
pause_first (void)
{
	monocle__collector_stopping (FOR_A_COLLECTION);
	begin_pause (1, 1);
	atomic_store (&world_starts, true);
	MONOCLE__PAUSE (world_is_let_go);
	monocle__collector_started_world ();
}

/* It may say that it will stop the world at any time, and does so when the runtime lets it: one at a time. */
static void
pause_second (void)
{
	monocle__collector_stopping (FOR_A_COLLECTION);
	while (!atomic_load (&world_starts))
		MONOCLE__PAUSE_WAITS (world_is_stopped);
	begin_pause (2, 0);
	monocle__collector_started_world ();
}

static void
pauses_come_one_after_the_other (void)
{
	check_trace ("6/1 10/1 7/1 0/1 5/1 8/1 9/1 11/1 6/0 10/0 7/0 0/0 5/0 8/0 9/0 11/0 ");
}

static void
a_pause_is_told_to_be_over_before_the_next_begins (void **state)
{
	orders_run (&(orders) {
	    .name = "pauses",
	    .prepare = listen_to_pauses,
	    .check = pauses_come_one_after_the_other,
	    .threads = { { "one", pause_first }, { "two", pause_second } },
	    .meets = "collector_ends_pause collector_tells_end world_is_stopped sleep",
	});
}

/* --- objects that may not move ------------------------------------------------------------------------------------ */

static atomic_bool is_held, is_stopped;

static void
listen_to_holders (void)
{
	listen_to_pauses ();
	atomic_store (&is_held, false);
	atomic_store (&is_stopped, false);
}

static void
hold_once (void)
{
	CHECK (monocle__collector_hold ());
	atomic_store (&is_held, true);
	CHECK (!atomic_load (&is_stopped));
	MONOCLE__PAUSE (object_is_told_of);
	CHECK (!atomic_load (&is_stopped));
	atomic_store (&is_held, false);
	monocle__collector_let_go ();
}

static void
pause_while_held (void)
{
	monocle__collector_stopping (FOR_A_COLLECTION);
	atomic_store (&is_stopped, true);
	CHECK (!atomic_load (&is_held));
	MONOCLE__PAUSE (objects_move);
	CHECK (!atomic_load (&is_held));
	atomic_store (&is_stopped, false);
	begin_pause (1, 0);
	monocle__collector_started_world ();
}

static void
the_pause_was_told (void)
{
	check_trace ("6/0 10/0 7/0 0/0 5/0 8/0 9/0 11/0 ");
}

static void
no_collection_begins_while_an_object_is_told_of (void **state)
{
	orders_run (&(orders) {
	    .name = "holders",
	    .prepare = listen_to_holders,
	    .check = the_pause_was_told,
	    .threads = { { "tells", hold_once }, { "collects", pause_while_held } },
	    .meets = "collector_holds collector_awaits_holders object_is_told_of objects_move sleep",
	});
}

/* --- one voice ---------------------------------------------------------------------------------------------------- */

static pthread_mutex_t module_lock;
static atomic_bool world_is_stopped, heap_is_ready;
static _Atomic (pthread_t) teller;

/* As Mono's own log profiler does it: its lock is taken in one event and given back in another. */
static void
on_gc_with_lock (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD) {
		pthread_mutex_lock (&module_lock);
		atomic_store (&teller, pthread_self ());
	}
	CHECK (pthread_equal (atomic_load (&teller), pthread_self ()));
	if (event == MONO_GC_EVENT_POST_START_WORLD_UNLOCKED)
		pthread_mutex_unlock (&module_lock);
}

static void
on_created_with_lock (MonoProfiler *prof, uint32_t number, MonoGCHandleType type, MonoObject *object)
{
	pthread_mutex_lock (&module_lock);
	pthread_mutex_unlock (&module_lock);
}

static void
collect_on_many_threads (void)
{
	pthread_mutexattr_t attributes;
	start_once ();
	monocle__gc_handle_leave ();
	monocle__collector_leave ();
	monocle__voice_begin ();
	pthread_mutexattr_init (&attributes);
	pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init (&module_lock, &attributes);
	mono_profiler_set_gc_event_callback (handle, on_gc_with_lock);
	mono_profiler_set_gc_handle_created_callback (handle, on_created_with_lock);
	atomic_store (&world_is_stopped, false);
	atomic_store (&heap_is_ready, false);
}

/* It stops the world, and lets it go when the others are ready. */
static void
collect_first_heap (void)
{
	fake_collects = true;
	monocle__collector_stopping (FOR_A_COLLECTION);
	monocle__collector_start (1, 1, 0);
	atomic_store (&world_is_stopped, true);
	while (!atomic_load (&heap_is_ready))
		MONOCLE__PAUSE_WAITS (heap_is_collected);
	monocle__collector_starting_world ();
	monocle__collector_started_world ();
}

/* It makes a handle of its own meanwhile, and says that the collection is over. */
static void
collect_second_heap (void)
{
	fake_collects = true;
	while (!atomic_load (&world_is_stopped))
		MONOCLE__PAUSE_WAITS (world_runs);
	monocle__gc_handle_created (NEW, NULL, MONO_GC_HANDLE_NORMAL);
	monocle__collector_end (1, 1);
	atomic_store (&heap_is_ready, true);
}

static void
one_thread_tells_what_all_of_the_collector_s_do (void **state)
{
	orders_run (&(orders) {
	    .name = "voice",
	    .prepare = collect_on_many_threads,
	    .clean_up = monocle__voice_leave,
	    .threads = { { "first", collect_first_heap },
	                 { "second", collect_second_heap },
	                 { "voice", .adopts = "voice_begins" } },
	    .meets = "voice_has_words voice_asked heap_is_collected world_runs",
	    .switches = 3,
	});
}

/* --- numbers of handles ------------------------------------------------------------------------------------------- */

static atomic_uint told, end_told, beginning_told; /* when */
static atomic_uint old_number, new_number;

static void
on_created (MonoProfiler *prof, uint32_t number, MonoGCHandleType type, MonoObject *object)
{
	atomic_store (&beginning_told, atomic_fetch_add (&told, 1));
	atomic_store (&new_number, number);
}

static void
on_deleted (MonoProfiler *prof, uint32_t number, MonoGCHandleType type)
{
	atomic_store (&end_told, atomic_fetch_add (&told, 1));
	CHECK (number == atomic_load (&old_number));
}

static void
make_old_handle (void)
{
	start_once ();
	monocle__gc_handle_leave ();
	mono_profiler_set_gc_handle_created_callback (handle, on_created);
	mono_profiler_set_gc_handle_deleted_callback (handle, on_deleted);
	monocle__gc_handle_created (OLD, NULL, MONO_GC_HANDLE_NORMAL);
	atomic_store (&old_number, atomic_load (&new_number));
}

static void
destroy_old_handle (void)
{
	monocle__gc_handle_destroyed (OLD);
}

static void
make_new_handle (void)
{
	monocle__gc_handle_created (NEW, NULL, MONO_GC_HANDLE_NORMAL);
}

static void
a_number_was_free (void)
{
	CHECK (atomic_load (&new_number) != atomic_load (&old_number) ||
	       atomic_load (&end_told) < atomic_load (&beginning_told));
}

static void
a_number_is_not_made_again_before_its_end_was_told (void **state)
{
	orders_run (&(orders) {
	    .name = "handles",
	    .prepare = make_old_handle,
	    .check = a_number_was_free,
	    .threads = { { "destroy", destroy_old_handle }, { "make", make_new_handle } },
	    .meets = "gc_handle_taken_out gc_handle_end_told",
	});
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static atomic_bool is_alive, first_is_dead;
static _Atomic uintptr_t about; /* the thread that the test is about */

static void
on_started (MonoProfiler *prof, uintptr_t tid)
{
	atomic_store (&about, tid);
	CHECK (!atomic_exchange (&is_alive, true));
}

static void
on_stopped (MonoProfiler *prof, uintptr_t tid)
{
	CHECK (tid == atomic_load (&about) && atomic_exchange (&is_alive, false));
}

static void
listen_to_threads (void)
{
	start_once ();
	mono_profiler_set_thread_started_callback (handle, on_started);
	mono_profiler_set_thread_stopped_callback (handle, on_stopped);
	atomic_store (&first_is_dead, false);
}

/* As two threads of which the second one has the pthread_t of the first. */
static void
be_two_threads (void)
{
	DWORD os_thread = (DWORD) gettid ();
	monocle__callback_ThreadAssignedToOSThread (NULL, 1, os_thread);
	CHECK (mono_thread_current ());
	atomic_store (&first_is_dead, true);
	MONOCLE__PAUSE (first_has_ended);
	monocle__callback_ThreadAssignedToOSThread (NULL, 2, os_thread);
	MONOCLE__PAUSE (second_runs);
	CHECK (atomic_load (&is_alive) && mono_thread_current ());
	monocle__callback_ThreadDestroyed (NULL, 2);
}

/* The runtime does so late, or not before all is over: then what the second one begins with ends the first. */
static void
bury_first (void)
{
	while (!atomic_load (&first_is_dead))
		MONOCLE__PAUSE_WAITS (first_lives);
	monocle__callback_ThreadDestroyed (NULL, 1);
}

static void
both_have_ended (void)
{
	CHECK (!atomic_load (&is_alive));
	monocle__callback_ThreadDestroyed (NULL, 1);
}

static void
a_thread_begins_when_the_end_of_its_predecessor_was_told (void **state)
{
	orders_run (&(orders) {
	    .name = "threads",
	    .prepare = listen_to_threads,
	    .check = both_have_ended,
	    .threads = { { "runs", be_two_threads }, { "finalizer", bury_first } },
	    .meets = "thread_ending thread_exited thread_starts thread_has_tid sleep",
	});
}

/* --- filters ------------------------------------------------------------------------------------------------------ */

static fake_module house = { .path = u"/srv/house.exe", .is_mapped = true };
static atomic_bool new_is_asked;

static MonoProfilerCallInstrumentationFlags
old_filter (MonoProfiler *prof, MonoMethod *method)
{
	return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static MonoProfilerCallInstrumentationFlags
new_filter (MonoProfiler *prof, MonoMethod *method)
{
	atomic_store (&new_is_asked, true);
	return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static void
ask_about_main (void)
{
	bool is_new;
	monocle__clr_image *image = monocle__clr_image_find (ID (&house));
	CHECK (image && monocle__probing_ensure (image, HOUSE_MAIN, 0, &is_new) == MONOCLE__METHOD_PLAIN);
}

static void
answer_by_old_filter (void)
{
	start_once ();
	if (!house.data) {
		house.data = house_data ();
		fake_load (&house);
	}
	mono_profiler_set_call_instrumentation_filter_callback (handle, old_filter);
	ask_about_main ();
	atomic_store (&new_is_asked, false);
}

static void
set_new_filter (void)
{
	mono_profiler_set_call_instrumentation_filter_callback (handle, new_filter);
	MONOCLE__PAUSE (filter_set);
	ask_about_main ();
	CHECK (atomic_load (&new_is_asked));
}

static void
new_filter_is_asked_once_more (void)
{
	CHECK (atomic_load (&new_is_asked));
}

static void
a_filter_that_comes_while_another_answers_is_asked (void **state)
{
	orders_run (&(orders) {
	    .name = "filters",
	    .prepare = answer_by_old_filter,
	    .check = new_filter_is_asked_once_more,
	    .threads = { { "set", set_new_filter }, { "ask", ask_about_main } },
	    .meets = "probing_in_epoch probing_answered probing_forgot",
	});
}

/* The image is new to both. */
static void
answer_nothing_yet (void)
{
	answer_by_old_filter ();
	fake_unload (&house);
	fake_load (&house);
}

static void
a_filter_that_comes_with_the_first_answer_is_asked (void **state)
{
	orders_run (&(orders) {
	    .name = "first_answers",
	    .prepare = answer_nothing_yet,
	    .check = new_filter_is_asked_once_more,
	    .threads = { { "set", set_new_filter }, { "ask", ask_about_main } },
	    .meets = "probing_in_epoch probing_answered",
	});
}

/* Its body is ours already, and only the answer is missing: that it was written meanwhile is what is asked. */
static _Thread_local bool has_asked;

static MonoProfilerCallInstrumentationFlags
wanting_filter (MonoProfiler *prof, MonoMethod *method)
{
	has_asked = true;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

static void
have_a_stale_callee (void)
{
	answer_by_old_filter ();
	mono_profiler_set_call_instrumentation_filter_callback (handle, wanting_filter);
	monocle__clr_image *image = monocle__clr_image_find (ID (&house));
	atomic_store (&image->flags[(HOUSE_MAIN & 0xFFFFFF) - 1], MONO_PROFILER_CALL_INSTRUMENTATION_ENTER);
	atomic_store (&image->methods[(HOUSE_MAIN & 0xFFFFFF) - 1], MONOCLE__METHOD_STALE);
}

static void
inline_callee (void)
{
	bool is_new;
	monocle__clr_image *image = monocle__clr_image_find (ID (&house));
	has_asked = false;
	CHECK (monocle__probing_ensure (image, HOUSE_MAIN, 0, &is_new) == MONOCLE__METHOD_HANDLED);
	CHECK (is_new || !has_asked);
}

/* Both compilers may have read the body that was there before. */
static void
no_thread_inlines_a_body_that_another_one_replaces (void **state)
{
	orders_run (&(orders) {
	    .name = "inlining",
	    .prepare = have_a_stale_callee,
	    .threads = { { "one", inline_callee }, { "two", inline_callee } },
	    .meets = "probing_in_epoch probing_answered",
	});
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static atomic_bool is_hidden, is_freed;

static void
begin_again (void)
{
	start_once ();
	atomic_store (&is_hidden, false);
	atomic_store (&is_freed, false);
}

/* As the runtime's callbacks: counted, and a module is called unless all is hidden. */
static void
call_back (void)
{
	for (int i = 0; i < 2; i++) {
		unsigned side = monocle__quiet_enter ();
		MONOCLE__PAUSE (callback_is_counted);
		if (!atomic_load (&is_hidden)) {
			MONOCLE__PAUSE (module_is_called);
			CHECK (!atomic_load (&is_freed));
		}
		monocle__quiet_leave (side);
		MONOCLE__PAUSE (callback_is_over);
	}
}

static void
free_in_silence (void)
{
	atomic_store (&is_hidden, true);
	MONOCLE__PAUSE (all_is_hidden);
	CHECK (monocle__quiet_silence (NULL));
	atomic_store (&is_freed, true);
}

static void
a_module_frees_when_no_callback_is_inside (void **state)
{
	orders_run (&(orders) {
	    .name = "silence",
	    .prepare = begin_again,
	    .threads = { { "callback", call_back }, { "end", free_in_silence } },
	    .meets = "module_is_called all_is_hidden quiet_side_changed quiet_waits callback_is_over",
	});
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_pause_is_told_to_be_over_before_the_next_begins),
		cmocka_unit_test (no_collection_begins_while_an_object_is_told_of),
		cmocka_unit_test (one_thread_tells_what_all_of_the_collector_s_do),
		cmocka_unit_test (a_number_is_not_made_again_before_its_end_was_told),
		cmocka_unit_test (a_thread_begins_when_the_end_of_its_predecessor_was_told),
		cmocka_unit_test (a_filter_that_comes_while_another_answers_is_asked),
		cmocka_unit_test (a_filter_that_comes_with_the_first_answer_is_asked),
		cmocka_unit_test (no_thread_inlines_a_body_that_another_one_replaces),
		cmocka_unit_test (a_module_frees_when_no_callback_is_inside),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

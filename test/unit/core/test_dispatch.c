/*
 * SPDX-License-Identifier: MIT
 *
 * test_dispatch.c - handles, setters, counts and raise functions, under a scripted host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <monocle/host.h>
#include <mono/jit/jit.h>
#include "../../seed.h"
#include "child.h"

/* What happened, as one string of words. */
static char trace[4096];

static void
note (const char *word)
{
	snprintf (trace + strlen (trace), sizeof trace - strlen (trace), "%s%s", trace[0] ? " " : "", word);
}

static void
note_both (const char *left, const char *right)
{
	char word[128];

	snprintf (word, sizeof word, "%s%s", left, right ? right : "(null)");
	note (word);
}

static void
host_event_wanted (void *host, monocle_event event, int wanted)
{
	note_both (wanted ? "+" : "-", monocle_event_name (event));
}

static const monocle_host_ops quiet_host = {
	.size = sizeof quiet_host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
};
static const monocle_host_ops noting_host = {
	.size = sizeof noting_host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.event_wanted = host_event_wanted,
};

static void
start (void)
{
	CHECK (monocle_host_init (&quiet_host) == MONOCLE_OK);
	monocle_host_startup_done ();
}

/* A handle whose prof is its name. */
static MonoProfilerHandle
handle_named (const char *name)
{
	return mono_profiler_create ((MonoProfiler *) name);
}

static void
on_jit_begin (MonoProfiler *prof, MonoMethod *method)
{
	note_both ("jit:", (const char *) prof);
}

static void
on_jit_begin_too (MonoProfiler *prof, MonoMethod *method)
{
	note_both ("other:", (const char *) prof);
}

static void
on_cleanup (MonoProfiler *prof)
{
	note_both ("cleanup:", (const char *) prof);
}

/* --- order and slots ---------------------------------------------------------------------------------------------- */

CHILD_TEST (dispatch_runs_the_newest_handle_first)
{
	start ();
	mono_profiler_set_jit_begin_callback (handle_named ("a"), on_jit_begin);
	mono_profiler_set_jit_begin_callback (handle_named ("b"), on_jit_begin);
	mono_profiler_set_jit_begin_callback (handle_named ("c"), on_jit_begin);
	monocle_raise_jit_begin (NULL);
	CHECK_STRING (trace, "jit:c jit:b jit:a");
}

CHILD_TEST (dispatch_skips_a_handle_without_callback)
{
	start ();
	mono_profiler_set_jit_begin_callback (handle_named ("a"), on_jit_begin);
	MonoProfilerHandle b = handle_named ("b");
	mono_profiler_set_jit_begin_callback (handle_named ("c"), on_jit_begin);
	mono_profiler_set_jit_failed_callback (b, on_jit_begin);
	monocle_raise_jit_begin (NULL);
	CHECK_STRING (trace, "jit:c jit:a");
}

CHILD_TEST (a_second_callback_replaces_the_first_and_null_removes_it)
{
	start ();
	MonoProfilerHandle a = handle_named ("a");
	mono_profiler_set_jit_begin_callback (a, on_jit_begin);
	mono_profiler_set_jit_begin_callback (a, on_jit_begin_too);
	monocle_raise_jit_begin (NULL);
	mono_profiler_set_jit_begin_callback (a, NULL);
	monocle_raise_jit_begin (NULL);
	CHECK_STRING (trace, "other:a");
}

CHILD_TEST (a_handle_may_have_no_prof)
{
	start ();
	mono_profiler_set_jit_begin_callback (mono_profiler_create (NULL), on_jit_begin);
	monocle_raise_jit_begin (NULL);
	CHECK_STRING (trace, "jit:(null)");
}

CHILD_TEST (setters_ignore_the_null_handle_of_a_failed_create)
{
	start ();
	mono_profiler_set_jit_begin_callback (NULL, on_jit_begin);
	mono_profiler_set_cleanup_callback (NULL, on_cleanup);
	mono_profiler_set_coverage_filter_callback (NULL, NULL);
	mono_profiler_set_call_instrumentation_filter_callback (NULL, NULL);
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_jit_begin] == 0);
}

static MonoProfilerHandle nested_handle;

static void
on_thread_started (MonoProfiler *prof, uintptr_t tid)
{
	note (">thread");
	mono_profiler_set_jit_begin_callback (nested_handle, on_jit_begin);
	monocle_raise_jit_begin (NULL);
	mono_profiler_set_jit_begin_callback (handle_named ("born"), on_jit_begin);
	monocle_raise_jit_begin (NULL);
	note ("<thread");
}

CHILD_TEST (a_callback_may_raise_create_and_set)
{
	start ();
	nested_handle = handle_named ("a");
	mono_profiler_set_thread_started_callback (nested_handle, on_thread_started);
	monocle_raise_thread_started (1);
	CHECK_STRING (trace, ">thread jit:a jit:born jit:a <thread");
}

/* --- every row ---------------------------------------------------------------------------------------------------- */

static unsigned calls[MONOCLE_EVENT_COUNT];

#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, ...) \
	static void count_##name parameters \
	{ \
		calls[MONOCLE_EVENT_##name]++; \
	}
#include <monocle/event-rows.h>

static void
set_and_raise_all (MonoProfilerHandle handle)
{
#define MONOCLE_EVENT_TYPE(type) (type) 0
#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, raised, arguments, count, zeros, names) \
	setter (handle, count_##name); \
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_##name] == 1); \
	monocle_raise_##name zeros;
#include <monocle/event-rows.h>
}

CHILD_TEST (every_event_reaches_its_own_callback)
{
	start ();
	set_and_raise_all (handle_named ("a"));
	for (int event = 0; event < MONOCLE_EVENT_COUNT; event++)
		CHECK (calls[event] == (monocle_event_name ((monocle_event) event) != NULL));
}

/* Compiled hosts count by them. */
CHILD_TEST (events_keep_their_numbers_and_both_tables_can_grow)
{
	CHECK (MONOCLE_EVENT_runtime_initialized == 0);
	CHECK (MONOCLE_EVENT_method_samplepoint == 63);
	CHECK (MONOCLE_EVENT_exception_phase == 128);
	CHECK (MONOCLE_EVENT_transition == 136);
	for (int event = MONOCLE_EVENT_MONO_END; event < MONOCLE_EVENT_EXT_BEGIN; event++)
		CHECK (!monocle_event_name ((monocle_event) event));
}

CHILD_TEST (a_host_that_does_not_say_delivers_monos_events_and_no_others)
{
	start ();
	CHECK_STRING (monocle_event_name (MONOCLE_EVENT_gc_event), "gc_event");
	CHECK (!monocle_event_name (MONOCLE_EVENT_COUNT));
	CHECK (monocle_event_support ("gc_event") == MONOCLE_SUPPORT_EXACT);
	CHECK (monocle_event_support ("method_samplepoint") == MONOCLE_SUPPORT_EXACT);
	CHECK (monocle_event_support ("exception_phase") == MONOCLE_SUPPORT_NONE);
	CHECK (monocle_event_support ("gc_event2") == MONOCLE_SUPPORT_NONE);
	CHECK (monocle_event_support (NULL) == MONOCLE_SUPPORT_NONE);
}

static void
on_root (MonoProfiler *prof, const mono_byte *begin, uintptr_t size, MonoGCRootSource source, const void *key,
         const char *name)
{
	snprintf (trace, sizeof trace, "%s %d %d %d %d %s", (const char *) prof, (int) (uintptr_t) begin, (int) size,
	          (int) source, (int) (uintptr_t) key, name);
}

CHILD_TEST (arguments_arrive_in_the_rows_order)
{
	start ();
	mono_profiler_set_gc_root_register_callback (handle_named ("a"), on_root);
	monocle_raise_gc_root_register ((const mono_byte *) 1, 2, MONO_ROOT_SOURCE_STATIC, (const void *) 4, "five");
	CHECK_STRING (trace, "a 1 2 3 4 five");
}

/* --- the host's view ---------------------------------------------------------------------------------------------- */

CHILD_TEST (the_count_is_the_number_of_handles_that_listen)
{
	start ();
	const uint32_t *count = &monocle_event_counts ()[MONOCLE_EVENT_jit_begin];
	MonoProfilerHandle a = handle_named ("a"), b = handle_named ("b");

	CHECK (*count == 0);
	mono_profiler_set_jit_begin_callback (a, on_jit_begin);
	mono_profiler_set_jit_begin_callback (b, on_jit_begin);
	CHECK (*count == 2);
	mono_profiler_set_jit_begin_callback (b, on_jit_begin_too);
	CHECK (*count == 2);
	mono_profiler_set_jit_begin_callback (a, NULL);
	mono_profiler_set_jit_begin_callback (a, NULL);
	CHECK (*count == 1);
	mono_profiler_set_jit_begin_callback (b, NULL);
	CHECK (*count == 0);
}

CHILD_TEST (nothing_is_delivered_before_startup_is_done_and_after_shutdown)
{
	const uint32_t *count = &monocle_event_counts ()[MONOCLE_EVENT_jit_begin];
	struct _MonoProfilerDesc *const *first = monocle_event_handles ();
	MonoProfilerHandle a = handle_named ("a");

	mono_profiler_set_jit_begin_callback (a, on_jit_begin);
	CHECK (monocle_host_init (&quiet_host) == MONOCLE_OK);
	monocle_raise_jit_begin (NULL);
	CHECK (*first == NULL && *count == 0);
	monocle_host_startup_done ();
	CHECK (*first == a && *count == 1);
	monocle_raise_jit_begin (NULL);
	monocle_host_shutdown ();
	CHECK (*first == NULL && *count == 0);
	monocle_raise_jit_begin (NULL);
	mono_profiler_set_jit_begin_callback (handle_named ("late"), on_jit_begin);
	monocle_raise_jit_begin (NULL);
	CHECK (*first == NULL && *count == 0);
	CHECK_STRING (trace, "jit:a");
}

CHILD_TEST (without_a_host_nothing_starts_and_nothing_ends)
{
	mono_profiler_set_jit_begin_callback (handle_named ("a"), on_jit_begin);
	monocle_host_startup_done ();
	monocle_host_reopen ();
	monocle_host_shutdown ();
	monocle_raise_jit_begin (NULL);
	CHECK_STRING (trace, "");
	start ();
	monocle_raise_jit_begin (NULL);
	CHECK_STRING (trace, "jit:a");
}

CHILD_TEST (the_host_is_told_of_the_first_listener_and_of_the_last)
{
	MonoProfilerHandle a = handle_named ("a"), b = handle_named ("b");

	mono_profiler_set_gc_resize_callback (a, count_gc_resize);
	CHECK (monocle_host_init (&noting_host) == MONOCLE_OK);
	mono_profiler_set_jit_begin_callback (a, on_jit_begin);
	monocle_host_startup_done ();
	mono_profiler_set_jit_begin_callback (b, on_jit_begin);
	mono_profiler_set_jit_begin_callback (a, on_jit_begin_too);
	mono_profiler_set_jit_begin_callback (a, NULL);
	note ("|");
	mono_profiler_set_jit_begin_callback (b, NULL);
	mono_profiler_set_jit_begin_callback (b, on_jit_begin);
	monocle_host_shutdown ();
	CHECK_STRING (trace, "+gc_resize +jit_begin | -jit_begin +jit_begin");
}

CHILD_TEST (a_host_is_read_no_further_than_its_size)
{
	monocle_host_ops ops = noting_host;

	CHECK (monocle_host_init (NULL) == MONOCLE_E_INVALID);
	ops.size = 4;
	CHECK (monocle_host_init (&ops) == MONOCLE_E_INVALID);
	ops.size = sizeof ops;
	ops.api_version = 99;
	CHECK (monocle_host_init (&ops) == MONOCLE_E_INVALID);
	CHECK (monocle_host_name () == NULL);
	ops = noting_host;
	ops.size = offsetof (monocle_host_ops, event_wanted);
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	CHECK_STRING (monocle_host_name (), "test");
	mono_profiler_set_jit_begin_callback (handle_named ("a"), on_jit_begin);
	CHECK_STRING (trace, "");
}

CHILD_TEST (the_strings_of_a_host_are_copied)
{
	char name[] = "lua", version[] = "5.4";
	monocle_host_ops ops = quiet_host;

	ops.name = name;
	ops.runtime_version = version;
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	memset (name, 'x', sizeof name - 1);
	memset (version, 'x', sizeof version - 1);
	char *told = mono_get_runtime_build_info ();
	CHECK_STRING (monocle_host_name (), "lua");
	CHECK_STRING (told, "5.4");
	mono_free (told);
}

CHILD_PRINTS (a_process_has_one_host, "monocle: this process is profiled by the host test already\n"
                                      "monocle: this process is profiled by the host test already\n")
{
	CHECK (monocle_host_init (&quiet_host) == MONOCLE_OK);
	CHECK (monocle_host_init (&noting_host) == MONOCLE_E_BUSY);
	monocle_host_shutdown ();
	CHECK (monocle_host_init (&noting_host) == MONOCLE_E_BUSY);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void
on_shutdown_cleanup (MonoProfiler *prof)
{
	on_cleanup (prof);
	monocle_raise_jit_begin (NULL);
	monocle_host_shutdown ();
}

CHILD_TEST (shutdown_clears_every_slot_then_cleans_up_newest_first_and_once)
{
	static const char *const names[] = { "a", "b", "c" };

	start ();
	for (int i = 0; i < 3; i++) {
		MonoProfilerHandle handle = handle_named (names[i]);
		mono_profiler_set_jit_begin_callback (handle, on_jit_begin);
		if (i != 1)
			mono_profiler_set_cleanup_callback (handle, on_shutdown_cleanup);
	}
	monocle_host_shutdown ();
	monocle_host_shutdown ();
	CHECK_STRING (trace, "cleanup:c cleanup:a");
}

static mono_bool can_be_silent;

/* By now nothing is delivered, and each callback is where it was. */
static mono_bool
be_silent (void *host)
{
	monocle_raise_jit_begin (NULL);
	note_both ("silence:", can_be_silent ? "yes" : "no");
	return can_be_silent;
}

static void
end_with_silence (void)
{
	monocle_host_ops ops = quiet_host;
	ops.silence = be_silent;
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	MonoProfilerHandle handle = handle_named ("a");
	mono_profiler_set_jit_begin_callback (handle, on_jit_begin);
	mono_profiler_set_cleanup_callback (handle, on_cleanup);
	monocle_host_startup_done ();
	monocle_host_quieten ();
	monocle_raise_jit_begin (NULL);
	monocle_host_shutdown ();
}

CHILD_TEST (a_host_is_silent_before_modules_clean_up)
{
	can_be_silent = true;
	end_with_silence ();
	CHECK_STRING (trace, "silence:yes cleanup:a");
}

CHILD_PRINTS (no_module_cleans_up_under_a_thread_that_is_inside_one,
              "monocle: a thread does not come out of a module's callback: cleanup callbacks are left out\n")
{
	end_with_silence ();
	CHECK_STRING (trace, "silence:no");
}

/* --- many threads ------------------------------------------------------------------------------------------------- */

enum { SETTERS = 8, RAISERS = 2, ROUNDS = 4000 };

static MonoProfilerHandle shared[3];
static volatile sig_atomic_t signals_taken;
static bool stop_raising, stop_setting;
static unsigned delivered, missed;

static void
on_counted (MonoProfiler *prof, MonoMethod *method)
{
	__atomic_fetch_add (&delivered, 1, __ATOMIC_RELAXED);
}

static void
on_counted_gc (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	on_counted (prof, NULL);
}

static void
on_counted_object (MonoProfiler *prof, MonoObject *object)
{
	on_counted (prof, NULL);
}

static void
on_counted_thread (MonoProfiler *prof, uintptr_t tid)
{
	on_counted (prof, NULL);
}

static void
on_counted_phase (MonoProfiler *prof, MonocleExceptionPhase phase, MonoMethod *method, MonoObject *exception)
{
	on_counted (prof, NULL);
}

static const monocle_event crowded[] = {
	MONOCLE_EVENT_jit_begin,       MONOCLE_EVENT_gc_event,       MONOCLE_EVENT_monitor_contention,
	MONOCLE_EVENT_exception_throw, MONOCLE_EVENT_thread_started, MONOCLE_EVENT_exception_phase,
};

enum { CROWDED = sizeof crowded / sizeof *crowded };

static void
set_crowded (MonoProfilerHandle handle, unsigned which, bool on)
{
	switch (crowded[which]) {
	case MONOCLE_EVENT_jit_begin: mono_profiler_set_jit_begin_callback (handle, on ? on_counted : NULL); break;
	case MONOCLE_EVENT_gc_event: mono_profiler_set_gc_event_callback (handle, on ? on_counted_gc : NULL); break;
	case MONOCLE_EVENT_monitor_contention:
		mono_profiler_set_monitor_contention_callback (handle, on ? on_counted_object : NULL);
		break;
	case MONOCLE_EVENT_exception_throw:
		mono_profiler_set_exception_throw_callback (handle, on ? on_counted_object : NULL);
		break;
	case MONOCLE_EVENT_thread_started:
		mono_profiler_set_thread_started_callback (handle, on ? on_counted_thread : NULL);
		break;
	default: monocle_profiler_set_exception_phase_callback (handle, on ? on_counted_phase : NULL);
	}
}

static void
raise_crowded (void)
{
	monocle_raise_jit_begin (NULL);
	monocle_raise_gc_event (MONO_GC_EVENT_START, 0, 0);
	monocle_raise_monitor_contention (NULL);
	monocle_raise_exception_throw (NULL);
	monocle_raise_thread_started (1);
	monocle_raise_exception_phase (MONOCLE_EXCEPTION_SEARCH_ENTER, NULL, NULL);
}

/* How long they set callbacks: as long as MONOCLE_TEST_SECONDS says, and ROUNDS times at least. */
static bool
goes_on (void)
{
	const char *seconds = getenv ("MONOCLE_TEST_SECONDS");
	struct timespec now;
	static _Atomic time_t end;
	time_t none = 0;
	clock_gettime (CLOCK_MONOTONIC, &now);
	atomic_compare_exchange_strong (&end, &none, now.tv_sec + (seconds ? atoi (seconds) : 0));
	return now.tv_sec < end;
}

static void *
set_much (void *seed)
{
	unsigned random = (unsigned) seed_of ((uintptr_t) seed);

	for (unsigned i = 0; i < ROUNDS || goes_on (); i++) {
		random = random * 1103515245 + 12345;
		set_crowded (shared[(random >> 16) % 3], (random >> 8) % CROWDED, random >> 20 & 1);
		if (i < ROUNDS && i % 1000 == 0)
			mono_profiler_set_jit_begin_callback (handle_named ("more"), on_counted);
	}
	return NULL;
}

static void *
raise_much (void *unused)
{
	while (!__atomic_load_n (&stop_raising, __ATOMIC_RELAXED))
		raise_crowded ();
	return NULL;
}

static unsigned
slots_in_use (monocle_event event)
{
	unsigned used = 0;

	for (struct _MonoProfilerDesc *handle = *monocle_event_handles (); handle; handle = handle->next)
		used += handle->callbacks[event] != NULL;
	return used;
}

CHILD_TEST (counts_stay_exact_while_eight_threads_set_two_raise_and_the_host_starts_and_ends)
{
	pthread_t setters[SETTERS], raisers[RAISERS];

	if (getenv ("MONOCLE_TEST_SECONDS"))
		alarm (0);
	CHECK (monocle_host_init (&quiet_host) == MONOCLE_OK);
	for (int i = 0; i < 3; i++)
		shared[i] = handle_named ("shared");
	for (uintptr_t i = 0; i < SETTERS; i++)
		CHECK (!pthread_create (&setters[i], NULL, set_much, (void *) (i + 1)));
	for (int i = 0; i < RAISERS; i++)
		CHECK (!pthread_create (&raisers[i], NULL, raise_much, NULL));
	monocle_host_startup_done ();
	for (int i = 0; i < SETTERS; i++)
		pthread_join (setters[i], NULL);
	for (unsigned i = 0; i < CROWDED; i++)
		CHECK (monocle_event_counts ()[crowded[i]] == slots_in_use (crowded[i]));
	CHECK (slots_in_use (MONOCLE_EVENT_jit_begin) >= SETTERS * ROUNDS / 1000);
	while (!__atomic_load_n (&delivered, __ATOMIC_RELAXED))
		usleep (100);
	monocle_host_shutdown ();
	for (unsigned i = 0; i < CROWDED; i++)
		CHECK (monocle_event_counts ()[crowded[i]] == 0);
	__atomic_store_n (&stop_raising, true, __ATOMIC_RELAXED);
	for (int i = 0; i < RAISERS; i++)
		pthread_join (raisers[i], NULL);
}

static MonoProfilerCallInstrumentationFlags
wants_enter (MonoProfiler *prof, MonoMethod *method)
{
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

/* All of them the same slots of the same handle; another handle's are in use all the time. */
static void *
toggle_first (void *unused)
{
	unsigned none = 0;

	for (int i = 0; i < ROUNDS * 50; i++) {
		mono_profiler_set_jit_begin_callback (shared[0], i % 2 ? NULL : on_counted);
		none += !__atomic_load_n (&monocle_event_counts ()[MONOCLE_EVENT_jit_begin], __ATOMIC_RELAXED);
		mono_profiler_set_call_instrumentation_filter_callback (shared[0], i % 2 ? NULL : wants_enter);
		none += !monocle_call_filter_installed ();
	}
	__atomic_fetch_add (&missed, none, __ATOMIC_RELAXED);
	return NULL;
}

CHILD_TEST (who_listens_all_the_time_is_counted_all_the_time)
{
	pthread_t setters[SETTERS];

	start ();
	shared[0] = handle_named ("toggled");
	shared[1] = handle_named ("steady");
	mono_profiler_set_jit_begin_callback (shared[1], on_counted);
	mono_profiler_set_call_instrumentation_filter_callback (shared[1], wants_enter);
	for (int i = 0; i < SETTERS; i++)
		CHECK (!pthread_create (&setters[i], NULL, toggle_first, NULL));
	for (int i = 0; i < SETTERS; i++)
		pthread_join (setters[i], NULL);
	CHECK (missed == 0);
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_jit_begin] == slots_in_use (MONOCLE_EVENT_jit_begin));
}

static void
set_in_handler (int signal)
{
	signals_taken = signals_taken + 1;
	mono_profiler_set_jit_begin_callback (shared[signals_taken % 3], signals_taken / 3 % 2 ? on_counted : NULL);
}

static void *
set_until_stopped (void *unused)
{
	for (unsigned i = 0; !__atomic_load_n (&stop_setting, __ATOMIC_RELAXED); i++)
		mono_profiler_set_jit_begin_callback (shared[i % 3], i / 3 % 2 ? on_counted : NULL);
	return NULL;
}

CHILD_TEST (setters_may_interrupt_setters_from_a_signal_handler)
{
	struct sigaction action = { .sa_handler = set_in_handler };
	pthread_t setter;

	start ();
	for (int i = 0; i < 3; i++)
		shared[i] = handle_named ("shared");
	sigaction (SIGUSR1, &action, NULL);
	CHECK (!pthread_create (&setter, NULL, set_until_stopped, NULL));
	for (int i = 0; i < 2000; i++) {
		pthread_kill (setter, SIGUSR1);
		usleep (10);
	}
	__atomic_store_n (&stop_setting, true, __ATOMIC_RELAXED);
	pthread_join (setter, NULL);
	CHECK (signals_taken > 0);
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_jit_begin] == slots_in_use (MONOCLE_EVENT_jit_begin));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (dispatch_runs_the_newest_handle_first),
	cmocka_unit_test (dispatch_skips_a_handle_without_callback),
	cmocka_unit_test (a_second_callback_replaces_the_first_and_null_removes_it),
	cmocka_unit_test (a_handle_may_have_no_prof),
	cmocka_unit_test (setters_ignore_the_null_handle_of_a_failed_create),
	cmocka_unit_test (a_callback_may_raise_create_and_set),
	cmocka_unit_test (every_event_reaches_its_own_callback),
	cmocka_unit_test (events_keep_their_numbers_and_both_tables_can_grow),
	cmocka_unit_test (a_host_that_does_not_say_delivers_monos_events_and_no_others),
	cmocka_unit_test (arguments_arrive_in_the_rows_order),
	cmocka_unit_test (the_count_is_the_number_of_handles_that_listen),
	cmocka_unit_test (nothing_is_delivered_before_startup_is_done_and_after_shutdown),
	cmocka_unit_test (without_a_host_nothing_starts_and_nothing_ends),
	cmocka_unit_test (the_host_is_told_of_the_first_listener_and_of_the_last),
	cmocka_unit_test (a_host_is_read_no_further_than_its_size),
	cmocka_unit_test (the_strings_of_a_host_are_copied),
	cmocka_unit_test (a_process_has_one_host),
	cmocka_unit_test (shutdown_clears_every_slot_then_cleans_up_newest_first_and_once),
	cmocka_unit_test (a_host_is_silent_before_modules_clean_up),
	cmocka_unit_test (no_module_cleans_up_under_a_thread_that_is_inside_one),
	cmocka_unit_test (counts_stay_exact_while_eight_threads_set_two_raise_and_the_host_starts_and_ends),
	cmocka_unit_test (who_listens_all_the_time_is_counted_all_the_time),
	cmocka_unit_test (setters_may_interrupt_setters_from_a_signal_handler),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}

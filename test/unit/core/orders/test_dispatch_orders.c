/*
 * SPDX-License-Identifier: MIT
 *
 * test_dispatch_orders.c - callbacks, filters and handles that are set, cleared and made at once, by threads and signal
 * handlers, while a host begins and ends: in every order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdatomic.h>
#include <monocle/host.h>
#include <mono/metadata/profiler.h>
#include "dispatch/event.h"
#include "dispatch/handle.h"
#include "orders.h"

enum { EVENT = MONOCLE_EVENT_jit_begin };

static MonoProfilerHandle steady, other;
static _Atomic (int) told;     /* what the host was told last: 1 wanted, 0 not; -1 nothing */
static atomic_bool never_zero; /* there is a listener all the time */

static void
event_wanted (void *host, monocle_event event, mono_bool wanted)
{
	if ((int) event != EVENT)
		return;
	CHECK (wanted || !atomic_load (&never_zero));
	atomic_store (&told, wanted);
}

static void
filter_changed (void *host)
{
	CHECK (monocle_call_filter_installed () || !atomic_load (&never_zero));
}

static void
jit_begin (MonoProfiler *prof, MonoMethod *method)
{
}

/* The end was told to modules; set while nothing of the test's runs. */
static atomic_bool has_ended, asks_after_end;

static MonoProfilerCallInstrumentationFlags
call_filter (MonoProfiler *prof, MonoMethod *method)
{
	CHECK (!atomic_load (&asks_after_end));
	return 0;
}

static void
host_is_there (void)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "orders",
		.event_wanted = event_wanted,
		.filter_changed = filter_changed,
	};
	atomic_store (&never_zero, false);
	atomic_store (&told, -1);
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	steady = mono_profiler_create (NULL);
	other = mono_profiler_create (NULL);
}

static void
host_delivers (void)
{
	host_is_there ();
	monocle_host_startup_done ();
}

static void
another_listens (void)
{
	host_delivers ();
	mono_profiler_set_jit_begin_callback (steady, jit_begin);
	mono_profiler_set_call_instrumentation_filter_callback (steady, call_filter);
	atomic_store (&never_zero, true);
}

static void
host_goes (void)
{
	atomic_store (&never_zero, false);
	monocle_host_shutdown ();
	CHECK (monocle_host_leave () == MONOCLE_OK);
}

static uint32_t
slots_in_use (void)
{
	return (steady->callbacks[EVENT] != NULL) + (other->callbacks[EVENT] != NULL);
}

static void
count_is_that_of_slots (void)
{
	CHECK (monocle_event_counts ()[EVENT] == slots_in_use ());
}

static void
told_and_counted (void)
{
	count_is_that_of_slots ();
	CHECK (atomic_load (&told) == (slots_in_use () != 0));
}

static void
set (void)
{
	mono_profiler_set_jit_begin_callback (other, jit_begin);
}

static void
clear (void)
{
	mono_profiler_set_jit_begin_callback (other, NULL);
}

static void
set_and_clear (void)
{
	set ();
	clear ();
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void
who_listens_all_the_time_is_counted_all_the_time (void **state)
{
	orders_run (&(orders) {
	    .name = "setters_pass",
	    .prepare = another_listens,
	    .check = count_is_that_of_slots,
	    .clean_up = host_goes,
	    .threads = { { "one", set_and_clear }, { "two", set_and_clear } },
	    .switches = 3,
	    .meets = "event_count_chosen event_counted event_slot_emptied",
	});
}

static void
what_the_host_is_told_last_is_true (void **state)
{
	orders_run (&(orders) {
	    .name = "told_last",
	    .prepare = host_delivers,
	    .check = told_and_counted,
	    .clean_up = host_goes,
	    .threads = { { "one", set_and_clear }, { "two", set_and_clear } },
	    .switches = 3,
	    .meets = "event_wanted_known",
	});
}

static void
a_callback_that_is_set_while_the_host_begins_is_counted (void **state)
{
	orders_run (&(orders) {
	    .name = "set_against_begin",
	    .prepare = host_is_there,
	    .check = told_and_counted,
	    .clean_up = host_goes,
	    .threads = { { "set", set_and_clear }, { "host", monocle_host_startup_done } },
	    .switches = 3,
	    .meets = "event_count_found event_count_taken host_delivers",
	});
}

static void
nothing_is_counted (void)
{
	CHECK (monocle_event_counts ()[EVENT] == 0);
	CHECK (!*monocle_event_handles ());
}

static void
leave_only (void)
{
	CHECK (monocle_host_leave () == MONOCLE_OK);
}

static void
a_callback_that_is_set_while_the_host_ends_is_not_counted (void **state)
{
	orders_run (&(orders) {
	    .name = "set_against_end",
	    .prepare = host_delivers,
	    .check = nothing_is_counted,
	    .clean_up = leave_only,
	    .threads = { { "set", set }, { "host", monocle_host_shutdown } },
	    .switches = 3,
	    .meets = "event_count_found event_slot_emptied host_has_ended",
	});
}

/* A handler's setter is in the middle of another one on its own thread, and a third passes both. */
static void
a_setter_interrupts_another_one_at_each_point (void **state)
{
	orders_run (&(orders) {
	    .name = "set_in_a_handler",
	    .prepare = another_listens,
	    .check = count_is_that_of_slots,
	    .clean_up = host_goes,
	    .threads = { { "thread", set_and_clear },
	                 { "handler", set, .signal = SIGUSR2, .interrupts = "thread" },
	                 { "other", clear } },
	    .switches = 2,
	    .meets = "event_counted event_slot_emptied",
	});
}

/* --- filters ------------------------------------------------------------------------------------------------------ */

static void
set_filter (void)
{
	mono_profiler_set_call_instrumentation_filter_callback (other, call_filter);
}

static void
clear_filter (void)
{
	mono_profiler_set_call_instrumentation_filter_callback (other, NULL);
}

static void
look_for_a_filter (void)
{
	CHECK (monocle_call_filter_installed ());
}

static void
a_filter_that_is_there_all_the_time_is_seen_all_the_time (void **state)
{
	orders_run (&(orders) {
	    .name = "filters_pass",
	    .prepare = another_listens,
	    .check = look_for_a_filter,
	    .clean_up = host_goes,
	    .threads = { { "set", set_filter }, { "clear", clear_filter }, { "look", look_for_a_filter } },
	    .meets = "filter_counted filter_replaced",
	});
}

static void
end_is_told (MonoProfiler *prof)
{
	MONOCLE__PAUSE (module_frees_its_tables);
	atomic_store (&has_ended, true);
}

static void
listens_to_the_end (void)
{
	atomic_store (&has_ended, false);
	atomic_store (&asks_after_end, false);
	another_listens ();
	atomic_store (&never_zero, false);
	mono_profiler_set_runtime_shutdown_end_callback (steady, end_is_told);
}

/* As the adapter does it where modules end alone: the program's threads run again before the filters are taken away. */
static void
end_alone (void)
{
	monocle_host_quieten ();
	monocle_raise_runtime_shutdown_end ();
	MONOCLE__PAUSE (threads_run_again);
	monocle_host_shutdown ();
}

static void
compile (void)
{
	for (int i = 0; i < 2; i++) {
		atomic_store (&asks_after_end, atomic_load (&has_ended));
		CHECK (monocle_call_flags (NULL) == 0);
		MONOCLE__PAUSE (method_compiled);
	}
}

static void
filters_are_not_asked_once_modules_have_ended (void **state)
{
	orders_run (&(orders) {
	    .name = "filters_against_end",
	    .prepare = listens_to_the_end,
	    .check = nothing_is_counted,
	    .clean_up = leave_only,
	    .threads = { { "host", end_alone }, { "compiles", compile } },
	    .switches = 3,
	    .meets = "module_frees_its_tables threads_run_again method_compiled host_has_ended",
	});
}

/* --- handles ------------------------------------------------------------------------------------------------------ */

static void
create (void)
{
	CHECK (mono_profiler_create (NULL));
}

static bool
is_shown (MonoProfilerHandle handle)
{
	const struct _MonoProfilerDesc *shown = __atomic_load_n (monocle_event_handles (), __ATOMIC_ACQUIRE);
	while (shown && shown != handle)
		shown = shown->next;
	return shown;
}

static void
create_and_look (void)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	CHECK (is_shown (handle));
	MONOCLE__PAUSE (handle_seen);
	CHECK (is_shown (handle));
}

static void
all_handles_are_shown (void)
{
	CHECK (*monocle_event_handles () == &monocle__handle_first ()->desc);
	unsigned count = 0;
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle))
		count++;
	CHECK (count == 4);
}

/* An event that comes meanwhile is told to each handle whose mono_profiler_create () is back. */
static void
a_handle_that_is_shown_stays_shown (void **state)
{
	orders_run (&(orders) {
	    .name = "create_against_create",
	    .prepare = host_delivers,
	    .check = all_handles_are_shown,
	    .clean_up = host_goes,
	    .threads = { { "one", create_and_look }, { "two", create_and_look } },
	    .switches = 3,
	    .meets = "handle_listed handle_shown_read handle_shown_next handle_seen",
	});
}

static void
handles_that_are_made_while_the_host_begins_are_shown (void **state)
{
	orders_run (&(orders) {
	    .name = "create_against_begin",
	    .prepare = host_is_there,
	    .check = all_handles_are_shown,
	    .clean_up = host_goes,
	    .threads = { { "one", create }, { "two", create }, { "host", monocle_host_startup_done } },
	    .switches = 2,
	    .meets = "handle_listed handle_shown_read handle_shown_next host_delivers",
	});
}

static void
handles_that_are_made_while_the_host_ends_are_hidden (void **state)
{
	orders_run (&(orders) {
	    .name = "create_against_end",
	    .prepare = host_delivers,
	    .check = nothing_is_counted,
	    .clean_up = leave_only,
	    .threads = { { "one", create }, { "host", monocle_host_shutdown } },
	    .switches = 3,
	    .meets = "handle_listed handle_shown_next host_has_ended",
	});
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (who_listens_all_the_time_is_counted_all_the_time),
		cmocka_unit_test (what_the_host_is_told_last_is_true),
		cmocka_unit_test (a_callback_that_is_set_while_the_host_begins_is_counted),
		cmocka_unit_test (a_callback_that_is_set_while_the_host_ends_is_not_counted),
		cmocka_unit_test (a_setter_interrupts_another_one_at_each_point),
		cmocka_unit_test (a_filter_that_is_there_all_the_time_is_seen_all_the_time),
		cmocka_unit_test (filters_are_not_asked_once_modules_have_ended),
		cmocka_unit_test (a_handle_that_is_shown_stays_shown),
		cmocka_unit_test (handles_that_are_made_while_the_host_begins_are_shown),
		cmocka_unit_test (handles_that_are_made_while_the_host_ends_are_hidden),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_orders_ground.c - what all rooms of the adapter stand on, in every order of its threads: the gate of forks, the
 * service, each thread's memory, what the runtime is asked to tell, and the questions about code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <mono/metadata/profiler.h>
#include "fake-runtime.h"
#include "forks.h"
#include "house.h"
#include "orders.h"
#include "service.h"
#include "thread-memory.h"
#include "wants.h"

/* --- the gate of forks -------------------------------------------------------------------------------------------- */

enum { GOOD = 7 };

static atomic_int held; /* what a child finds */
static atomic_bool fork_waits, fork_is_over;

static void
be_about_to_fork (void)
{
	atomic_store (&fork_waits, true);
}

static void
have_forked (void)
{
	atomic_store (&fork_is_over, true);
}

/* Ours is called first, for it is the younger one: before the adapter's own handler says that a fork waits. */
static void
prepare_forks (void)
{
	static bool listens;
	monocle__forks_begin ();
	if (!listens)
		CHECK (!pthread_atfork (be_about_to_fork, have_forked, NULL));
	listens = true;
	atomic_store (&fork_waits, false);
	atomic_store (&fork_is_over, false);
}

/* One that comes when a fork waits is let in after it. */
static void
hold_once (void)
{
	bool has_to_wait = atomic_load (&fork_waits);
	monocle__forks_hold ();
	CHECK (!has_to_wait || atomic_load (&fork_is_over));
	atomic_fetch_add (&held, 1);
	MONOCLE__PAUSE (held_by_test);
	atomic_fetch_sub (&held, 1);
	monocle__forks_release ();
}

static void
hold_twice (void)
{
	hold_once ();
	hold_once ();
}

static pid_t children[2];

static pid_t
fork_once (void)
{
	pid_t child = fork ();
	if (child == 0)
		_exit (GOOD + atomic_load (&held));
	CHECK (child > 0);
	return child;
}

static void
fork_first (void)
{
	children[0] = fork_once ();
}

static void
fork_second (void)
{
	children[1] = fork_once ();
}

static void
children_are_good (void)
{
	for (int i = 0, status; i < 2; i++)
		CHECK (!children[i] || (waitpid (children[i], &status, 0) == children[i] && WIFEXITED (status) &&
		                        WEXITSTATUS (status) == GOOD));
	children[0] = children[1] = 0;
}

static void
a_child_has_a_copy_of_a_moment_when_nothing_was_held (void **state)
{
	orders_run (&(orders) {
	    .name = "forks",
	    .prepare = prepare_forks,
	    .check = children_are_good,
	    .threads = { { "hold", hold_twice }, { "fork", fork_first } },
	    .meets = "forks_counted forks_announced held_by_test sleep",
	});
}

static void
two_holders_do_not_keep_a_fork_out (void **state)
{
	orders_run (&(orders) {
	    .name = "two_holders",
	    .prepare = prepare_forks,
	    .check = children_are_good,
	    .threads = { { "one", hold_once }, { "two", hold_once }, { "fork", fork_first } },
	    .switches = 1,
	});
}

static void
two_forks_go_one_after_the_other (void **state)
{
	orders_run (&(orders) {
	    .name = "two_forks",
	    .prepare = prepare_forks,
	    .check = children_are_good,
	    .threads = { { "one", fork_first }, { "two", fork_second } },
	});
}

/* --- the service -------------------------------------------------------------------------------------------------- */

static atomic_bool is_begun, is_given_up, has_left;

static void
double_it (void *data)
{
	CHECK (!atomic_load (&is_given_up) && !atomic_load (&has_left));
	atomic_store (&is_begun, true);
	MONOCLE__PAUSE (work_goes_on);
	*(int *) data *= 2;
}

static void
ask_and_wait (void)
{
	int number = 21;
	bool is_answered = monocle__service_run (double_it, &number, sizeof number, 1);
	atomic_store (&is_given_up, !is_answered);
	CHECK (is_answered == atomic_load (&is_begun) && number == (is_answered ? 42 : 21));
}

static void
begin_service (void)
{
	atomic_store (&is_begun, false);
	atomic_store (&is_given_up, false);
	atomic_store (&has_left, false);
	monocle__service_begin ();
}

static void
end_service (void)
{
	monocle__service_leave ();
	monocle__service_forget ();
}

static void
what_was_given_up_is_never_begun (void **state)
{
	orders_run (&(orders) {
	    .name = "given_up",
	    .prepare = begin_service,
	    .clean_up = end_service,
	    .threads = { { "ask", ask_and_wait, .timeouts = 1 }, { "service", .adopts = "service_begun" } },
	    .meets = "service_woken service_answers service_is_late semaphore work_goes_on",
	});
}

static void
leave (void)
{
	monocle__service_leave ();
	atomic_store (&has_left, true);
}

static void
forget_service (void)
{
	CHECK (atomic_load (&has_left));
	monocle__service_forget ();
}

/* Who asks meanwhile has its answer, or gives up. */
static void
nothing_is_begun_when_the_service_has_left (void **state)
{
	orders_run (&(orders) {
	    .name = "service_leaves",
	    .prepare = begin_service,
	    .check = forget_service,
	    .threads = { { "ask", ask_and_wait, .timeouts = 1 },
	                 { "leave", leave },
	                 { "service", .adopts = "service_begun" } },
	    .meets = "service_woken service_claimed service_is_late",
	    .switches = 2,
	});
}

/* --- a thread's memory -------------------------------------------------------------------------------------------- */

static void
use_memory (void)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	CHECK (own);
	MONOCLE__PAUSE (memory_used);
}

/* What has gone is not there to be read. */
static void
look_at (monocle__thread_memory *memory)
{
	MONOCLE__PAUSE (memory_looked_at);
	CHECK (*(monocle__shadow_entry *volatile *) &memory->limit == memory->base + MONOCLE__SHADOW_ENTRIES);
}

static void
look_at_all (void)
{
	monocle__thread_memory_each (look_at);
}

static void
memory_of_a_thread_that_ends_is_seen_whole_or_not_at_all (void **state)
{
	orders_run (&(orders) {
	    .name = "thread_memory",
	    .threads = { { "use", use_memory }, { "look", look_at_all } },
	    .meets = "memory_looked_at thread_memory_taken_out",
	});
}

/* --- what the runtime is asked to tell ---------------------------------------------------------------------------- */

static MonoProfilerHandle handle;

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	handle = mono_profiler_create (NULL);
}

static void
on_exception (MonoProfiler *prof, MonoObject *exception)
{
}

static void
on_class (MonoProfiler *prof, MonoClass *klass)
{
}

/* The service runs after it. */
static void
start (void)
{
	static bool is_started;
	if (is_started) {
		monocle__service_begin ();
		return;
	}
	is_started = true;
	setenv ("MONOCLE_PROFILE", "watch", 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
}

static void
want_nothing (void)
{
	start ();
	mono_profiler_set_exception_throw_callback (handle, NULL);
	mono_profiler_set_class_loaded_callback (handle, NULL);
	monocle__wants_end ();
	CHECK (monocle__wants_begin ());
	CHECK (!(fake_mask & (COR_PRF_MONITOR_EXCEPTIONS | COR_PRF_MONITOR_CLASS_LOADS)));
}

static void
want_exceptions (void)
{
	mono_profiler_set_exception_throw_callback (handle, on_exception);
}

static void
want_classes (void)
{
	mono_profiler_set_class_loaded_callback (handle, on_class);
}

static void
both_are_asked_for (void)
{
	CHECK ((fake_mask & COR_PRF_MONITOR_EXCEPTIONS) && (fake_mask & COR_PRF_MONITOR_CLASS_LOADS));
}

static void
listeners_that_come_at_once_are_all_asked_for (void **state)
{
	orders_run (&(orders) {
	    .name = "wants",
	    .prepare = want_nothing,
	    .clean_up = end_service,
	    .check = both_are_asked_for,
	    .threads = { { "one", want_exceptions }, { "two", want_classes } },
	    .meets = "wants_counted wants_summed wants_updated",
	});
}

static void
exceptions_are_asked_for (void)
{
	CHECK (fake_mask & COR_PRF_MONITOR_EXCEPTIONS);
}

static void
a_listener_that_a_signal_brings_is_asked_for (void **state)
{
	orders_run (&(orders) {
	    .name = "wants_of_a_signal",
	    .prepare = want_nothing,
	    .clean_up = end_service,
	    .check = exceptions_are_asked_for,
	    .threads = { { "thread", want_exceptions },
	                 { "signal", want_classes, .signal = SIGUSR1, .interrupts = "thread" } },
	});
}

/* --- questions about code ----------------------------------------------------------------------------------------- */

static fake_module guest = { .path = u"/srv/guest.exe", .flags = COR_PRF_MODULE_COLLECTIBLE, .is_mapped = true };
static const fake_body body = { 48, NULL, 0 };
static fake_function of_guest = { &guest, HOUSE_MAIN, 0, 0, { 0 }, { &body }, 1 };

static void
load_guest (void)
{
	if (!guest.data)
		guest.data = house_data ();
	start ();
	monocle__codemap_begin ();
	fake_load (&guest);
	fake_found = &of_guest;
}

static void
walk_into_guest (void)
{
	monocle__codemap_learn (ID (&body) + 8);
}

static void
unload_guest (void)
{
	fake_unload (&guest);
}

static void
its_code_is_not_found (void)
{
	monocle__code code;
	CHECK (!monocle__codemap_find (ID (&body) + 8, &code));
}

/* It is asked about again in the next order. */
static void
end_learning (void)
{
	end_service ();
	monocle__codemap_end ();
}

static void
the_runtime_is_not_asked_about_code_that_goes (void **state)
{
	orders_run (&(orders) {
	    .name = "learning",
	    .prepare = load_guest,
	    .check = its_code_is_not_found,
	    .clean_up = end_learning,
	    .threads = { { "walk", walk_into_guest },
	                 { "unload", unload_guest },
	                 { "service", .adopts = "service_begun" } },
	    .meets = "codemap_asking codemap_unloading sleep",
	});
}

static fake_module *house; /* another one in each order: what is precompiled stays */

static void
make_house (void)
{
	house = calloc (1, sizeof *house);
	CHECK (house);
	*house = (fake_module) { .data = house_data (), .path = u"/srv/house.exe", .is_mapped = true };
	start ();
	monocle__codemap_begin ();
}

static void
load_house (void)
{
	fake_load (house);
}

/* A name comes with the image, or when it is indexed; it is never another's. */
static void
look_at_house (void)
{
	static const uint32_t rows[HOUSE_FUNCTIONS] = { 1, 1, 3, 20, 0, 3 };
	monocle__code code;
	for (uint32_t i = 0; i < HOUSE_FUNCTIONS; i++) {
		uintptr_t function = house_function (house, i);
		if (!monocle__codemap_find (function + i, &code))
			continue;
		CHECK (code.start == function && code.size == R2R_FUNCTION_SIZE);
		CHECK (!code.method || !rows[i] ||
		       code.method == monocle_method_def (house_record (house), rows[i] | 0x06000000));
	}
}

static void
all_has_its_name (void)
{
	CHECK (house_name_at (house_function (house, 5)) == monocle_method_def (house_record (house), HOUSE_MAIN));
	look_at_house ();
}

static void
names_of_precompiled_code_appear_and_are_never_another_s (void **state)
{
	orders_run (&(orders) {
	    .name = "precompiled",
	    .prepare = make_house,
	    .check = all_has_its_name,
	    .clean_up = end_learning,
	    .threads = { { "load", load_house }, { "look", look_at_house }, { "service", .adopts = "service_begun" } },
	    .meets = "precompiled_published precompiled_has_instances precompiled_has_pages",
	});
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_child_has_a_copy_of_a_moment_when_nothing_was_held),
		cmocka_unit_test (two_holders_do_not_keep_a_fork_out),
		cmocka_unit_test (two_forks_go_one_after_the_other),
		cmocka_unit_test (what_was_given_up_is_never_begun),
		cmocka_unit_test (nothing_is_begun_when_the_service_has_left),
		cmocka_unit_test (memory_of_a_thread_that_ends_is_seen_whole_or_not_at_all),
		cmocka_unit_test (listeners_that_come_at_once_are_all_asked_for),
		cmocka_unit_test (a_listener_that_a_signal_brings_is_asked_for),
		cmocka_unit_test (the_runtime_is_not_asked_about_code_that_goes),
		cmocka_unit_test (names_of_precompiled_code_appear_and_are_never_another_s),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_ticks.c - calls by the CPU's own counter, whose rate is fitted, and in handlers that come when they come.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "nanoseconds.h"
#include "tree.h"

#include <cmocka.h>

#define enter(method) monocle_kit_calls_enter (spool, (void *) (method))
#define leave(method) monocle_kit_calls_leave (spool, (void *) (method))

static char main_[] = "main", a[] = "a", b[] = "b", c[] = "c";

static void
wait_ns (uint64_t ns)
{
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + ns;
	while (monocle__nanoseconds (CLOCK_MONOTONIC) < end)
		;
}

/*
 * At least `least`, and no more than has passed since `begun`: on a busy machine a wait is as long as it likes. The
 * clock's rate is fitted to milliseconds, so a twentieth is allowed for.
 */
static void
assert_time (uint64_t ns, uint64_t least, uint64_t begun)
{
	uint64_t passed = monocle__nanoseconds (CLOCK_MONOTONIC) - begun;
	assert_in_range (ns, least - least / 20, passed + passed / 20);
}

static void
time_is_charged_to_the_method_that_runs (void **state)
{
	uint64_t begun = monocle__nanoseconds (CLOCK_MONOTONIC);
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (a);
	wait_ns (3000000);
	enter (b);
	wait_ns (6000000);
	leave (b);
	wait_ns (1000000);
	leave (a);
	uint64_t outer = tree_self_ns (spool, "a"), inner = tree_self_ns (spool, "a;b");
	assert_time (outer, 4000000, begun);
	assert_time (inner, 6000000, begun);
	assert_time (outer + inner, 10000000, begun);
}

static void
what_a_reading_of_cpu_time_costs_is_measured (void **state)
{
	uint64_t begun = monocle__nanoseconds (CLOCK_MONOTONIC);
	uint32_t cost = monocle_kit_clock_cpu_cost ();
	assert_in_range (cost, 1, monocle__nanoseconds (CLOCK_MONOTONIC) - begun);
}

static monocle_kit_spool *volatile handler_spool;
static volatile sig_atomic_t handler_runs;

static void
on_signal (int signal)
{
	monocle_kit_spool *spool = handler_spool;
	handler_runs++;
	enter (c), leave (c);
}

static void
a_handler_between_any_two_instructions_keeps_the_tree_whole (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };
	handler_spool = spool;
	handler_runs = 0;
	sigaction (SIGUSR1, &action, &before);
	assert_int_equal (timer_create (CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime (timer, 0, &often, NULL);
	long rounds = 0;
	enter (main_);
	while (handler_runs < 300 && rounds < 200000000)
		rounds++, enter (a), enter (b), leave (b), leave (a);
	leave (main_);
	timer_delete (timer);
	sigaction (SIGUSR1, &before, NULL);
	assert_int_equal (tree_calls (spool, "main;a"), rounds);
	assert_int_equal (tree_calls (spool, "main;a;b"), rounds);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNBALANCED), 0);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNMATCHED), 0);
}

static void
a_handler_may_interrupt_the_end_of_a_thread (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 50000 }, { 0, 50000 } };
	handler_spool = spool;
	handler_runs = 0;
	sigaction (SIGUSR1, &action, &before);
	assert_int_equal (timer_create (CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime (timer, 0, &often, NULL);
	long rounds = 0;
	alarm (100); /* Whoever waits for himself is ended by this. */
	while (handler_runs < 1000 && rounds < 50000000)
		rounds++, enter (a), leave (a), monocle_kit_calls_thread_end (spool);
	alarm (0);
	timer_delete (timer);
	sigaction (SIGUSR1, &before, NULL);
	assert_int_equal (tree_calls (spool, "a"), rounds);
	assert_true (tree_calls (spool, "c") <= (uint64_t) handler_runs);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, tree_setup, tree_teardown)
		TEST (time_is_charged_to_the_method_that_runs),
		TEST (what_a_reading_of_cpu_time_costs_is_measured),
		TEST (a_handler_between_any_two_instructions_keeps_the_tree_whole),
		TEST (a_handler_may_interrupt_the_end_of_a_thread),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

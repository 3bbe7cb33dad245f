/*
 * SPDX-License-Identifier: MIT
 *
 * test_orders.c - the driver sees every order, and says which one fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include "orders.h"
#include "invariant.h"

/* What `what` writes when one of its orders fails. */
static const orders *failing;

static void
run_failing (void)
{
	unsigned count;
	CHECK (!orders_hold (failing, &count));
}

static void
fails_and_says (const orders *what, const char *should)
{
	char output[8192];
	failing = what;
	int status = child_run (run_failing, output, sizeof output);
	if (status || !strstr (output, should))
		fail_msg ("status 0x%x, and not \"%s\": %s", (unsigned) status, should, output);
}

/* --- all orders -------------------------------------------------------------------------------------------------- */

static char way[64]; /* a letter for each step */

static void
step (char letter)
{
	char text[] = { letter, '\0' };
	strcat (way, text);
}

static void
forget_way (void)
{
	way[0] = '\0';
}

static void
go_a (void)
{
	step ('a');
	MONOCLE__PAUSE (a_once);
	step ('a');
	MONOCLE__PAUSE (a_twice);
	step ('a');
}

static void
go_b (void)
{
	step ('b');
	MONOCLE__PAUSE (b_once);
	step ('b');
	MONOCLE__PAUSE (b_twice);
	step ('b');
}

static void
go_c (void)
{
	step ('c');
}

/* Each way is new, because the next one is greater in the order of the choices: seen by a child that has them all. */
static char seen[2048][8];
static unsigned seen_count;

static void
way_is_new (void)
{
	CHECK (strlen (way) < sizeof seen[0] && seen_count < sizeof seen / sizeof seen[0]);
	for (unsigned i = 0; i < seen_count; i++)
		CHECK (strcmp (seen[i], way) != 0);
	strcpy (seen[seen_count++], way);
}

/* Threads that are ordered by nothing share the way: only the driver's word makes it right. */
#if defined __SANITIZE_THREAD__
#define SHARE_PLAINLY 0
#else
#define SHARE_PLAINLY 1
#endif

static void
every_order_of_two_threads_is_run_once (void **state)
{
	orders two = { .name = "two",
		           .prepare = forget_way,
		           .check = way_is_new,
		           .threads = { { "a", go_a }, { "b", go_b } },
		           .meets = "a_once a_twice b_once b_twice" };
	if (SHARE_PLAINLY)
		assert_int_equal (orders_run (&two), 20); /* 6! / (3! 3!) */
}

static void
every_order_of_three_threads_is_run_once (void **state)
{
	orders three = { .name = "three",
		             .prepare = forget_way,
		             .check = way_is_new,
		             .threads = { { "a", go_a }, { "b", go_b }, { "c", go_c } } };
	if (SHARE_PLAINLY)
		assert_int_equal (orders_run (&three), 140); /* 7! / (3! 3! 1!) */
}

static void
each_order_may_have_a_process (void **state)
{
	orders fresh = {
		.name = "fresh", .prepare = forget_way, .threads = { { "a", go_a }, { "c", go_c } }, .fresh = true
	};
	if (SHARE_PLAINLY)
		assert_int_equal (orders_run (&fresh), 4);
}

static void
switches_may_be_limited (void **state)
{
	orders one = {
		.name = "one_switch", .prepare = forget_way, .threads = { { "a", go_a }, { "b", go_b } }, .switches = 1
	};
	if (SHARE_PLAINLY)
		assert_int_equal (orders_run (&one), 2 + 2 * 2); /* none, or at one of two points of either */
}

static void
too_many_orders_fail (void **state)
{
	orders many = { .name = "many", .prepare = forget_way, .threads = { { "a", go_a }, { "b", go_b } }, .at_most = 19 };
	if (SHARE_PLAINLY)
		fails_and_says (&many, "more than 19 orders");
}

static void
a_point_that_no_order_meets_fails (void **state)
{
	orders unmet = { .name = "unmet", .prepare = forget_way, .threads = { { "a", go_a } }, .meets = "a_once a_thrice" };
	fails_and_says (&unmet, "unmet: no order meets a_thrice");
}

/* --- what is found ----------------------------------------------------------------------------------------------- */

static _Atomic (int) number;

static void
forget_number (void)
{
	atomic_store (&number, 0);
}

static void
add_one (void)
{
	int was = atomic_load (&number);
	MONOCLE__PAUSE (number_read);
	atomic_store (&number, was + 1);
}

static void
nothing_is_lost (void)
{
	CHECK (atomic_load (&number) == 2);
}

static const orders lossy = { .name = "lossy",
	                          .prepare = forget_number,
	                          .check = nothing_is_lost,
	                          .threads = { { "one", add_one }, { "two", add_one } } };

static void
an_order_that_fails_is_printed (void **state)
{
	fails_and_says (&lossy, "atomic_load (&number) == 2");
	fails_and_says (&lossy, "lossy: order 2 fails: exit code 99\n"
	                        "    1  one        begin\n"
	                        "    2  two        begin\n");
	fails_and_says (&lossy, "alone: MONOCLE_ORDER='lossy: one two ");
}

static void
an_order_is_run_alone (void **state)
{
	unsigned count;
	setenv ("MONOCLE_ORDER", "lossy: two two one one", 1);
	bool holds = orders_hold (&lossy, &count);
	setenv ("MONOCLE_ORDER", "lossy: two one two one", 1);
	fails_and_says (&lossy, "lossy: order 1 fails");
	setenv ("MONOCLE_ORDER", "lossy: two three", 1);
	fails_and_says (&lossy, "three cannot go on here");
	setenv ("MONOCLE_ORDER", "other: two one two one", 1);
	bool is_left_out = orders_hold (&lossy, &count) && count == 0;
	unsetenv ("MONOCLE_ORDER");
	assert_true (holds && is_left_out);
}

static void
break_invariant (void)
{
	int was = atomic_fetch_add (&number, 1);
	MONOCLE__PAUSE (number_added);
	MONOCLE__INVARIANT (was + 1 == atomic_load (&number));
}

static void
a_broken_invariant_has_an_order (void **state)
{
	orders broken = { .name = "broken",
		              .prepare = forget_number,
		              .threads = { { "one", break_invariant }, { "two", break_invariant } } };
	fails_and_says (&broken, "broken invariant");
	fails_and_says (&broken, "broken: order 2 fails: signal 6");
}

/* --- waiting ----------------------------------------------------------------------------------------------------- */

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void
lock_both (pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock (first);
	MONOCLE__PAUSE (first_held);
	pthread_mutex_lock (second);
	MONOCLE__PAUSE (both_held);
	pthread_mutex_unlock (second);
	pthread_mutex_unlock (first);
}

static void
lock_left_first (void)
{
	lock_both (&left, &right);
}

static void
lock_right_first (void)
{
	lock_both (&right, &left);
}

static void
locks_in_one_order_pass (void **state)
{
	orders same = { .name = "same_locks", .threads = { { "one", lock_left_first }, { "two", lock_left_first } } };
	orders_run (&same);
}

/* ThreadSanitizer would say so of the first order that passes. */
static void
locks_in_two_orders_are_a_deadlock (void **state)
{
	orders both = { .name = "both_locks", .threads = { { "one", lock_left_first }, { "two", lock_right_first } } };
	if (SHARE_PLAINLY)
		fails_and_says (&both, "no thread can go on; one waits at lock; two waits at lock");
}

static sem_t given_one;

static void
prepare_semaphore (void)
{
	sem_init (&given_one, 0, 0);
	forget_number ();
}

static void
give (void)
{
	atomic_store (&number, 1);
	MONOCLE__PAUSE (give_ready);
	sem_post (&given_one);
}

static void
take (void)
{
	sem_wait (&given_one);
	CHECK (atomic_load (&number) == 1);
}

static void
a_semaphore_is_waited_for (void **state)
{
	orders pass = { .name = "semaphore",
		            .prepare = prepare_semaphore,
		            .threads = { { "take", take }, { "give", give } },
		            .meets = "give_ready semaphore" };
	assert_int_equal (orders_run (&pass), 3); /* it begins to wait before, between and after two steps */
}

static _Atomic (int) late;

static void
take_within_a_moment (void)
{
	struct timespec past = { .tv_sec = 1 };
	while (sem_clockwait (&given_one, CLOCK_MONOTONIC, &past)) {
		CHECK (errno == ETIMEDOUT);
		atomic_fetch_add (&late, 1);
	}
	CHECK (atomic_load (&number) == 1);
}

static void
late_once_at_most (void)
{
	CHECK (atomic_exchange (&late, 0) <= 1);
}

static void
limited_waits_end_as_often_as_is_said (void **state)
{
	orders endless = { .name = "endless",
		               .prepare = prepare_semaphore,
		               .threads = { { "take", take_within_a_moment }, { "give", give } } };
	assert_int_equal (orders_run (&endless), 3);
	orders limited = { .name = "limited",
		               .prepare = prepare_semaphore,
		               .check = late_once_at_most,
		               .threads = { { "take", take_within_a_moment, .timeouts = 1 }, { "give", give } } };
	assert_int_equal (orders_run (&limited), 6);
}

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void
listen_for_one (void)
{
	pthread_mutex_lock (&left);
	while (atomic_load (&number) == 0)
		pthread_cond_wait (&changed, &left);
	atomic_store (&number, 2);
	pthread_mutex_unlock (&left);
}

static void
tell_of_one (void)
{
	pthread_mutex_lock (&left);
	atomic_store (&number, 1);
	pthread_mutex_unlock (&left);
	MONOCLE__PAUSE (one_untold);
	pthread_cond_signal (&changed);
}

static void
tell_too_early (void)
{
	pthread_cond_signal (&changed);
	MONOCLE__PAUSE (one_told);
	pthread_mutex_lock (&left);
	atomic_store (&number, 1);
	pthread_mutex_unlock (&left);
}

static void
conditions_wake_those_who_listen (void **state)
{
	orders pass = { .name = "condition",
		            .prepare = forget_number,
		            .check = nothing_is_lost,
		            .threads = { { "listen", listen_for_one }, { "tell", tell_of_one } },
		            .meets = "condition one_untold" };
	assert_int_equal (orders_run (&pass), 3);
	orders early = { .name = "too_early",
		             .prepare = forget_number,
		             .threads = { { "listen", listen_for_one }, { "tell", tell_too_early } } };
	fails_and_says (&early, "no thread can go on; listen waits at condition");
}

static void
a_wait_for_nothing_is_a_deadlock (void **state)
{
	orders alone = { .name = "alone", .prepare = prepare_semaphore, .threads = { { "take", take } } };
	fails_and_says (&alone, "no thread can go on; take waits at semaphore");
}

static int pipe_ends[2];

static void
prepare_pipe (void)
{
	forget_number ();
	CHECK (!pipe (pipe_ends));
}

static void
close_pipe (void)
{
	close (pipe_ends[0]);
	close (pipe_ends[1]);
}

static void
look_into_pipe (void)
{
	struct pollfd end = { .fd = pipe_ends[0], .events = POLLIN };
	CHECK (poll (&end, 1, -1) == 1 && atomic_load (&number) == 1);
}

static void
fill_pipe (void)
{
	atomic_store (&number, 1);
	MONOCLE__PAUSE (pipe_ready);
	CHECK (write (pipe_ends[1], "", 1) == 1);
}

static void
a_thread_in_the_kernel_waits_for_another_ones_step (void **state)
{
	orders pass = { .name = "pipe",
		            .prepare = prepare_pipe,
		            .clean_up = close_pipe,
		            .threads = { { "look", look_into_pipe }, { "fill", fill_pipe } } };
	assert_int_equal (orders_run (&pass), 3);
	orders alone = { .name = "empty_pipe", .prepare = prepare_pipe, .threads = { { "look", look_into_pipe } } };
	fails_and_says (&alone, "no thread can go on; look is blocked after begin");
}

static void
sleep_until_one (void)
{
	while (atomic_load (&number) < 1)
		usleep (100);
}

static void
sleep_once (void)
{
	usleep (1000000000);
	atomic_fetch_add (&number, 1);
}

static void
a_sleep_ends_when_nothing_else_is_to_be_done (void **state)
{
	orders pass = { .name = "sleep",
		            .prepare = forget_number,
		            .threads = { { "one", sleep_until_one }, { "two", sleep_once } },
		            .meets = "sleep" };
	orders_run (&pass);
	orders alone = { .name = "sleeps", .prepare = forget_number, .threads = { { "one", sleep_until_one } } };
	fails_and_says (&alone, "no thread can go on; one waits at sleep");
}

static void
look_until_two (void)
{
	while (atomic_load (&number) < 2)
		MONOCLE__PAUSE_WAITS (number_small);
}

static void
add_twice (void)
{
	atomic_fetch_add (&number, 1);
	MONOCLE__PAUSE (number_added);
	atomic_fetch_add (&number, 1);
}

static void
a_loop_looks_again_after_another_ones_step (void **state)
{
	orders loop = { .name = "loop",
		            .prepare = forget_number,
		            .check = nothing_is_lost,
		            .threads = { { "look", look_until_two }, { "add", add_twice } },
		            .meets = "number_small" };
	/* It looks once before the first step or not, and between the two or not. */
	assert_int_equal (orders_run (&loop), 4);
}

static void
loops_that_wait_for_each_other_are_a_deadlock (void **state)
{
	orders two = { .name = "loops",
		           .prepare = forget_number,
		           .threads = { { "one", look_until_two }, { "two", look_until_two } } };
	fails_and_says (&two, "no thread can go on; one waits at number_small; two waits at number_small");
}

/* --- signals ----------------------------------------------------------------------------------------------------- */

static _Atomic (int) place, place_of_signal;

static void
forget_places (void)
{
	atomic_store (&place, 0);
	atomic_store (&place_of_signal, -1);
}

static void
go_places (void)
{
	atomic_store (&place, 1);
	MONOCLE__PAUSE (place_one);
	atomic_store (&place, 2);
	MONOCLE__PAUSE (place_two);
	atomic_store (&place, 3);
}

static void
note_place (void)
{
	int here = atomic_load (&place);
	CHECK (atomic_load (&place_of_signal) == -1);
	MONOCLE__PAUSE (place_noting);
	CHECK (atomic_load (&place) == here);
	atomic_store (&place_of_signal, here);
}

static void
a_signal_arrives_at_each_point (void **state)
{
	orders signals = { .name = "signals",
		               .prepare = forget_places,
		               .threads = { { "thread", go_places },
		                            { "signal", note_place, .signal = SIGUSR1, .interrupts = "thread" } },
		               .meets = "place_noting" };
	assert_int_equal (orders_run (&signals), 4); /* at the beginning, at both points, never */
}

static void
stay_at_one_place (void)
{
}

static void
others_go_on_while_a_handler_runs (void **state)
{
	orders signals = { .name = "beside_a_handler",
		               .prepare = forget_places,
		               .threads = { { "thread", stay_at_one_place },
		                            { "other", go_places },
		                            { "signal", note_place, .signal = SIGUSR1, .interrupts = "thread" } } };
	fails_and_says (&signals, "atomic_load (&place) == here");
}

static _Atomic (bool) is_inside;

static void
block_and_work (void)
{
	sigset_t one, before;
	sigemptyset (&one);
	sigaddset (&one, SIGUSR1);
	pthread_sigmask (SIG_BLOCK, &one, &before);
	atomic_store (&is_inside, true);
	MONOCLE__PAUSE (signal_blocked);
	atomic_store (&is_inside, false);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
}

static void
be_outside (void)
{
	CHECK (!atomic_load (&is_inside));
}

static void
a_blocked_signal_arrives_later (void **state)
{
	orders blocked = { .name = "blocked",
		               .threads = { { "thread", block_and_work },
		                            { "signal", be_outside, .signal = SIGUSR1, .interrupts = "thread" } },
		               .meets = "signal_blocked" };
	orders_run (&blocked);
}

/* --- threads of a library's own ---------------------------------------------------------------------------------- */

static pthread_t own;
static _Atomic (bool) is_told;

static void *
serve (void *nothing)
{
	while (!atomic_load (&is_told)) {
		MONOCLE__PAUSE (serve_begins);
		atomic_fetch_add (&number, 1);
		while (!atomic_load (&is_told) && atomic_load (&number) > 0)
			MONOCLE__PAUSE_WAITS (serve_waits);
	}
	return NULL;
}

static void
begin_own (void)
{
	forget_number ();
	atomic_store (&is_told, false);
	CHECK (!pthread_create (&own, NULL, serve, NULL));
}

static void
ask (void)
{
	atomic_store (&number, 0);
	MONOCLE__PAUSE (number_taken);
	atomic_store (&number, 0);
}

static void
end_own (void)
{
	atomic_store (&is_told, true);
	CHECK (!pthread_join (own, NULL));
}

static void
a_thread_of_the_librarys_takes_part (void **state)
{
	orders adopted = { .name = "adopted",
		               .prepare = begin_own,
		               .clean_up = end_own,
		               .threads = { { "ask", ask }, { "serve", .adopts = "serve_begins" } },
		               .meets = "serve_begins serve_waits number_taken" };
	assert_true (orders_run (&adopted) > 3);
}

/* --- ThreadSanitizer --------------------------------------------------------------------------------------------- */

#if defined __SANITIZE_THREAD__
static int plain;

static void
write_plainly (void)
{
	plain++;
	MONOCLE__PAUSE (plain_written);
}

static void
a_data_race_fails_in_any_order (void **state)
{
	orders race = { .name = "race", .threads = { { "one", write_plainly }, { "two", write_plainly } } };
	fails_and_says (&race, "race: order 1 fails");
}
#endif

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_order_of_two_threads_is_run_once),
		cmocka_unit_test (every_order_of_three_threads_is_run_once),
		cmocka_unit_test (each_order_may_have_a_process),
		cmocka_unit_test (switches_may_be_limited),
		cmocka_unit_test (too_many_orders_fail),
		cmocka_unit_test (a_point_that_no_order_meets_fails),
		cmocka_unit_test (an_order_that_fails_is_printed),
		cmocka_unit_test (an_order_is_run_alone),
		cmocka_unit_test (a_broken_invariant_has_an_order),
		cmocka_unit_test (locks_in_one_order_pass),
		cmocka_unit_test (locks_in_two_orders_are_a_deadlock),
		cmocka_unit_test (a_semaphore_is_waited_for),
		cmocka_unit_test (limited_waits_end_as_often_as_is_said),
		cmocka_unit_test (conditions_wake_those_who_listen),
		cmocka_unit_test (a_wait_for_nothing_is_a_deadlock),
		cmocka_unit_test (a_thread_in_the_kernel_waits_for_another_ones_step),
		cmocka_unit_test (a_sleep_ends_when_nothing_else_is_to_be_done),
		cmocka_unit_test (a_loop_looks_again_after_another_ones_step),
		cmocka_unit_test (loops_that_wait_for_each_other_are_a_deadlock),
		cmocka_unit_test (a_signal_arrives_at_each_point),
		cmocka_unit_test (others_go_on_while_a_handler_runs),
		cmocka_unit_test (a_blocked_signal_arrives_later),
		cmocka_unit_test (a_thread_of_the_librarys_takes_part),
#if defined __SANITIZE_THREAD__
		cmocka_unit_test (a_data_race_fails_in_any_order),
#endif
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

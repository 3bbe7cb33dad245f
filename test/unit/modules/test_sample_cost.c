/*
 * SPDX-License-Identifier: MIT
 *
 * What a sample weighs (modules/sample/cost.c), by clocks that are scripted: the module is compiled with the name of
 * this file's scripted_clock () in place of clock_gettime ().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <time.h>

#include "sample.h"

enum { PERIOD = 1000000, SECOND = 1000000000 };

static uint64_t thread_time, real_time;

int
scripted_clock (clockid_t clock, struct timespec *ret_time)
{
	uint64_t now = clock == CLOCK_MONOTONIC ? real_time : clock == CLOCK_THREAD_CPUTIME_ID ? thread_time : 0;
	ret_time->tv_sec = (time_t) (now / SECOND);
	ret_time->tv_nsec = (long) (now % SECOND);
	return 0;
}

/* The calling thread works, and other threads work meanwhile. */
static void
pass (uint64_t own, uint64_t of_others)
{
	thread_time += own;
	real_time += own + of_others;
}

static int
begin (void **state)
{
	thread_time = 5 * PERIOD;
	real_time = SECOND;
	thread_end ((uintptr_t) pthread_self ());
	cost_init (COST_CPU, PERIOD, false, false);
	cost_begin ();
	return 0;
}

/* A hit with `own` of work in the handler. */
static uint64_t
hit (uint64_t own, uint64_t of_others)
{
	uint64_t used = cost_take ();
	if (!used)
		return 0;
	pass (own, of_others);
	cost_done ();
	return used;
}

static void
a_sample_weighs_what_its_thread_used (void **state)
{
	pass (PERIOD, 0);
	assert_int_equal (hit (7000, 0), PERIOD);
	pass (3 * PERIOD, 9 * PERIOD);
	assert_int_equal (hit (7000, 0), 3 * PERIOD);
}

static void
a_little_is_in_the_next_sample (void **state)
{
	pass (PERIOD / 100, 0);
	assert_int_equal (hit (7000, 0), 0);
	pass (PERIOD, 0);
	assert_int_equal (hit (7000, 0), PERIOD + PERIOD / 100);
}

/* The reading is ahead of the thread's clock then: that is no other thread, whose whole life would be counted. */
static void
an_interrupted_hit_is_followed_by_another (void **state)
{
	pass (20 * PERIOD, 0);
	assert_int_equal (hit (7000, 40000), 20 * PERIOD);
	assert_int_equal (hit (7000, 40000), 0);
	pass (1000, 0);
	assert_int_equal (hit (7000, 0), 0);
	pass (PERIOD, 0);
	uint64_t used = hit (7000, 0);
	assert_true (used <= PERIOD + 1000 && used >= PERIOD - 40000);
}

static void
an_interrupted_hit_is_followed_by_the_end (void **state)
{
	pass (20 * PERIOD, 0);
	assert_int_equal (hit (7000, 40000), 20 * PERIOD);
	assert_int_equal (cost_rest (), 0);
}

static void
a_long_interruption_is_not_counted (void **state)
{
	pass (PERIOD, 0);
	assert_int_equal (hit (7000, 5 * PERIOD), PERIOD);
	pass (2 * PERIOD, 0);
	assert_int_equal (hit (7000, 0), 2 * PERIOD);
}

/* Nobody told that the thread before it ended: all that the new one has used is its own. */
static void
a_thread_with_the_id_of_another_is_new (void **state)
{
	pass (20 * PERIOD, 0);
	assert_int_equal (hit (7000, 0), 20 * PERIOD);
	thread_time = 2 * PERIOD;
	assert_int_equal (hit (7000, 0), 2 * PERIOD);
}

int
main (void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (a_sample_weighs_what_its_thread_used, begin),
		cmocka_unit_test_setup (a_little_is_in_the_next_sample, begin),
		cmocka_unit_test_setup (an_interrupted_hit_is_followed_by_another, begin),
		cmocka_unit_test_setup (an_interrupted_hit_is_followed_by_the_end, begin),
		cmocka_unit_test_setup (a_long_interruption_is_not_counted, begin),
		cmocka_unit_test_setup (a_thread_with_the_id_of_another_is_new, begin),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

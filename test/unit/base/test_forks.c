/*
 * SPDX-License-Identifier: MIT
 *
 * test_forks.c - a program forks while nobody holds, or when it has waited long enough. A thread that waits naps, and
 * is seen to.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>
#include "forks.h"
#include "naps.h"

enum { GOOD = 7, LEAST_NS = 500000000, MOST_NS = 2000000000 };

static atomic_bool forked, let_in;
static atomic_int held; /* what a child finds */

/* A child that waits for ever is ended by the alarm, and its parent sees that. */
static int
fork_one (void)
{
	int status = 0;
	pid_t child = fork ();
	if (child == 0) {
		alarm (20);
		monocle__forks_hold ();
		monocle__forks_release ();
		_exit (GOOD + atomic_load (&held));
	}
	atomic_store (&forked, true);
	bool is_over = child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status);
	return is_over ? WEXITSTATUS (status) : -1;
}

static void *
fork_from_bed (void *bed)
{
	naps_take_bed ((int) (intptr_t) bed);
	return (void *) (intptr_t) fork_one ();
}

static void
hold (void)
{
	monocle__forks_hold ();
	atomic_fetch_add (&held, 1);
}

static void
release (void)
{
	atomic_fetch_sub (&held, 1);
	monocle__forks_release ();
}

static void *
hold_from_bed (void *bed)
{
	naps_take_bed ((int) (intptr_t) bed);
	hold ();
	atomic_store (&let_in, true);
	release ();
	return NULL;
}

/* The thread waits when this is back. */
static pthread_t
begin (void *(*run) (void *), int bed)
{
	pthread_t thread;
	assert_int_equal (pthread_create (&thread, NULL, run, (void *) (intptr_t) bed), 0);
	naps_await (bed);
	return thread;
}

/* Nothing holds it up any more. */
static int
end (pthread_t thread, int bed)
{
	void *code;
	naps_free_bed (bed);
	pthread_join (thread, &code);
	return (int) (intptr_t) code;
}

static void
who_is_alone_forks_at_once (void **state)
{
	assert_int_equal (fork_one (), GOOD);
	assert_int_equal (naps_time (), 0);
}

/* The child has a copy of a moment at which nobody held. */
static void
a_fork_waits_for_the_last_holder (void **state)
{
	hold ();
	hold ();
	pthread_t thread = begin (fork_from_bed, 0);
	release ();
	naps_wake (0);
	naps_await (0);
	assert_false (atomic_load (&forked));
	release ();
	assert_int_equal (end (thread, 0), GOOD);
}

/* Two that take turns would hold it for ever. */
static void
who_waits_keeps_others_out (void **state)
{
	hold ();
	pthread_t forks = begin (fork_from_bed, 0), holds = begin (hold_from_bed, 1);
	naps_wake (1);
	naps_await (1);
	release ();
	assert_int_equal (end (forks, 0), GOOD);
	assert_false (atomic_load (&let_in));
	end (holds, 1);
	assert_true (atomic_load (&let_in));
}

/* As where a handler of the program's for forks needs what the holder has. */
static void
no_holder_waits_for_ever (void **state)
{
	hold ();
	pthread_t thread = begin (fork_from_bed, 0);
	uint64_t before = naps_time ();
	hold ();
	assert_in_range (naps_time () - before, LEAST_NS, MOST_NS);
	release ();
	release ();
	assert_int_equal (end (thread, 0), GOOD);
}

static void *
fork_and_say_time (void *nothing)
{
	return fork_one () == GOOD + 1 ? (void *) (uintptr_t) naps_time () : NULL;
}

static void
no_fork_waits_for_ever (void **state)
{
	pthread_t thread;
	void *time;
	hold ();
	assert_int_equal (pthread_create (&thread, NULL, fork_and_say_time, NULL), 0);
	pthread_join (thread, &time);
	assert_in_range ((uintptr_t) time, LEAST_NS, MOST_NS);
	release ();
}

static void
who_holds_may_fork_itself (void **state)
{
	hold ();
	assert_int_equal (fork_one (), GOOD + 1);
	release ();
	assert_int_equal (fork_one (), GOOD);
}

static int
begin_test (void **state)
{
	atomic_store (&forked, false);
	atomic_store (&let_in, false);
	return 0;
}

static int
set_up (void **state)
{
	monocle__forks_begin ();
	monocle__forks_begin ();
	return 0;
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (who_is_alone_forks_at_once, begin_test),
		cmocka_unit_test_setup (a_fork_waits_for_the_last_holder, begin_test),
		cmocka_unit_test_setup (who_waits_keeps_others_out, begin_test),
		cmocka_unit_test_setup (no_holder_waits_for_ever, begin_test),
		cmocka_unit_test_setup (no_fork_waits_for_ever, begin_test),
		cmocka_unit_test_setup (who_holds_may_fork_itself, begin_test),
	};
	return cmocka_run_group_tests (tests, set_up, NULL);
}

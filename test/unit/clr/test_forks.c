/*
 * SPDX-License-Identifier: MIT
 *
 * test_forks.c - a program forks while nobody holds, or when it has waited long enough.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "forks.h"
#include "nanoseconds.h"

enum { A_WHILE = 20000, GOOD = 7 };

static atomic_bool forks, forked;
static atomic_int held; /* what a child finds */

/* A child that waits for ever is ended by the alarm, and its parent sees that. */
static void *
fork_one (void *nothing)
{
	int status = 0;
	atomic_store (&forks, true);
	pid_t child = fork ();
	if (child == 0) {
		alarm (20);
		monocle__forks_hold ();
		monocle__forks_release ();
		_exit (GOOD + atomic_load (&held));
	}
	atomic_store (&forked, true);
	bool is_over = child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status);
	return (void *) (intptr_t) (is_over ? WEXITSTATUS (status) : -1);
}

static pthread_t
begin (void)
{
	pthread_t thread;
	atomic_store (&forks, false);
	atomic_store (&forked, false);
	assert_int_equal (pthread_create (&thread, NULL, fork_one, NULL), 0);
	while (!atomic_load (&forks))
		usleep (1000);
	usleep (A_WHILE);
	return thread;
}

static int
end (pthread_t thread)
{
	void *code;
	pthread_join (thread, &code);
	return (int) (intptr_t) code;
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

static void
who_is_alone_forks_at_once (void **state)
{
	assert_int_equal (end (begin ()), GOOD);
}

/* The child has a copy of a moment at which nobody held. False: this thread was too slow, so that the fork went. */
static bool
is_waited_for (void)
{
	enum { PATIENCE_NS = 500000000 };
	uint64_t start = monocle__nanoseconds (CLOCK_MONOTONIC);
	hold ();
	hold ();
	pthread_t thread = begin ();
	bool has_forked = atomic_load (&forked);
	release ();
	release ();
	bool in_time = monocle__nanoseconds (CLOCK_MONOTONIC) - start < PATIENCE_NS;
	int code = end (thread);
	assert_true (!in_time || (!has_forked && code == GOOD));
	return in_time;
}

static void
a_fork_waits_for_the_last_holder (void **state)
{
	while (!is_waited_for ())
		;
}

static atomic_bool is_over;

static void *
hold_again_and_again (void *nothing)
{
	while (!atomic_load (&is_over)) {
		hold ();
		usleep (300);
		release ();
	}
	return NULL;
}

/* Two that take turns would hold it for ever. */
static void
who_waits_keeps_others_out (void **state)
{
	pthread_t holders[2];
	atomic_store (&is_over, false);
	for (int i = 0; i < 2; i++)
		assert_int_equal (pthread_create (&holders[i], NULL, hold_again_and_again, NULL), 0);
	int good = 0;
	for (int i = 0; i < 5; i++)
		good += (int) (intptr_t) fork_one (NULL) == GOOD;
	atomic_store (&is_over, true);
	for (int i = 0; i < 2; i++)
		pthread_join (holders[i], NULL);
	assert_in_range (good, 3, 5); /* a holder without CPU may be waited for in vain */
}

/* As where a handler of the program's for forks needs what the holder has. */
static void
no_holder_waits_for_ever (void **state)
{
	hold ();
	pthread_t thread = begin ();
	hold ();
	release ();
	release ();
	assert_in_range (end (thread), GOOD, GOOD + 2);
}

static void
no_fork_waits_for_ever (void **state)
{
	enum { LEAST_NS = 500000000 };
	uint64_t start = monocle__nanoseconds (CLOCK_MONOTONIC);
	hold ();
	assert_int_equal (end (begin ()), GOOD + 1);
	assert_true (monocle__nanoseconds (CLOCK_MONOTONIC) - start > LEAST_NS);
	release ();
}

static void
who_holds_may_fork_itself (void **state)
{
	hold ();
	assert_int_equal ((int) (intptr_t) fork_one (NULL), GOOD + 1);
	release ();
	assert_int_equal (end (begin ()), GOOD);
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
		cmocka_unit_test (who_is_alone_forks_at_once), cmocka_unit_test (a_fork_waits_for_the_last_holder),
		cmocka_unit_test (who_waits_keeps_others_out), cmocka_unit_test (no_fork_waits_for_ever),
		cmocka_unit_test (no_holder_waits_for_ever),   cmocka_unit_test (who_holds_may_fork_itself),
	};
	return cmocka_run_group_tests (tests, set_up, NULL);
}

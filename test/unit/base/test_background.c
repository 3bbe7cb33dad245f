/*
 * SPDX-License-Identifier: MIT
 *
 * test_background.c - a thread that no signal reaches, and how it sleeps.
 */
#include "background.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "nanoseconds.h"

static sigset_t blocked;
static size_t stack_size;

static void *
look (void *data)
{
	pthread_attr_t attributes;

	pthread_sigmask (SIG_BLOCK, NULL, &blocked);
	pthread_getattr_np (pthread_self (), &attributes);
	pthread_attr_getstacksize (&attributes, &stack_size);
	pthread_attr_destroy (&attributes);
	return data;
}

static void
the_thread_has_all_signals_blocked_and_its_maker_has_not (void **state)
{
	sigset_t before, after;
	pthread_t thread;
	void *result;

	pthread_sigmask (SIG_BLOCK, NULL, &before);
	assert_true (monocle__background_start (&thread, look, &thread, 0));
	pthread_join (thread, &result);
	pthread_sigmask (SIG_BLOCK, NULL, &after);
	assert_ptr_equal (result, &thread);
	assert_true (sigismember (&blocked, SIGTERM) && sigismember (&blocked, SIGPROF) && sigismember (&blocked, SIGUSR1));
	assert_int_equal (sigismember (&after, SIGTERM), sigismember (&before, SIGTERM));
	assert_int_equal (sigismember (&after, SIGPROF), sigismember (&before, SIGPROF));
}

static void
a_stack_is_as_large_as_asked_for_and_never_too_small (void **state)
{
	pthread_t thread;

	assert_true (monocle__background_start (&thread, look, NULL, 512 << 10));
	pthread_join (thread, NULL);
	assert_in_range (stack_size, 512 << 10, 1 << 20);
	assert_true (monocle__background_start (&thread, look, NULL, 1));
	pthread_join (thread, NULL);
}

static void
a_thread_that_cannot_be_made_is_told_of (void **state)
{
	pthread_t thread;

	assert_false (monocle__background_start (&thread, look, NULL, SIZE_MAX / 4));
}

static void
sleeping_ends_with_the_time_or_with_a_post (void **state)
{
	uint64_t begun = monocle__nanoseconds (CLOCK_MONOTONIC);
	sem_t wake;

	sem_init (&wake, 0, 1);
	monocle__background_sleep (&wake, UINT64_C (3600) * MONOCLE__NANOSECONDS_SECOND);
	monocle__background_sleep (&wake, 2000000);
	assert_true (monocle__nanoseconds (CLOCK_MONOTONIC) - begun >= 2000000);
	assert_int_equal (sem_trywait (&wake), -1);
	sem_destroy (&wake);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (the_thread_has_all_signals_blocked_and_its_maker_has_not),
		cmocka_unit_test (a_stack_is_as_large_as_asked_for_and_never_too_small),
		cmocka_unit_test (a_thread_that_cannot_be_made_is_told_of),
		cmocka_unit_test (sleeping_ends_with_the_time_or_with_a_post),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

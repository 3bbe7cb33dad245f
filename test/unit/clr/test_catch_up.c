/*
 * SPDX-License-Identifier: MIT
 *
 * test_catch_up.c - what goes while it is asked about waits.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "catch-up.h"

static atomic_int goes, gone;

static void *
unload (void *nothing)
{
	atomic_fetch_add (&goes, 1);
	monocle__catch_up_await ();
	atomic_fetch_add (&gone, 1);
	return NULL;
}

static void
nothing_waits_where_nothing_is_asked (void **state)
{
	assert_false (monocle__catch_up_is_on ());
	monocle__catch_up_await ();
	monocle__catch_up_end ();
	monocle__catch_up_await ();
}

static void
what_goes_waits_until_all_has_been_asked (void **state)
{
	enum { THREADS = 4, A_WHILE = 20000 };
	pthread_t threads[THREADS];
	monocle__catch_up_begin ();
	for (int i = 0; i < THREADS; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, unload, NULL), 0);
	while (atomic_load (&goes) != THREADS)
		usleep (1000);
	usleep (A_WHILE);
	assert_true (monocle__catch_up_is_on ());
	assert_int_equal (atomic_load (&gone), 0);
	monocle__catch_up_end ();
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	assert_int_equal (atomic_load (&gone), THREADS);
	assert_false (monocle__catch_up_is_on ());
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (nothing_waits_where_nothing_is_asked),
		cmocka_unit_test (what_goes_waits_until_all_has_been_asked),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

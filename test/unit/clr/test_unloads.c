/*
 * SPDX-License-Identifier: MIT
 *
 * test_unloads.c - what goes waits while anybody asks about it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "naps.h"
#include "unloads.h"

enum { THREADS = NAPS_BEDS };

static atomic_int gone;

static void *
unload (void *bed)
{
	naps_take_bed ((int) (intptr_t) bed);
	monocle__unloads_await ();
	atomic_fetch_add (&gone, 1);
	return NULL;
}

static void
nothing_waits_where_nobody_holds (void **state)
{
	monocle__unloads_await ();
	monocle__unloads_hold ();
	monocle__unloads_release ();
	monocle__unloads_await ();
	assert_int_equal (naps_time (), 0);
}

/* Each of the threads has looked, and naps. */
static void
none_has_gone (void)
{
	for (int i = 0; i < THREADS; i++)
		naps_await (i);
	assert_int_equal (atomic_load (&gone), 0);
}

static void
what_goes_waits_for_the_last_who_holds (void **state)
{
	pthread_t threads[THREADS];
	monocle__unloads_hold ();
	monocle__unloads_hold ();
	for (intptr_t i = 0; i < THREADS; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, unload, (void *) i), 0);
	none_has_gone ();
	monocle__unloads_release ();
	for (int i = 0; i < THREADS; i++)
		naps_wake (i);
	none_has_gone ();
	monocle__unloads_release ();
	for (int i = 0; i < THREADS; i++) {
		naps_free_bed (i);
		pthread_join (threads[i], NULL);
	}
	assert_int_equal (atomic_load (&gone), THREADS);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (nothing_waits_where_nobody_holds),
		cmocka_unit_test (what_goes_waits_for_the_last_who_holds),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

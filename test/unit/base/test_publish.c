/*
 * SPDX-License-Identifier: MIT
 *
 * test_publish.c - the first stays, also when many come at once.
 */
#include "publish.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 2000 };

static _Atomic (int *) slots[ROUNDS];
static int values[THREADS][ROUNDS];
static int *seen[THREADS][ROUNDS];

static void
the_first_stays_and_nothing_changes_nothing (void **state)
{
	_Atomic (const char *) slot = NULL;
	const char *first = "first", *second = "second", *none = NULL;

	assert_null (MONOCLE__PUBLISH (&slot, none));
	assert_null (atomic_load (&slot));
	assert_ptr_equal (MONOCLE__PUBLISH (&slot, first), first);
	assert_ptr_equal (MONOCLE__PUBLISH (&slot, second), first);
	assert_null (MONOCLE__PUBLISH (&slot, none));
	assert_ptr_equal (atomic_load (&slot), first);
}

static void *
publish_all (void *data)
{
	intptr_t thread = (intptr_t) data;

	for (int i = 0; i < ROUNDS; i++) {
		values[thread][i] = 1;
		seen[thread][i] = MONOCLE__PUBLISH (&slots[i], &values[thread][i]);
	}
	return NULL;
}

static void
threads_agree_on_who_was_first_and_see_it_whole (void **state)
{
	pthread_t threads[THREADS];

	for (intptr_t t = 0; t < THREADS; t++)
		assert_int_equal (pthread_create (&threads[t], NULL, publish_all, (void *) t), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join (threads[t], NULL);
	for (int i = 0; i < ROUNDS; i++) {
		for (int t = 0; t < THREADS; t++)
			assert_ptr_equal (seen[t][i], slots[i]);
		assert_int_equal (*slots[i], 1);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (the_first_stays_and_nothing_changes_nothing),
		cmocka_unit_test (threads_agree_on_who_was_first_and_see_it_whole),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

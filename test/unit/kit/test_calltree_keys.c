/*
 * SPDX-License-Identifier: MIT
 *
 * test_calltree_keys.c - calls are counted whatever keys the process has left: threads have parts of their own, and
 * give them back.
 */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "child.h"
#include "tree.h"

#include <cmocka.h>

enum { THREADS = 8, CALLS = 1000, DEEP = 5000 /* deeper than one fold */ };

static char a[] = "a", b[] = "b";
static monocle_kit_spool *spool;

static void *
call (void *data)
{
	for (int i = 0; i < CALLS; i++) {
		monocle_kit_calls_enter (spool, a);
		monocle_kit_calls_enter (spool, b);
		monocle_kit_calls_leave (spool, b);
		monocle_kit_calls_leave (spool, a);
	}
	for (int i = 0; i < DEEP; i++)
		monocle_kit_calls_enter (spool, b);
	monocle_kit_calls_leave (spool, a); /* which is not open */
	for (int i = 0; i < DEEP; i++)
		monocle_kit_calls_leave (spool, b);
	monocle_kit_calls_leave (spool, b); /* nor is this */
	return data;
}

static void
call_on_threads (void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		CHECK (pthread_create (&threads[i], NULL, call, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
}

static void
count (struct monocle__call_thread *thread, void *data)
{
	++*(unsigned *) data;
}

/* `most`: parts that may have been made, by this thread and by two rows of others. */
static void
check_counts (bool times, unsigned most)
{
	enum { ALL = 2 * THREADS + 1 };
	unsigned parts = 0;
	CHECK (tree_setup (NULL) == 0);
	spool = tree_open (times, false, 0);
	CHECK (spool);
	call (NULL);
	call_on_threads ();
	call_on_threads ();
	CHECK (tree_calls (spool, "a") == ALL * CALLS);
	CHECK (tree_calls (spool, "a;b") == ALL * CALLS);
	CHECK (tree_calls (spool, "b") == ALL);
	CHECK (tree_calls (spool, "b;b") == ALL);
	CHECK (tree_loss (spool, MONOCLE__LOSS_UNMATCHED) == 2 * ALL);
	CHECK (tree_loss (spool, MONOCLE__LOSS_UNBALANCED) + tree_loss (spool, MONOCLE__LOSS_NESTED) == 0);
	monocle__call_thread_each (count, &parts);
	CHECK (parts > 1 && parts <= most);
	CHECK (tree_teardown (NULL) == 0);
}

static void
take_keys (int most)
{
	pthread_key_t key;
	while (most-- && pthread_key_create (&key, NULL) == 0)
		;
}

CHILD_TEST (calls_are_counted_by_a_key_with_a_place)
{
	check_counts (true, THREADS + 1);
}

CHILD_TEST (calls_are_counted_where_no_key_has_a_place)
{
	take_keys (64);
	check_counts (true, THREADS + 1);
}

CHILD_TEST (so_they_are_without_times)
{
	take_keys (64);
	check_counts (false, THREADS + 1);
}

/* The end of a thread is not told then. */
CHILD_TEST (calls_are_counted_where_no_key_is_left)
{
	take_keys (PTHREAD_KEYS_MAX);
	check_counts (true, 2 * THREADS + 1);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (calls_are_counted_by_a_key_with_a_place),
		cmocka_unit_test (calls_are_counted_where_no_key_has_a_place),
		cmocka_unit_test (so_they_are_without_times),
		cmocka_unit_test (calls_are_counted_where_no_key_is_left),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

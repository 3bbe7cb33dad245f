/*
 * SPDX-License-Identifier: MIT
 *
 * test_native.c - the map of native objects while libraries come and go under threads that ask it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

#include "code/eh-frame.h"
#include "code/native.h"

enum { THREADS = 3, ROUNDS = 60 };

static atomic_bool ended;
static _Atomic unsigned long answers;

static bool
find (uintptr_t ip, monocle__unwind_rule *ret, bool *ret_starts)
{
	monocle__native_hold hold = monocle__native_enter ();
	bool found = monocle__native_find (hold, ip, ret, ret_starts);
	monocle__native_leave (hold);
	return found;
}

static void
before_anything_is_read_nothing_is_known (void **state)
{
	monocle__unwind_rule rule;
	bool starts;
	assert_false (find ((uintptr_t) qsort, &rule, &starts));
}

static void
functions_are_found_where_they_begin (void **state)
{
	monocle__unwind_rule rule;
	bool starts;
	assert_true (monocle__native_read ());
	for (int i = 0; i < 2; i++) { /* the second time it may come from the answers that are kept */
		assert_true (find ((uintptr_t) functions_are_found_where_they_begin, &rule, &starts));
		assert_true (starts);
		assert_int_equal (monocle__rule_kind (rule), MONOCLE__CFA_SP);
		assert_int_equal (monocle__rule_offset (rule), 8);
		assert_true (find ((uintptr_t) functions_are_found_where_they_begin + 1, &rule, &starts));
		assert_false (starts);
	}
	assert_false (find ((uintptr_t) &rule, &rule, &starts));
	assert_false (find (0, &rule, &starts));
	assert_false (find (UINTPTR_MAX, &rule, &starts));
}

enum { PLACES = 20000, STEP = 7 };

/* Another map has no answers of the one before. */
static void
forget_answers (void)
{
	void *library = dlopen ("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	assert_true (monocle__native_read ());
	if (library)
		dlclose (library);
	assert_true (monocle__native_read ());
}

static monocle__unwind_rule
rule_at (uintptr_t ip)
{
	monocle__unwind_rule rule;
	bool starts;
	assert_true (find (ip, &rule, &starts));
	return rule << 1 | starts;
}

static void
few_questions_read_no_rows_and_many_read_all (void **state)
{
	static monocle__unwind_rule singly[PLACES];
	monocle__native_counts before, after;
	uintptr_t first = (uintptr_t) qsort - STEP * PLACES / 2;
	monocle__native_count (&before);
	assert_true (before.objects > 2 && before.lookups > 2);
	assert_int_equal (before.rows, 0);
	assert_false (monocle__native_is_behind ());
	for (int i = 0; i < PLACES; i++)
		singly[i] = rule_at (first + (uintptr_t) i * STEP);
	assert_true (monocle__native_is_behind ());
	assert_true (monocle__native_read ());
	assert_false (monocle__native_is_behind ());
	monocle__native_count (&after);
	assert_true (after.rows > 1000 && after.functions > 500);
	assert_int_equal (after.skipped, 0);
	assert_true (after.bytes >= after.rows * sizeof (monocle__unwind_row));
	forget_answers ();
	for (int i = 0; i < PLACES; i++)
		assert_int_equal (singly[i], rule_at (first + (uintptr_t) i * STEP));
	monocle__native_counts whole;
	monocle__native_count (&whole);
	assert_int_equal (whole.lookups, after.lookups); /* all came from the rows */
}

static void
what_is_known_is_not_read_again (void **state)
{
	monocle__native_counts before, after;
	monocle__native_count (&before);
	assert_true (monocle__native_read ());
	monocle__native_count (&after);
	assert_int_equal (after.readings, before.readings);
}

static void
what_has_gone_has_no_rule (void **state)
{
	monocle__unwind_rule rule;
	bool starts;
	void *library = dlopen ("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	uintptr_t inside = (uintptr_t) dlsym (library, "deflate");
	assert_true (monocle__native_read ());
	dlclose (library);
	if (dlopen ("libz.so.1", RTLD_NOW | RTLD_NOLOAD))
		return; /* somebody else needs it */
	assert_true (find (inside, &rule, &starts));
	assert_int_equal (monocle__rule_kind (rule), MONOCLE__CFA_UNKNOWN);
	assert_false (starts);
	assert_true (monocle__native_read ());
	assert_false (find (inside, &rule, &starts));
}

static void *
ask (void *nothing)
{
	uintptr_t ips[] = { (uintptr_t) qsort, (uintptr_t) malloc, (uintptr_t) ask, (uintptr_t) pthread_create };
	unsigned long count = 0;
	while (!atomic_load (&ended)) {
		monocle__unwind_rule rule;
		bool starts;
		for (size_t i = 0; i < sizeof ips / sizeof *ips; i++)
			if (!find (ips[i] + count % 3, &rule, &starts))
				abort (); /* these never go */
		count++;
	}
	atomic_fetch_add (&answers, count);
	return NULL;
}

/* A library that is loaded is found, and is not when it has gone; who asks meanwhile is never disturbed. */
static void
libraries_come_and_go_under_readers (void **state)
{
	pthread_t threads[THREADS];
	monocle__native_counts counts;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, ask, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		monocle__unwind_rule rule;
		bool starts;
		void *library = dlopen ("libz.so.1", RTLD_NOW | RTLD_LOCAL);
		if (!library)
			break;
		uintptr_t inside = (uintptr_t) dlsym (library, "deflate");
		assert_true (monocle__native_read ());
		assert_true (find (inside, &rule, &starts));
		dlclose (library);
		assert_true (monocle__native_read ());
	}
	atomic_store (&ended, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	monocle__native_count (&counts);
	assert_true (counts.readings > ROUNDS);
	assert_true (answers > 100);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (before_anything_is_read_nothing_is_known),
		cmocka_unit_test (functions_are_found_where_they_begin),
		cmocka_unit_test (few_questions_read_no_rows_and_many_read_all),
		cmocka_unit_test (what_is_known_is_not_read_again),
		cmocka_unit_test (what_has_gone_has_no_rule),
		cmocka_unit_test (libraries_come_and_go_under_readers),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

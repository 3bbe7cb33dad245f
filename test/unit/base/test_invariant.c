/*
 * SPDX-License-Identifier: MIT
 *
 * test_invariant.c - a broken invariant ends the process and says where, in a build that checks; in one that does not
 * it is not even looked at. Built twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "child.h"
#include "invariant.h"

static int asked;

static int
ask (int answer)
{
	asked++;
	return answer;
}

enum { BROKEN_LINE = __LINE__ + 6 };

static void
break_one (void)
{
	setrlimit (RLIMIT_CORE, &(struct rlimit) { 0, 0 });
	MONOCLE__INVARIANT (ask (7) == 8);
}

#ifdef MONOCLE_INVARIANTS

static void
a_broken_invariant_is_told_and_aborts (void **state)
{
	char output[1024], expected[256];
	int status = child_run (break_one, output, sizeof output);
	assert_true (WIFSIGNALED (status));
	assert_int_equal (WTERMSIG (status), SIGABRT);
	snprintf (expected, sizeof expected, "monocle: %s:%d: broken invariant: ask (7) == 8\n", __FILE__, BROKEN_LINE);
	assert_string_equal (output, expected);
}

static void
one_that_holds_is_asked_once (void **state)
{
	asked = 0;
	MONOCLE__INVARIANT (ask (8) == 8);
	assert_int_equal (asked, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (a_broken_invariant_is_told_and_aborts),
	cmocka_unit_test (one_that_holds_is_asked_once),
};

#else

static void
nothing_is_evaluated (void **state)
{
	assert_int_equal (ask (7), 7);
	asked = 0;
	break_one ();
	assert_int_equal (asked, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (nothing_is_evaluated),
};

#endif

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}

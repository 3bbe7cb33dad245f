/*
 * SPDX-License-Identifier: MIT
 *
 * test_nanoseconds.c - times as one number and as the system has them.
 */
#include "nanoseconds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
times_go_there_and_back (void **state)
{
	struct timespec time = monocle__nanoseconds_timespec (UINT64_C (1790000000999999999));

	assert_int_equal (time.tv_sec, 1790000000);
	assert_int_equal (time.tv_nsec, 999999999);
	assert_true (monocle__nanoseconds_of (time) == UINT64_C (1790000000999999999));
	assert_true (monocle__nanoseconds_of (monocle__nanoseconds_timespec (0)) == 0);
}

static void
clocks_go_forward (void **state)
{
	uint64_t before = monocle__nanoseconds (CLOCK_MONOTONIC), after = monocle__nanoseconds (CLOCK_MONOTONIC);

	assert_true (before && after >= before);
	assert_true (monocle__nanoseconds (CLOCK_REALTIME) > UINT64_C (1500000000) * MONOCLE__NANOSECONDS_SECOND);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (times_go_there_and_back),
		cmocka_unit_test (clocks_go_forward),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_duration.c - times are read to the nanosecond, and nothing else is taken for one.
 */
#include "duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SECOND = 1000000000 };

static void
each_unit_is_read (void **state)
{
	static const struct {
		const char *text;
		uint64_t nanoseconds;
	} rows[] = { { "7ns", 7 },
		         { "250us", 250000 },
		         { "5ms", 5000000 },
		         { "10s", UINT64_C (10) * SECOND },
		         { "2m", UINT64_C (120) * SECOND },
		         { "300h", UINT64_C (1080000) * SECOND },
		         { "0s", 0 },
		         { "18446744073709551615ns", UINT64_MAX } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t time = 1;
		assert_true (monocle__duration_read (rows[i].text, 0, &time));
		assert_int_equal (time, rows[i].nanoseconds);
	}
}

static void
a_fraction_is_read_as_far_as_there_are_nanoseconds (void **state)
{
	uint64_t time;
	assert_true (monocle__duration_read ("1.5s", 0, &time));
	assert_int_equal (time, 1500000000);
	assert_true (monocle__duration_read ("0.5h", 0, &time));
	assert_int_equal (time, UINT64_C (1800) * SECOND);
	assert_true (monocle__duration_read ("0.0000000019s", 0, &time));
	assert_int_equal (time, 1);
	assert_true (monocle__duration_read ("2.9ns", 0, &time));
	assert_int_equal (time, 2);
}

static void
a_number_alone_is_what_the_caller_says (void **state)
{
	uint64_t time = 1;
	assert_true (monocle__duration_read ("1.25", SECOND, &time));
	assert_int_equal (time, 1250000000);
	assert_false (monocle__duration_read ("5", 0, &time));
	assert_false (monocle__duration_read ("0.5", 0, &time));
	assert_int_equal (time, 1250000000);
	assert_true (monocle__duration_read ("0", 0, &time));
	assert_int_equal (time, 0);
}

static void
what_is_no_time_is_refused (void **state)
{
	static const char *const texts[] = { "",
		                                 "s",
		                                 "-1s",
		                                 "+1s",
		                                 " 1s",
		                                 "1 s",
		                                 "1s ",
		                                 "1S",
		                                 "1.s",
		                                 ".5s",
		                                 "1..5s",
		                                 "1e3s",
		                                 "0x1s",
		                                 "1sec",
		                                 "1d",
		                                 "1.5.5s",
		                                 "18446744073709551616ns",
		                                 "18446744073.709551616s",
		                                 "99999999999999999999h" };
	uint64_t time = 42;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_false (monocle__duration_read (texts[i], SECOND, &time));
	assert_int_equal (time, 42);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_unit_is_read),
		cmocka_unit_test (a_fraction_is_read_as_far_as_there_are_nanoseconds),
		cmocka_unit_test (a_number_alone_is_what_the_caller_says),
		cmocka_unit_test (what_is_no_time_is_refused),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

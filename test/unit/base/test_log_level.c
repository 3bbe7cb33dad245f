/*
 * SPDX-License-Identifier: MIT
 *
 * test_log_level.c - which texts name a level, and what a level includes.
 */
#include "log-level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
three_words_and_nothing_else_are_levels (void **state)
{
	static const char *const wrong[] = { "Info", "info ", "2", "warn", "\xff", "errorr" };
	monocle__log_level level = MONOCLE__LEVEL_DEBUG;
	assert_true (monocle__log_level_read ("", &level) && level == MONOCLE__LEVEL_ERROR);
	assert_true (monocle__log_level_read ("debug", &level) && level == MONOCLE__LEVEL_DEBUG);
	assert_true (monocle__log_level_read ("error", &level) && level == MONOCLE__LEVEL_ERROR);
	assert_true (monocle__log_level_read ("info", &level) && level == MONOCLE__LEVEL_INFO);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false (monocle__log_level_read (wrong[i], &level));
	assert_int_equal (level, MONOCLE__LEVEL_INFO);
}

/* It is read once: a program that changes its environment changes nothing. */
static void
a_level_includes_those_below_it (void **state)
{
	setenv ("MONOCLE_LOG_LEVEL", "info", 1);
	assert_true (monocle__log_level_is (MONOCLE__LEVEL_INFO));
	assert_true (monocle__log_level_is (MONOCLE__LEVEL_ERROR));
	assert_false (monocle__log_level_is (MONOCLE__LEVEL_DEBUG));
	setenv ("MONOCLE_LOG_LEVEL", "debug", 1);
	assert_false (monocle__log_level_is (MONOCLE__LEVEL_DEBUG));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (three_words_and_nothing_else_are_levels),
	cmocka_unit_test (a_level_includes_those_below_it),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}

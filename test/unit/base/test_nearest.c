/*
 * SPDX-License-Identifier: MIT
 *
 * test_nearest.c - how far words are from each other, and which one is taken.
 */
#include "nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
a_step_is_a_letter_put_in_taken_out_replaced_or_swapped (void **state)
{
	assert_int_equal (monocle__nearest_distance ("output", "output"), 0);
	assert_int_equal (monocle__nearest_distance ("outptu", "output"), 1);
	assert_int_equal (monocle__nearest_distance ("ouput", "output"), 1);
	assert_int_equal (monocle__nearest_distance ("uotptu", "output"), 2);
	assert_int_equal (monocle__nearest_distance ("ca", "abc"), 3);
	assert_int_equal (monocle__nearest_distance ("kitten", "sitting"), 3);
	assert_int_equal (monocle__nearest_distance ("", "four"), 4);
	assert_int_equal (monocle__nearest_distance ("", ""), 0);
}

static void
long_words_are_far_away (void **state)
{
	char word[MONOCLE__NEAREST_MOST + 2];

	memset (word, 'a', sizeof word);
	word[MONOCLE__NEAREST_MOST + 1] = '\0';
	assert_int_equal (monocle__nearest_distance (word, word), MONOCLE__NEAREST_MOST);
	word[MONOCLE__NEAREST_MOST] = '\0';
	assert_int_equal (monocle__nearest_distance (word, word), 0);
	assert_int_equal (monocle__nearest_distance ("", word), MONOCLE__NEAREST_MOST);
}

static void
the_first_of_the_nearest_is_meant_when_it_is_near_enough (void **state)
{
	static const char *const names[] = { "report", "run", "sum" }, *const modules[] = { "calls", "sample" };
	char word[MONOCLE__NEAREST_MOST * 2 + 1];

	assert_string_equal (monocle__nearest ("rum", names, 3), "run");
	assert_string_equal (monocle__nearest ("rep", names, 3), "report");
	assert_null (monocle__nearest ("xyzxyz", names, 3));
	assert_string_equal (monocle__nearest ("ropert", names, 3), "report");
	assert_string_equal (monocle__nearest ("rnu", names, 3), "run");
	assert_null (monocle__nearest ("mean", names, 3));
	assert_string_equal (monocle__nearest ("smaple", modules, 2), "sample");
	assert_null (monocle__nearest ("alloc", modules, 2));
	assert_null (monocle__nearest ("", names, 0));
	memset (word, 'a', sizeof word);
	word[sizeof word - 1] = '\0';
	assert_null (monocle__nearest (word, names, 3));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_step_is_a_letter_put_in_taken_out_replaced_or_swapped),
		cmocka_unit_test (long_words_are_far_away),
		cmocka_unit_test (the_first_of_the_nearest_is_meant_when_it_is_near_enough),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

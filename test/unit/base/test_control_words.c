/*
 * SPDX-License-Identifier: MIT
 *
 * test_control_words.c - which requests there are, and that every other line is an error in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "control-words.h"

static const char *
read (const char *line, monocle__control_request *ret_request)
{
	return monocle__control_words_read (line, strlen (line), ret_request);
}

static void
each_verb_is_read_with_and_without_a_module (void **state)
{
	monocle__control_request request;
	char line[64];
	for (int verb = 0; verb < MONOCLE__CONTROL_VERBS; verb++) {
		snprintf (line, sizeof line, "monocle 1 %s calls", monocle__control_words_verb ((monocle__control_verb) verb));
		assert_null (read (line, &request));
		assert_int_equal (request.verb, verb);
		assert_string_equal (request.argument, "calls");
	}
	assert_null (read ("monocle 1 stop", &request));
	assert_int_equal (request.verb, MONOCLE__CONTROL_STOP);
	assert_string_equal (request.argument, "");
}

static void
what_is_loaded_is_the_rest_of_the_line (void **state)
{
	monocle__control_request request;
	assert_null (read ("monocle 1 load calls:callspec='N:A B',output=/a b", &request));
	assert_int_equal (request.verb, MONOCLE__CONTROL_LOAD);
	assert_string_equal (request.argument, "calls:callspec='N:A B',output=/a b");
}

static void
other_lines_are_errors_and_touch_nothing (void **state)
{
	static const char *const lines[] = { "",
		                                 "monocle",
		                                 "monocle 1",
		                                 "monocle 2 status",
		                                 "monocle 1x status",
		                                 "Monocle 1 status",
		                                 " monocle 1 status",
		                                 "monocle  1 status",
		                                 "monocle 1 statusx",
		                                 "monocle 1 stop a b",
		                                 "monocle 1 load",
		                                 "monocle 1 load ",
		                                 "monocle 1 status\r",
		                                 "monocle 1 status\x7f",
		                                 "\xff\xfe" };
	monocle__control_request request = { MONOCLE__CONTROL_VERBS, "untouched" };
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *error = read (lines[i], &request);
		assert_non_null (error);
		assert_true (strlen (error) < 100 && !strchr (error, '\n'));
		assert_int_equal (request.verb, MONOCLE__CONTROL_VERBS);
		assert_string_equal (request.argument, "untouched");
	}
	assert_non_null (monocle__control_words_read ("monocle 1 status\0x", 18, &request));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_verb_is_read_with_and_without_a_module),
		cmocka_unit_test (what_is_loaded_is_the_rest_of_the_line),
		cmocka_unit_test (other_lines_are_errors_and_touch_nothing),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

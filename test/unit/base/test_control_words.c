/*
 * SPDX-License-Identifier: MIT
 *
 * test_control_words.c - which requests there are, and that every other line is an error in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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
		const char *word = monocle__control_words_verb ((monocle__control_verb) verb);
		const char *argument = verb == MONOCLE__CONTROL_UNLOAD ? ""
		                     : verb == MONOCLE__CONTROL_STACKS ? "threads /a b"
		                                                       : "calls";
		snprintf (line, sizeof line, "monocle %d %s%s%s", monocle__control_words_version (word), word,
		          *argument ? " " : "", argument);
		assert_null (read (line, &request));
		assert_int_equal (request.verb, verb);
		assert_string_equal (request.argument, argument);
		line[sizeof "monocle " - 1] = '3';
		assert_null (read (line, &request));
	}
	assert_null (read ("monocle 1 stop", &request));
	assert_int_equal (request.verb, MONOCLE__CONTROL_STOP);
	assert_string_equal (request.argument, "");
}

static void
what_is_loaded_is_the_rest_of_the_line (void **state)
{
	monocle__control_request request;
	assert_null (read ("monocle 2 load 0 MONOCLE_PROFILE=calls:callspec='N:A\\ B',output=/a A=", &request));
	assert_int_equal (request.verb, MONOCLE__CONTROL_LOAD);
	assert_string_equal (request.argument, "0 MONOCLE_PROFILE=calls:callspec='N:A\\ B',output=/a A=");
}

static void
settings_are_read_as_they_were_written (void **state)
{
	static const monocle__attach_block good = { 4294967295u, 3, { "MONOCLE_PROFILE=a:b\\ c  d\\", "A_1=", "B= =x" } };
	monocle__attach_block settings;
	char text[128], small[40];
	size_t length = monocle__control_words_load (&good, text, sizeof text);
	assert_int_equal (length, strlen (text));
	assert_string_equal (text, "load 4294967295 MONOCLE_PROFILE=a:b\\\\\\ c\\ \\ d\\\\ A_1= B=\\ =x");
	assert_null (monocle__control_words_settings (text + 5, &settings));
	assert_int_equal (settings.milliseconds, good.milliseconds);
	assert_int_equal (settings.count, good.count);
	for (uint32_t i = 0; i < good.count; i++)
		assert_string_equal (settings.texts[i], good.texts[i]);
	assert_null (settings.texts[good.count]);
	assert_string_equal (monocle__attach_block_find (&settings, "B"), " =x");
	assert_null (monocle__attach_block_find (&settings, "MONOCLE_PROFIL"));
	assert_int_equal (monocle__control_words_load (&good, small, sizeof small), 0);
	settings = (monocle__attach_block) { 0, 1, { "A=two\nlines" } };
	assert_int_equal (monocle__control_words_load (&settings, text, sizeof text), 0);
}

static void
what_is_no_setting_is_refused_in_words (void **state)
{
	static const char *const arguments[] = { "",
		                                     "sample",
		                                     "MONOCLE_PROFILE=sample",
		                                     "-1 MONOCLE_PROFILE=sample",
		                                     "4294967296 MONOCLE_PROFILE=sample",
		                                     "99999999999999999999 MONOCLE_PROFILE=sample",
		                                     "0",
		                                     "0 ",
		                                     "0 MONOCLE_PROFILE=",
		                                     "0 MONOCLE_PROFILE=sample sample",
		                                     "0 MONOCLE_PROFILE=sample =x",
		                                     "0 a=b MONOCLE_PROFILE=sample",
		                                     "0  MONOCLE_PROFILE=sample" };
	monocle__attach_block settings = { .milliseconds = 17 };
	char text[1024];
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
		strcpy (text, arguments[i]);
		const char *error = monocle__control_words_settings (text, &settings);
		assert_non_null (error);
		assert_true (strlen (error) < 100);
		assert_int_equal (settings.milliseconds, 17);
	}
	strcpy (text, "0 MONOCLE_PROFILE=a");
	for (int i = 0; i < MONOCLE__ATTACH_BLOCK_TEXTS; i++)
		strcat (text, " A=b");
	assert_non_null (monocle__control_words_settings (text, &settings));
}

static void
other_lines_are_errors_and_touch_nothing (void **state)
{
	static const char *const lines[] = { "",
		                                 "monocle",
		                                 "monocle 1",
		                                 "monocle 4 status",
		                                 "monocle 2 stacks threads /a",
		                                 "monocle 3 stacks",
		                                 "monocle 3 stacks threads",
		                                 "monocle 3 stacks threads a",
		                                 "monocle 3 stacks fibres /a",
		                                 "monocle 2x status",
		                                 "monocle 1 load 0 MONOCLE_PROFILE=calls",
		                                 "monocle 1 unload",
		                                 "monocle 2 unload calls",
		                                 "monocle 1x status",
		                                 "Monocle 1 status",
		                                 " monocle 1 status",
		                                 "monocle  1 status",
		                                 "monocle 1 statusx",
		                                 "monocle 1 stop a b",
		                                 "monocle 2 load",
		                                 "monocle 2 load ",
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
		cmocka_unit_test (settings_are_read_as_they_were_written),
		cmocka_unit_test (what_is_no_setting_is_refused_in_words),
		cmocka_unit_test (other_lines_are_errors_and_touch_nothing),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

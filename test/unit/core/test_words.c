/*
 * SPDX-License-Identifier: MIT
 *
 * test_words.c - splitting options; the rows marked "seen" are what Mono 6.8 did with MONO_ENV_OPTIONS.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <monocle/host.h>
#include "load/words.h"

typedef struct {
	const char *text, *words; /* the words, each in brackets */
} row;

/* clang-format off */
static const row rows[] = {
	{ "",                    "" },
	{ " \t\n ",              "" },
	{ "a",                   "[a]" },
	{ " a  b\tc\nd ",        "[a][b][c][d]" },       /* seen: blanks, tabs and newlines separate */
	{ "aa:'a b'",            "[aa:a b]" },           /* seen */
	{ "aa:'a\\b c'",         "[aa:ab c]" },          /* seen: a backslash escapes within single quotes */
	{ "aa:\"a\\b\\\"c d\"",  "[aa:ab\"c d]" },       /* seen */
	{ "aa:x\\ y aa:\"\"",    "[aa:x y][aa:]" },      /* seen */
	{ "aa:x\\",              "[aa:x]" },             /* seen: the last backslash is dropped */
	{ "'' n",                "[n]" },                /* seen: an empty word is dropped */
	{ "'\"' \"'\"",          "[\"]['" "]" },
	{ "a'b'\"c\"d",          "[abcd]" },
	{ "\\'a \\\\",           "['a][\\]" },
	{ "a b c d e f g h",     "[a][b][c][d][e][f][g][h]" },
};
/* clang-format on */

static void
words_are_split_as_mono_splits_its_options (void **state)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char **words, joined[256] = "";
		int count = monocle__words_split (rows[i].text, &words);

		for (int word = 0; word < count; word++)
			snprintf (joined + strlen (joined), sizeof joined - strlen (joined), "[%s]", words[word]);
		assert_string_equal (joined, rows[i].words);
		assert_null (words[count]);
		free (words);
	}
}

static void
a_quote_that_is_never_closed_is_invalid (void **state)
{
	static const char *const texts[] = { "'", "a 'b", "\"", "a\"b'c'", "'a\\'" };
	char **words = (char **) &texts;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal (monocle__words_split (texts[i], &words), MONOCLE_E_INVALID);
		assert_ptr_equal (words, &texts);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (words_are_split_as_mono_splits_its_options),
	cmocka_unit_test (a_quote_that_is_never_closed_is_invalid),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}

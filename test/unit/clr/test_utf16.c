/*
 * SPDX-License-Identifier: MIT
 *
 * test_utf16.c - the runtime's text as UTF-8: every width, halves of pairs, and buffers of every size.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <uchar.h>
#include "utf16.h"

static void
is (const char16_t *from, size_t length, const char *should)
{
	char text[64];
	memset (text, 'x', sizeof text);
	monocle__utf16_to_utf8 ((const WCHAR *) from, length, text, sizeof text);
	assert_string_equal (text, should);
}

static void
characters_take_one_to_four_bytes (void **state)
{
	is (u"", 0, "");
	is ((const char16_t[]) { 0x61, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF }, 6,
	    "a\x7f\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF");
	is (u"\U00010000\U0010FFFF", 4, "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
}

static void
half_a_pair_becomes_a_replacement_and_hides_nothing (void **state)
{
	static const char16_t lonely[] = { 'a', 0xD83D, 'b', 0xDE00, 0xD83D };
	is (lonely, 5, "a\uFFFDb\uFFFD\uFFFD");
}

static void
the_length_ends_the_text_not_a_zero (void **state)
{
	is (u"abc", 2, "ab");
	is (u"\U0001F600", 1, "\uFFFD");
}

static void
a_short_buffer_gets_whole_characters (void **state)
{
	static const char whole[] = "a\u00e4\U0001F600z";
	for (size_t size = 1; size <= sizeof whole + 1; size++) {
		char text[sizeof whole + 2];
		memset (text, 'x', sizeof text);
		monocle__utf16_to_utf8 ((const WCHAR *) u"a\u00e4\U0001F600z", 5, text, size);
		size_t length = strlen (text);
		assert_true (length < size);
		assert_memory_equal (text, whole, length);
		assert_true (length == 0 || length == 1 || length == 3 || length == 7 || length == 8);
		assert_int_equal (text[size], 'x');
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (characters_take_one_to_four_bytes),
		cmocka_unit_test (half_a_pair_becomes_a_replacement_and_hides_nothing),
		cmocka_unit_test (the_length_ends_the_text_not_a_zero),
		cmocka_unit_test (a_short_buffer_gets_whole_characters),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

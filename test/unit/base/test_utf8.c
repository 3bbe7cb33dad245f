/*
 * SPDX-License-Identifier: MIT
 *
 * test_utf8.c - characters out of bytes that nobody has checked, and back.
 */
#include "utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void
every_character_goes_there_and_back (void **state)
{
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		char bytes[4];
		uint32_t back;
		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		size_t length = monocle__utf8_encode (code, bytes);
		if (monocle__utf8_decode (bytes, length, &back) != length || back != code)
			fail_msg ("U+%04X", code);
		if (length > 1 && monocle__utf8_decode (bytes, length - 1, &back) != 1)
			fail_msg ("U+%04X, cut off", code);
	}
}

static void
invalid_bytes_are_one_long (void **state)
{
	static const char *const texts[] = {
		"\x80",             /* no first byte */
		"\xc0\xaf",         /* overlong */
		"\xe0\x9f\xbf",     /* overlong */
		"\xf0\x8f\xbf\xbf", /* overlong */
		"\xed\xa0\x80",     /* a surrogate */
		"\xf4\x90\x80\x80", /* beyond U+10FFFF */
		"\xf5\x80\x80\x80", /* the same */
		"\xe2\x82 ",        /* the third byte is missing */
	};
	uint32_t code;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal (monocle__utf8_decode (texts[i], strlen (texts[i]), &code), 1);
		assert_int_equal (code, MONOCLE__UTF8_INVALID);
	}
}

static void
lines_are_made_fit_to_be_printed (void **state)
{
	char text[] = "a\tb\x1b[1mc\xe2\x80\xae\xff\xc3\xa4\n", columns[] = "a\tb\n";

	size_t length = monocle__utf8_clean (text, strlen (text));
	assert_memory_equal (text, "a b?[1mc??\xc3\xa4 ", length);
	assert_int_equal (length, 13);
	assert_int_equal (monocle__utf8_clean_columns (columns, strlen (columns)), 4);
	assert_memory_equal (columns, "a\tb ", 4);
}

/* The production Char of XML 1.0. */
static void
xml_has_what_its_grammar_says (void **state)
{
	static const uint32_t ranges[][2] = {
		{ 0x9, 0xa }, { 0xd, 0xd }, { 0x20, 0xd7ff }, { 0xe000, 0xfffd }, { 0x10000, 0x10ffff },
	};
	for (uint32_t code = 0; code < 0x110100; code++) {
		bool is_in = false;
		for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
			is_in = is_in || (code >= ranges[i][0] && code <= ranges[i][1]);
		if (monocle__utf8_is_xml (code) != is_in)
			fail_msg ("U+%04X", code);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_character_goes_there_and_back),
		cmocka_unit_test (invalid_bytes_are_one_long),
		cmocka_unit_test (lines_are_made_fit_to_be_printed),
		cmocka_unit_test (xml_has_what_its_grammar_says),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

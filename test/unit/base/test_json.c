/*
 * SPDX-License-Identifier: MIT
 *
 * test_json.c - what is JSON and what is not, and walking over it.
 */
#include "json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static monocle__json
checked (const char *text)
{
	monocle__json value;
	size_t offset;

	assert_true (monocle__json_check (text, strlen (text), &value, &offset));
	return value;
}

static void
json_is_what_the_standard_says (void **state)
{
	static const char *const good[] = { "0", "-1.5e+3", "[]", "{}", " [1, {\"a\":[null,true]}] ", "\"\"" };
	static const char *const bad[] = { "",    "01",     "1.",        "-",       "[1,]",  "{\"a\"}", "{a:1}",
		                               "nul", "\"\n\"", "\"\\x41\"", "\"\\u12", "[1}",   "1 2",     "+1",
		                               "1e",  "\"",     "[",         "{\"a\":", "[1 2]", "NaN" };
	monocle__json value;
	size_t offset;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true (monocle__json_check (good[i], strlen (good[i]), &value, &offset));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false (monocle__json_check (bad[i], strlen (bad[i]), &value, &offset));
}

static void
what_is_damaged_is_damaged_somewhere (void **state)
{
	monocle__json value = { "untouched", NULL };
	size_t offset = 0;

	assert_false (monocle__json_check ("{\"a\": 1,, }", 11, &value, &offset));
	assert_int_equal (offset, 8);
	assert_string_equal (value.at, "untouched");
}

static void
nesting_has_a_limit (void **state)
{
	char text[600];
	monocle__json value;
	size_t offset;

	for (size_t depth = 255; depth <= 257; depth++) {
		memset (text, '[', depth);
		memset (text + depth, ']', depth);
		assert_int_equal (monocle__json_check (text, 2 * depth, &value, &offset), depth <= 256);
	}
}

static void
strings_are_unescaped (void **state)
{
	static const char plain[] = "a\n\"\\/\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd"
	                            "A";
	monocle__json value = checked ("\"a\\n\\\"\\\\\\/\\u00e9\\ud83d\\ude00\\ud800\\u0041\"");
	char out[64];

	assert_int_equal (monocle__json_unescape (value, out), sizeof plain - 1);
	assert_memory_equal (out, plain, sizeof plain - 1);
	assert_int_equal (monocle__json_unescape (checked ("\"\""), out), 0);
	assert_int_equal (monocle__json_unescape (checked ("12"), out), 0);
	assert_int_equal (monocle__json_unescape ((monocle__json) { 0 }, out), 0);
}

static void
members_and_items_come_in_order (void **state)
{
	monocle__json object = checked (" { \"a\" : [1, {\"x]\":2}, \"}\"] , \"b\":null,\"a\":3 } "), rest, name, value;
	char kinds[8] = "";
	double number;
	size_t count = 0, index;

	for (rest = monocle__json_items (monocle__json_member (object, "a")); monocle__json_next (&rest, &value);)
		kinds[count++] = monocle__json_kind (value);
	assert_string_equal (kinds, "0{\"");
	count = 0;
	for (rest = monocle__json_members (object); monocle__json_next_member (&rest, &name, &value); count++)
		assert_true (monocle__json_equals (name, count == 1 ? "b" : "a"));
	assert_int_equal (count, 3);
	assert_true (monocle__json_number (value, &number) && number == 3);
	assert_true (monocle__json_index (value, &index) && index == 3);
	assert_false (monocle__json_index (checked ("-1"), &index) || monocle__json_index (checked ("1.5"), &index));
}

static void
what_is_of_another_type_is_empty (void **state)
{
	monocle__json list = checked ("[1]"), rest, name, value;

	assert_int_equal (monocle__json_kind (monocle__json_member (list, "a")), 0);
	rest = monocle__json_members (list);
	assert_false (monocle__json_next_member (&rest, &name, &value));
	rest = monocle__json_items (checked ("{\"a\":1}"));
	assert_false (monocle__json_next (&rest, &value));
	rest = monocle__json_items (monocle__json_member (checked ("{}"), "none"));
	assert_false (monocle__json_next (&rest, &value));
	assert_false (monocle__json_equals (list, "1"));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (json_is_what_the_standard_says),
		cmocka_unit_test (what_is_damaged_is_damaged_somewhere),
		cmocka_unit_test (nesting_has_a_limit),
		cmocka_unit_test (strings_are_unescaped),
		cmocka_unit_test (members_and_items_come_in_order),
		cmocka_unit_test (what_is_of_another_type_is_empty),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_profile.c - the model, its sums, and UTF-8.
 */
#include "column.h"
#include "profile.h"
#include "tree.h"
#include "utf8.h"
#include "width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t
function (monocle__profile *profile, const char *name)
{
	monocle__function f = { .name = monocle__profile_text (profile, name, strlen (name)),
		                    .system_name = "",
		                    .filename = "" };

	return (uint32_t) monocle__profile_add_function (profile, &f);
}

static monocle__profile *
calls_profile (void)
{
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);

	monocle__profile_add_value_type (profile, "calls", "count");
	monocle__profile_add_value_type (profile, "self", "nanoseconds");
	return profile;
}

/* `path` is root first, one letter per function. */
static void
sample (monocle__profile *profile, const char *path, int64_t calls, int64_t self)
{
	size_t depth = strlen (path);
	uint32_t frames[64];
	int64_t values[2] = { calls, self };

	for (size_t i = 0; i < depth; i++)
		frames[depth - 1 - i] = function (profile, (char[]) { path[i], '\0' });
	assert_true (monocle__profile_add_sample (profile, frames, depth, values));
}

static void
recursion_counts_once_in_total (void **state)
{
	monocle__profile *profile = calls_profile ();
	monocle__methods *methods;

	sample (profile, "m", 1, 5);
	sample (profile, "mf", 1, 10);
	sample (profile, "mff", 2, 20);
	sample (profile, "mfgf", 3, 40);
	methods = monocle__methods_new (profile);
	assert_int_equal (methods->count, 3);
	uint32_t f = function (profile, "f"), m = function (profile, "m"), g = function (profile, "g");
	assert_int_equal (methods->self[f * 2], 6);
	assert_int_equal (methods->self[f * 2 + 1], 70);
	assert_int_equal (methods->total[f * 2 + 1], 70);
	assert_int_equal (methods->total[g * 2 + 1], 40);
	assert_int_equal (methods->self[g * 2 + 1], 0);
	assert_int_equal (methods->total[m * 2 + 1], 75);
	monocle__methods_free (methods);
	monocle__profile_free (profile);
}

static void
rows_are_ordered_by_amount_then_name (void **state)
{
	monocle__profile *profile = calls_profile ();
	monocle__methods *methods;
	char order[8] = "";

	sample (profile, "b", 1, 7);
	sample (profile, "a", 1, 7);
	sample (profile, "c", 9, 8);
	methods = monocle__methods_new (profile);
	monocle__methods_sort (methods, 1, false);
	for (size_t i = 0; i < methods->count; i++)
		strcat (order, profile->functions[methods->order[i]].name);
	assert_string_equal (order, "cab");
	monocle__methods_free (methods);
	monocle__profile_free (profile);
}

static void
sums_saturate (void **state)
{
	monocle__profile *profile = calls_profile ();

	sample (profile, "a", INT64_MAX, INT64_MIN);
	sample (profile, "a", 1, -1);
	assert_int_equal (monocle__profile_sum (profile, 0), INT64_MAX);
	assert_int_equal (monocle__profile_sum (profile, 1), INT64_MIN);
	monocle__profile_free (profile);
}

static void
collect_path (const monocle__tree *tree, uint32_t node, void *context)
{
	char *out = context;

	if (node != 0)
		sprintf (out + strlen (out), "%s%u ", tree->profile->functions[tree->nodes[node].function].name,
		         tree->nodes[node].depth);
}

static void
collect_end (const monocle__tree *tree, uint32_t node, void *context)
{
	strcat (context, ") ");
}

static void
a_tree_is_walked_depth_first_with_its_ends (void **state)
{
	monocle__profile *profile = calls_profile ();
	monocle__tree_visitor visitor = { .enter = collect_path, .leave = collect_end };
	char seen[256] = "";
	monocle__tree *tree;

	sample (profile, "mb", 1, 1);
	sample (profile, "ma", 1, 2);
	sample (profile, "mac", 1, 3);
	sample (profile, "z", 1, 9);
	tree = monocle__tree_new (profile);
	visitor.context = seen;
	assert_true (monocle__tree_sort (tree, SIZE_MAX));
	monocle__tree_walk (tree, &visitor);
	assert_string_equal (seen, "m1 a2 c3 ) ) b2 ) ) z1 ) ) ");
	seen[0] = '\0';
	assert_true (monocle__tree_sort (tree, 1));
	visitor.leave = NULL;
	monocle__tree_walk (tree, &visitor);
	assert_string_equal (seen, "z1 m1 a2 c3 b2 ");
	assert_int_equal (monocle__tree_total (tree, 0, 1), 15);
	monocle__tree_free (tree);
	monocle__profile_free (profile);
}

static void
hidden_nodes_hide_what_is_below (void **state)
{
	monocle__profile *profile = calls_profile ();
	monocle__tree *tree;
	char seen[256] = "";
	uint8_t shown[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	monocle__tree_visitor visitor = { shown, collect_path, NULL, seen };

	sample (profile, "mac", 1, 3);
	sample (profile, "mb", 1, 1);
	tree = monocle__tree_new (profile);
	assert_true (monocle__tree_sort (tree, SIZE_MAX));
	shown[2] = 0; /* m is 1, a is 2 */
	monocle__tree_walk (tree, &visitor);
	assert_string_equal (seen, "m1 b2 ");
	monocle__tree_free (tree);
	monocle__profile_free (profile);
}

static void
a_stack_of_a_million_frames_needs_no_recursion (void **state)
{
	enum { DEEP = 1000000 };
	monocle__profile *profile = calls_profile ();
	uint32_t *frames = calloc (DEEP, sizeof *frames);
	FILE *out = fopen ("/dev/null", "w");
	monocle__report_options options = { .title = "deep", .tree = true };

	function (profile, "f");
	assert_true (monocle__profile_add_sample (profile, frames, DEEP, (int64_t[]) { 1, 1 }));
	assert_int_equal (monocle__report_tsv (out, profile, &options), 0);
	assert_int_equal (monocle__report_flame (out, profile, &options), 0);
	options.limit = 10;
	assert_int_equal (monocle__report_text (out, profile, &options), 0);
	fclose (out);
	free (frames);
	monocle__profile_free (profile);
}

static void
functions_with_one_name_and_file_are_one (void **state)
{
	monocle__profile *profile = calls_profile ();
	monocle__function a = { "A:B ()", "x", "app.dll", 1 }, other_file = { "A:B ()", "x", "lib.dll", 1 };
	size_t first = monocle__profile_add_function (profile, &a);

	assert_int_equal (monocle__profile_add_function (profile, &(monocle__function) { "A:B ()", "y", "app.dll", 2 }),
	                  first);
	assert_int_not_equal (monocle__profile_add_function (profile, &other_file), first);
	for (int i = 0; i < 1000; i++) {
		char name[16];
		sprintf (name, "f%d", i);
		function (profile, name);
	}
	assert_int_equal (monocle__profile_add_function (profile, &a), first);
	assert_int_equal (profile->function_count, 1002);
	monocle__profile_free (profile);
}

static void
the_main_value_is_what_is_measured (void **state)
{
	monocle__profile *profile = calls_profile ();

	assert_int_equal (monocle__profile_main_value (profile), 0);
	sample (profile, "a", 3, 0);
	assert_int_equal (monocle__profile_main_value (profile), 0);
	sample (profile, "a", 3, 1);
	assert_int_equal (monocle__profile_main_value (profile), 1);
	profile->default_type = "calls";
	assert_int_equal (monocle__profile_main_value (profile), 1);
	assert_int_equal (monocle__sort_value (profile, MONOCLE__SORT_CALLS), 0);
	monocle__profile_free (profile);
}

static void
amounts_have_four_digits_that_count (void **state)
{
	static const struct {
		int64_t amount;
		const char *unit, *text;
	} rows[] = {
		{ 0, "nanoseconds", "0 ns" },
		{ 999, "nanoseconds", "999 ns" },
		{ 1000, "nanoseconds", "1.000 us" },
		{ 99995, "nanoseconds", "100.0 us" },
		{ 999960, "nanoseconds", "1.000 ms" },
		{ 1234567890, "nanoseconds", "1.235 s" },
		{ -1500000, "nanoseconds", "-1.500 ms" },
		{ 1536, "bytes", "1.500 KiB" },
		{ 1023, "bytes", "1023 B" },
		{ 7049155, "count", "7,049,155" },
		{ -1000, "count", "-1,000" },
		{ 999, "count", "999" },
		{ INT64_MIN, "count", "-9,223,372,036,854,775,808" },
		{ 5, "seconds", "5.000 s" },
		{ 12, "furlongs", "12" },
	};
	char buffer[64];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		monocle__amount_format (rows[i].amount, rows[i].unit, buffer, sizeof buffer);
		assert_string_equal (buffer, rows[i].text);
	}
}

static void
columns_of_calls_have_their_fixed_names (void **state)
{
	monocle__profile *profile = calls_profile ();
	size_t count;
	monocle__column *columns;

	monocle__profile_add_value_type (profile, "cpu", "nanoseconds");
	monocle__profile_add_value_type (profile, "bytes", "bytes");
	monocle__profile_add_value_type (profile, "tab\there", "\"");
	columns = monocle__columns_new (profile, &count);
	static const char *const names[] = { "calls",       "self_ns",         "total_ns",
		                                 "self_cpu_ns", "total_cpu_ns",    "self_bytes",
		                                 "total_bytes", "self_tab_here__", "total_tab_here__" };
	assert_int_equal (count, 9);
	for (size_t i = 0; i < count; i++)
		assert_string_equal (columns[i].name, names[i]);
	free (columns);
	monocle__profile_free (profile);
}

static void
text_becomes_valid_utf8 (void **state)
{
	static const struct {
		const char *in, *out;
		size_t length;
	} rows[] = {
		{ "plain", "plain", 5 },
		{ "\xc3\xbc", "\xc3\xbc", 2 },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 4 },
		{ "a\0b",
		  "a\xef\xbf\xbd"
		  "b",
		  3 },
		{ "\xc3", "\xef\xbf\xbd", 1 },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
		{ "\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3 },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3 },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 4 },
		{ "\xff", "\xef\xbf\xbd", 1 },
	};
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal (monocle__profile_text (profile, rows[i].in, rows[i].length), rows[i].out);
	monocle__profile_free (profile);
}

static void
names_lose_their_middle (void **state)
{
	static const struct {
		const char *text, *out;
		size_t columns;
	} rows[] = {
		{ "abcdefghij", "abcdefghij", 10 },
		{ "abcdefghij", "abcdefghij", 0 },
		{ "abcdefghij", "abcd~hij", 8 },
		{ "abcdefghij", "ab~j", 4 },
		{ "abcdefghij", "a", 1 },
		{ "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\xe6\x97\xa5~\xe8\xaa\x9e", 5 },
		{ "e\xcc\x81"
		  "e\xcc\x81"
		  "e\xcc\x81",
		  "e\xcc\x81"
		  "e\xcc\x81"
		  "e\xcc\x81",
		  3 },
		{ "e\xcc\x81"
		  "e\xcc\x81"
		  "e\xcc\x81"
		  "e",
		  "e\xcc\x81~e", 3 },
		{ "a\x1b[2Jb", "a?[2Jb", 0 },
		{ "a\xe2\x80\xae"
		  "b",
		  "a?b", 0 },
	};
	char buffer[64];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		monocle__utf8_elide (rows[i].text, rows[i].columns, "~", buffer, sizeof buffer);
		assert_string_equal (buffer, rows[i].out);
	}
	for (size_t size = 1; size < 16; size++) {
		monocle__utf8_elide ("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 0, "~", buffer, size);
		assert_int_equal (strlen (buffer) % 3, 0);
		assert_true (strlen (buffer) < size);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (recursion_counts_once_in_total),
		cmocka_unit_test (rows_are_ordered_by_amount_then_name),
		cmocka_unit_test (sums_saturate),
		cmocka_unit_test (a_tree_is_walked_depth_first_with_its_ends),
		cmocka_unit_test (hidden_nodes_hide_what_is_below),
		cmocka_unit_test (a_stack_of_a_million_frames_needs_no_recursion),
		cmocka_unit_test (functions_with_one_name_and_file_are_one),
		cmocka_unit_test (the_main_value_is_what_is_measured),
		cmocka_unit_test (amounts_have_four_digits_that_count),
		cmocka_unit_test (columns_of_calls_have_their_fixed_names),
		cmocka_unit_test (text_becomes_valid_utf8),
		cmocka_unit_test (names_lose_their_middle),
	};
	return cmocka_run_group_tests_name ("profile", tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * Parts of the module cover: patterns, and the mapped file.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "map.h"
#include "pattern.h"

/* --- patterns ----------------------------------------------------------------------------------------------------- */

static void
stars_and_question_marks_match_text (void **state)
{
	assert_true (pattern_matches ("*", ""));
	assert_true (pattern_matches ("N.*", "N.A/B"));
	assert_true (pattern_matches ("*Tests", "My.UnitTests"));
	assert_true (pattern_matches ("A?C", "ABC"));
	assert_true (pattern_matches ("*a*b*", "xaybz"));
	assert_true (pattern_matches ("*ab", "aab"));
	assert_false (pattern_matches ("A?C", "AC"));
	assert_false (pattern_matches ("N.*", "M.N.A"));
	assert_false (pattern_matches ("", "a"));
	assert_false (pattern_matches ("*a*b", "ab c"));
}

static void
one_star_ends_at_a_slash_in_paths (void **state)
{
	assert_true (pattern_matches_path ("a.cs", "/x/a.cs"));
	assert_true (pattern_matches_path ("*.cs", "/x/y/a.cs"));
	assert_true (pattern_matches_path ("y/*.cs", "/x/y/a.cs"));
	assert_true (pattern_matches_path ("/x/*/a.cs", "/x/y/a.cs"));
	assert_true (pattern_matches_path ("/x/**/a.cs", "/x/a.cs"));
	assert_true (pattern_matches_path ("/x/**/a.cs", "/x/y/z/a.cs"));
	assert_true (pattern_matches_path ("**/?.cs", "/x/y/a.cs"));
	assert_true (pattern_matches_path ("**.g.cs", "/x/y/a.g.cs"));
	assert_false (pattern_matches_path ("/x/*", "/x/y/a.cs"));
	assert_false (pattern_matches_path ("/a.cs", "/x/a.cs"));
	assert_false (pattern_matches_path ("x?a.cs", "/x/a.cs"));
	assert_false (pattern_matches_path ("a.cs", "/x/ba.cs"));
}

static void
a_class_is_an_assembly_in_brackets_and_a_type (void **state)
{
	static const char *const wrong[] = { "", "A", "[A]", "[]B", "[A", "A]B" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false (pattern_is_class (wrong[i]));
	assert_true (pattern_is_class ("[A]B"));
	assert_true (pattern_matches_assembly ("[Sh?p*]B", "Shop.Core"));
	assert_false (pattern_matches_assembly ("[Shop]*", "Shop.Core"));
	assert_string_equal (pattern_type ("[A]B.C"), "B.C");
	assert_true (pattern_names_assembly ("[A*]B"));
	assert_false (pattern_names_assembly ("[*]B"));
}

static void
lists_have_semicolons_and_commas (void **state)
{
	pattern_list list;
	assert_true (pattern_list_read (";a;b,,c", &list));
	assert_int_equal (list.count, 3);
	assert_string_equal (list.items[2], "c");
	free (list.items);
	assert_true (pattern_list_read (NULL, &list));
	assert_int_equal (list.count, 0);
	free (list.items);
}

static bool
keep_even (const void *key, uint64_t value, const void *data)
{
	return value % 2 == 0;
}

static void
a_map_forgets_what_is_not_kept (void **state)
{
	map m = { 0 };
	for (uintptr_t i = 1; i < 1000; i++)
		assert_true (map_add (&m, (const void *) (16 * i), i));
	map_keep (&m, keep_even, NULL);
	assert_int_equal (m.count, 499);
	for (uintptr_t i = 1; i < 1000; i++) {
		const uint64_t *found = map_find (&m, (const void *) (16 * i));
		assert_true (i % 2 ? !found : found && *found == i);
	}
	map_keep (&m, keep_even, NULL);
	free (m.keys);
	free (m.values);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static uint64_t
size_of (const char *path)
{
	struct stat status;
	assert_int_equal (stat (path, &status), 0);
	return (uint64_t) status.st_size;
}

/* There is one file in a process. A limit stands for a full disk; SIGXFSZ, which ends a program, must not come. */
static void
a_file_grows_until_it_cannot_and_ends_as_long_as_it_is_used (void **state)
{
	char folder[] = "/tmp/monocle-cover-XXXXXX", path[64];
	struct rlimit limit = { 600 << 10, RLIM_INFINITY };
	assert_non_null (mkdtemp (folder));
	snprintf (path, sizeof path, "%s/a.mcov", folder);
	file_config config = { .output = path, .desc = "cover", .runtime = "none" };
	assert_true (file_open (&config));
	assert_true (file_header ()->magic == MONOCLE__COVER_MAGIC && file_header ()->used == MONOCLE__COVER_HEADER);
	assert_int_equal (size_of (path), 256 << 10);
	assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);
	uint8_t *first = file_reserve (200 << 10), *second;
	assert_non_null (first);
	first[0] = 1;
	file_publish (200 << 10);
	assert_non_null (second = file_reserve (200 << 10));
	assert_ptr_equal (second, first + (200 << 10));
	file_publish (200 << 10);
	assert_null (file_reserve (300 << 10));
	assert_non_null (file_reserve (8));
	assert_int_equal (first[0], 1);
	assert_int_equal (file_header ()->used, MONOCLE__COVER_HEADER + (400 << 10));
	file_end ();
	assert_true (file_header ()->ended_ns);
	assert_int_equal (size_of (path), MONOCLE__COVER_HEADER + (400 << 10));
	assert_null (file_reserve (8));
	unlink (path);
	rmdir (folder);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (stars_and_question_marks_match_text),
		cmocka_unit_test (one_star_ends_at_a_slash_in_paths),
		cmocka_unit_test (a_class_is_an_assembly_in_brackets_and_a_type),
		cmocka_unit_test (lists_have_semicolons_and_commas),
		cmocka_unit_test (a_map_forgets_what_is_not_kept),
		cmocka_unit_test (a_file_grows_until_it_cannot_and_ends_as_long_as_it_is_used),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

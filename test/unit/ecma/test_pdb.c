/*
 * SPDX-License-Identifier: MIT
 *
 * test_pdb.c - portable PDBs written by hand (symbols_builder.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "debug-directory.h"
#include "pdb.h"
#include "symbols_builder.h"

enum { RUN = 0x06000001, STOP = 0x06000002, MAIN = 0x06000003 };

static struct bytes file;
static monocle__pdb pdb;

static int
open_file (void **state)
{
	file = build_pdb ();
	return monocle__pdb_open (&pdb, file.data, file.size);
}

static int
close_file (void **state)
{
	bytes_free (&file);
	return 0;
}

static void
a_file_says_its_id_and_entry_point (void **state)
{
	assert_memory_equal (pdb.id, symbols_id, sizeof symbols_id);
	assert_int_equal (pdb.entry_point_token, MAIN);
}

static void
a_windows_pdb_is_told_from_a_broken_file (void **state)
{
	monocle__pdb other;
	static const char windows[64] = "Microsoft C/C++ MSF 7.00\r\n\x1A"
	                                "DS";
	assert_int_equal (monocle__pdb_open (&other, windows, sizeof windows), MONOCLE__PDB_E_WINDOWS);
	assert_int_equal (monocle__pdb_open (&other, windows + 1, sizeof windows - 1), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (monocle__pdb_open (&other, "", 0), MONOCLE__ECMA_E_TRUNCATED);
}

static void
metadata_of_an_image_is_no_pdb (void **state)
{
	monocle__pdb other;
	struct bytes house = build_house ();
	assert_int_equal (monocle__pdb_open (&other, house.data, house.size), MONOCLE__ECMA_E_FORMAT);
	bytes_free (&house);
}

static void
a_file_for_another_number_of_methods_is_refused (void **state)
{
	monocle__pdb other;
	struct bytes copy = { 0 };
	put_bytes (&copy, file.data, file.size);
	set_u32 (&copy, (size_t) (pdb.id - file.data) + 32, 4);
	assert_int_equal (monocle__pdb_open (&other, copy.data, copy.size), MONOCLE__ECMA_E_FORMAT);
	bytes_free (&copy);
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static void
names_of_documents_are_joined_from_parts (void **state)
{
	char name[32];
	assert_int_equal (monocle__pdb_document_name (&pdb, 1, name, sizeof name), 9);
	assert_string_equal (name, "/src/a.cs");
	assert_int_equal (monocle__pdb_document_name (&pdb, 2, name, sizeof name), 4);
	assert_string_equal (name, "b.cs");
}

static void
a_name_is_cut_to_its_buffer_but_counted_whole (void **state)
{
	char name[6] = "?????";
	assert_int_equal (monocle__pdb_document_name (&pdb, 1, name, sizeof name), 9);
	assert_string_equal (name, "/src/");
	assert_int_equal (monocle__pdb_document_name (&pdb, 1, name, 1), 9);
	assert_string_equal (name, "");
	assert_int_equal (monocle__pdb_document_name (&pdb, 1, NULL, 0), 9);
}

static void
a_name_that_points_nowhere_is_an_error (void **state)
{
	char name[32] = "?";
	assert_true (monocle__pdb_document_name (&pdb, 3, name, sizeof name) < 0);
	assert_string_equal (name, "");
	assert_int_equal (monocle__pdb_document_name (&pdb, 0, name, sizeof name), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_document_name (&pdb, 4, name, sizeof name), MONOCLE__ECMA_E_RANGE);
}

static void
a_document_has_its_hash_and_language (void **state)
{
	monocle__pdb_document document;
	assert_int_equal (monocle__pdb_get_document (&pdb, 1, &document), 0);
	assert_int_equal (document.hash_size, 2);
	assert_memory_equal (document.hash, "\xAA\xBB", 2);
	assert_int_equal (document.hash_algorithm[0], 0);
	assert_int_equal (document.language[0], 16);
	assert_int_equal (monocle__pdb_get_document (&pdb, 2, &document), 0);
	assert_null (document.hash);
	assert_null (document.language);
	assert_int_equal (monocle__pdb_get_document (&pdb, 4, &document), MONOCLE__ECMA_E_RANGE);
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static void
check_points (uint32_t token, const monocle__source_point *expected, uint32_t count)
{
	monocle__pdb_points points;
	monocle__source_point point;
	assert_int_equal (monocle__pdb_points_of (&pdb, token, &points), 0);
	for (; count; count--, expected++) {
		assert_int_equal (monocle__pdb_next_point (&points, &point), 1);
		assert_int_equal (point.il_offset, expected->il_offset);
		assert_int_equal (point.document, expected->document);
		assert_int_equal (point.start_line, expected->start_line);
		assert_int_equal (point.start_column, expected->start_column);
		assert_int_equal (point.end_line, expected->end_line);
		assert_int_equal (point.end_column, expected->end_column);
		assert_int_equal (point.hidden, expected->hidden);
	}
	assert_int_equal (monocle__pdb_next_point (&points, &point), 0);
	assert_int_equal (monocle__pdb_next_point (&points, &point), 0);
}

static void
points_count_from_the_last_one (void **state)
{
	static const monocle__source_point run[] = {
		{ 0, 1, 10, 5, 10, 8, false },
		{ 3, 1, 0, 0, 0, 0, true },
		{ 7, 1, 12, 3, 14, 1, false },
		{ 9, 2, 1, 1, 1, 20, false },
	};
	static const monocle__source_point main_points[] = {
		{ 2, 2, 0, 0, 0, 0, true },
		{ 5, 2, 4, 1, 4, 2, false },
	};
	check_points (RUN, run, 4);
	check_points (MAIN, main_points, 2);
}

static void
a_method_without_code_has_no_points (void **state)
{
	monocle__pdb_points points;
	monocle__source_location at;
	assert_int_equal (monocle__pdb_points_of (&pdb, STOP, &points), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_points_of (&pdb, 0x06000004, &points), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_points_of (&pdb, 0x06000000, &points), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_points_of (&pdb, 0x0A000001, &points), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_locate (&pdb, STOP, 0, &at), MONOCLE__ECMA_E_RANGE);
}

static void
check_location (uint32_t token, uint32_t offset, monocle__source_location expected)
{
	monocle__source_location at = { 0 };
	assert_int_equal (monocle__pdb_locate (&pdb, token, offset, &at), 0);
	assert_int_equal (at.document, expected.document);
	assert_int_equal (at.line, expected.line);
	assert_int_equal (at.column, expected.column);
	assert_int_equal (at.il_offset, expected.il_offset);
}

static void
an_instruction_belongs_to_the_last_visible_point (void **state)
{
	check_location (RUN, 0, (monocle__source_location) { 1, 10, 5, 0 });
	check_location (RUN, 2, (monocle__source_location) { 1, 10, 5, 0 });
	check_location (RUN, 5, (monocle__source_location) { 1, 10, 5, 3 });
	check_location (RUN, 7, (monocle__source_location) { 1, 12, 3, 7 });
	check_location (RUN, UINT32_MAX, (monocle__source_location) { 2, 1, 1, 9 });
}

/* The record that changes the document stands between 7 and 9: it is not yet of the code at 8. */
static void
a_document_that_comes_later_is_not_taken (void **state)
{
	check_location (RUN, 8, (monocle__source_location) { 1, 12, 3, 7 });
}

static void
an_instruction_behind_hidden_points_alone_has_line_0 (void **state)
{
	check_location (MAIN, 4, (monocle__source_location) { 2, 0, 0, 2 });
	check_location (MAIN, 5, (monocle__source_location) { 2, 4, 1, 5 });
}

static void
an_instruction_before_the_first_point_is_its (void **state)
{
	check_location (MAIN, 0, (monocle__source_location) { 2, 0, 0, 2 });
}

/* What the walk over these points of Run ends with, and how many points come before. */
static void
check_walk (const char *bytes, size_t size, int expected, uint32_t expected_count)
{
	struct bytes other = build_pdb_with_points (bytes, size);
	monocle__pdb broken;
	monocle__pdb_points points;
	monocle__source_point point;
	uint32_t count = 0;
	assert_int_equal (monocle__pdb_open (&broken, other.data, other.size), 0);
	int result = monocle__pdb_points_of (&broken, RUN, &points);
	assert_int_equal (result, 0);
	while ((result = monocle__pdb_next_point (&points, &point)) > 0)
		count++;
	assert_int_equal (result, expected);
	assert_int_equal (monocle__pdb_next_point (&points, &point), expected);
	assert_int_equal (count, expected_count);
	bytes_free (&other);
}

#define WALK(bytes, expected, count) check_walk (bytes, sizeof (bytes) - 1, expected, count)

static void
broken_points_end_the_walk_and_keep_what_came_before (void **state)
{
	WALK ("", 0, 0);
	WALK ("\0\0\1\1\1\0\2", 0, 1);
	WALK ("\0\0\1\1\1\0\2\0\1\2\0\1\0\0", 0, 2);
	WALK ("\0\0\1\1\1\0\0", MONOCLE__ECMA_E_FORMAT, 1); /* document 0 */
	WALK ("\0\0\1\1\1\0\4\1\0\0", MONOCLE__ECMA_E_FORMAT, 1);
	WALK ("\0\0\1\1\1\1\0\1\x7D\0", MONOCLE__ECMA_E_FORMAT, 1); /* line 1 - 2 */
	WALK ("\0\0\1\1\1\1\0\1\0\x41", MONOCLE__ECMA_E_FORMAT, 1); /* column 1 - 64 */
	WALK ("\0\1\x41\1\1", MONOCLE__ECMA_E_FORMAT, 0);           /* end column 1 - 64 */
	WALK ("\0\0\1\1", MONOCLE__ECMA_E_TRUNCATED, 0);
	WALK ("\0\0\1\1\1\1", MONOCLE__ECMA_E_TRUNCATED, 1);
	WALK ("\xE0\0\0\0", MONOCLE__ECMA_E_FORMAT, 0);
	WALK ("\xDF\xFF\xFF\xFF\0\0\1\0\0", MONOCLE__ECMA_E_FORMAT, 1); /* offset 2^29 */
	WALK ("\0\xDF\xFF\xFF\xFF\0\1\0", MONOCLE__ECMA_E_FORMAT, 0);   /* end line 2^29 */
	WALK ("\0\0\xC0\0\xFF\xFF\1\1", MONOCLE__ECMA_E_FORMAT, 0);     /* end column 2^16 */
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void
the_body_of_a_state_machine_leads_to_its_method (void **state)
{
	assert_int_equal (monocle__pdb_kickoff (&pdb, MAIN), RUN);
	assert_int_equal (monocle__pdb_kickoff (&pdb, RUN), 0);
	assert_int_equal (monocle__pdb_kickoff (&pdb, 0x06000000), 0);
	assert_int_equal (monocle__pdb_kickoff (&pdb, 0x02000003), 0);
}

static void
scopes_of_a_method_hold_its_variables (void **state)
{
	uint32_t first, end;
	monocle__pdb_scope scope;
	monocle__pdb_variable variable;
	monocle__pdb_scopes_of (&pdb, RUN, &first, &end);
	assert_int_equal (end - first, 2);
	assert_int_equal (monocle__pdb_get_scope (&pdb, first + 1, &scope), 0);
	assert_int_equal (scope.start, 5);
	assert_int_equal (scope.end, 10);
	assert_int_equal (scope.end_variable - scope.first_variable, 1);
	assert_int_equal (scope.end_constant - scope.first_constant, 0);
	assert_int_equal (monocle__pdb_get_scope (&pdb, first, &scope), 0);
	assert_int_equal (scope.end_variable - scope.first_variable, 2);
	assert_int_equal (monocle__pdb_get_variable (&pdb, scope.first_variable + 1, &variable), 0);
	assert_string_equal (variable.name, "y");
	assert_int_equal (variable.slot, 1);
	assert_true (variable.hidden);
	monocle__pdb_scopes_of (&pdb, STOP, &first, &end);
	assert_int_equal (first, end);
	assert_int_equal (monocle__pdb_get_scope (&pdb, 4, &scope), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_get_variable (&pdb, 4, &variable), MONOCLE__ECMA_E_RANGE);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_file_says_its_id_and_entry_point),
		cmocka_unit_test (a_windows_pdb_is_told_from_a_broken_file),
		cmocka_unit_test (metadata_of_an_image_is_no_pdb),
		cmocka_unit_test (a_file_for_another_number_of_methods_is_refused),
		cmocka_unit_test (names_of_documents_are_joined_from_parts),
		cmocka_unit_test (a_name_is_cut_to_its_buffer_but_counted_whole),
		cmocka_unit_test (a_name_that_points_nowhere_is_an_error),
		cmocka_unit_test (a_document_has_its_hash_and_language),
		cmocka_unit_test (points_count_from_the_last_one),
		cmocka_unit_test (a_method_without_code_has_no_points),
		cmocka_unit_test (an_instruction_belongs_to_the_last_visible_point),
		cmocka_unit_test (a_document_that_comes_later_is_not_taken),
		cmocka_unit_test (an_instruction_behind_hidden_points_alone_has_line_0),
		cmocka_unit_test (an_instruction_before_the_first_point_is_its),
		cmocka_unit_test (broken_points_end_the_walk_and_keep_what_came_before),
		cmocka_unit_test (the_body_of_a_state_machine_leads_to_its_method),
		cmocka_unit_test (scopes_of_a_method_hold_its_variables),
	};
	return cmocka_run_group_tests (tests, open_file, close_file);
}

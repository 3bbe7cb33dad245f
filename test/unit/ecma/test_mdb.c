/*
 * SPDX-License-Identifier: MIT
 *
 * test_mdb.c - .mdb files written by hand (symbols_builder.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mdb.h"
#include "symbols_builder.h"

enum { RUN = 0x06000001, STOP = 0x06000002, MAIN = 0x06000003 };
enum { SOURCE_COUNT_AT = 56, METHODS_AT_AT = 72, LINE_BASE_AT = 96, LINE_RANGE_AT = 100, OPCODE_BASE_AT = 104 };

static struct bytes file;
static monocle__mdb mdb;

static int
open_file (void **state)
{
	file = build_mdb ();
	return monocle__mdb_open (&mdb, file.data, file.size);
}

static int
close_file (void **state)
{
	bytes_free (&file);
	return 0;
}

static void
a_file_describes_the_image_with_its_mvid (void **state)
{
	static monocle__ecma_image image;
	struct bytes house = build_house ();
	assert_int_equal (monocle__ecma_open_metadata (&image, house.data, house.size), 0);
	assert_true (monocle__mdb_matches (&mdb, &image));
	((uint8_t *) (uintptr_t) monocle__ecma_guid (&image, 1))[15] ^= 1;
	assert_false (monocle__mdb_matches (&mdb, &image));
	bytes_free (&house);
}

/* What opening answers when one word of the header is another. */
static int
open_with (size_t at, uint32_t value)
{
	monocle__mdb other;
	struct bytes copy = { 0 };
	put_bytes (&copy, file.data, file.size);
	set_u32 (&copy, at, value);
	int result = monocle__mdb_open (&other, copy.data, copy.size);
	bytes_free (&copy);
	return result;
}

static void
headers_that_lie_are_refused (void **state)
{
	assert_int_equal (open_with (0, 0), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (8, 51), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (12, 1), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (SOURCE_COUNT_AT, 0x20000000), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (open_with (METHODS_AT_AT, (uint32_t) file.size), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (open_with (LINE_RANGE_AT, 0), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (OPCODE_BASE_AT, 8), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (OPCODE_BASE_AT, 256), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (LINE_BASE_AT, 0x80000000), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (open_with (LINE_BASE_AT, (uint32_t) -2), 0);
}

static void
a_short_file_is_refused (void **state)
{
	monocle__mdb other;
	assert_int_equal (monocle__mdb_open (&other, file.data, 111), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (monocle__mdb_open (&other, file.data, file.size - 1), MONOCLE__ECMA_E_TRUNCATED);
}

static void
documents_have_names (void **state)
{
	const char *name;
	uint32_t size;
	assert_int_equal (monocle__mdb_document_name (&mdb, 1, &name, &size), 0);
	assert_int_equal (size, 9);
	assert_memory_equal (name, "/src/a.cs", 9);
	assert_int_equal (monocle__mdb_document_name (&mdb, 2, &name, &size), 0);
	assert_int_equal (size, 4);
	assert_int_equal (monocle__mdb_document_name (&mdb, 0, &name, &size), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__mdb_document_name (&mdb, 3, &name, &size), MONOCLE__ECMA_E_RANGE);
}

static void
check_points (uint32_t token, const monocle__source_point *expected, uint32_t count)
{
	monocle__mdb_points points;
	monocle__source_point point;
	assert_int_equal (monocle__mdb_points_of (&mdb, token, &points), 0);
	for (; count; count--, expected++) {
		assert_int_equal (monocle__mdb_next_point (&points, &point), 1);
		assert_int_equal (point.il_offset, expected->il_offset);
		assert_int_equal (point.document, expected->document);
		assert_int_equal (point.start_line, expected->start_line);
		assert_int_equal (point.hidden, expected->hidden);
		assert_int_equal (point.start_column | point.end_line | point.end_column, 0);
	}
	assert_int_equal (monocle__mdb_next_point (&points, &point), 0);
	assert_int_equal (monocle__mdb_next_point (&points, &point), 0);
}

static void
a_program_yields_its_points (void **state)
{
	static const monocle__source_point run[] = {
		{ .il_offset = 0, .document = 1, .start_line = 10 },
		{ .il_offset = 4, .document = 1, .start_line = 11 },
		{ .il_offset = 8, .document = 2, .start_line = 11 },
		{ .il_offset = 38, .document = 2, .start_line = 5 },
	};
	static const monocle__source_point main_points[] = {
		{ .il_offset = 2, .document = 1, .hidden = true },
		{ .il_offset = 3, .document = 1, .start_line = 7, .hidden = true },
	};
	check_points (RUN, run, 4);
	check_points (MAIN, main_points, 2);
}

static void
check_location (uint32_t token, uint32_t offset, monocle__source_location expected)
{
	monocle__source_location at = { 0 };
	assert_int_equal (monocle__mdb_locate (&mdb, token, offset, &at), 0);
	assert_int_equal (at.document, expected.document);
	assert_int_equal (at.line, expected.line);
	assert_int_equal (at.column, 0);
	assert_int_equal (at.il_offset, expected.il_offset);
}

static void
an_instruction_belongs_to_the_last_point_with_a_line (void **state)
{
	check_location (RUN, 0, (monocle__source_location) { 1, 10, 0, 0 });
	check_location (RUN, 7, (monocle__source_location) { 1, 11, 0, 4 });
	check_location (RUN, 37, (monocle__source_location) { 2, 11, 0, 8 });
	check_location (RUN, UINT32_MAX, (monocle__source_location) { 2, 5, 0, 38 });
	check_location (MAIN, 3, (monocle__source_location) { 1, 7, 0, 3 });
}

static void
an_instruction_before_every_line_has_no_location (void **state)
{
	monocle__source_location at;
	assert_int_equal (monocle__mdb_locate (&mdb, MAIN, 1, &at), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__mdb_locate (&mdb, MAIN, 2, &at), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__mdb_locate (&mdb, STOP, 0, &at), MONOCLE__ECMA_E_RANGE);
}

/* What the walk over this program of Run ends with, and how many points come before. */
static void
check_walk (const char *program, size_t size, int expected, uint32_t expected_count)
{
	struct bytes other = build_mdb_with_program (program, size);
	monocle__mdb broken;
	monocle__mdb_points points;
	monocle__source_point point;
	monocle__source_location at;
	uint32_t count = 0;
	int result = monocle__mdb_open (&broken, other.data, other.size);
	assert_int_equal (result, 0);
	assert_int_equal (monocle__mdb_points_of (&broken, RUN, &points), 0);
	while ((result = monocle__mdb_next_point (&points, &point)) > 0)
		count++;
	assert_int_equal (result, expected);
	assert_int_equal (count, expected_count);
	if (expected < 0) {
		assert_true (monocle__mdb_next_point (&points, &point) < 0);
		assert_int_equal (monocle__mdb_locate (&broken, RUN, UINT32_MAX, &at), expected);
	}
	bytes_free (&other);
}

#define WALK(program, expected, count) check_walk (program, sizeof (program) - 1, expected, count)

static void
broken_programs_end_the_walk_and_keep_what_came_before (void **state)
{
	WALK ("\0\1\1", 0, 0);
	WALK ("\1\1\0\3\x7F\1\1\0\1\1", 0, 2);                             /* an extension nobody knows */
	WALK ("\1\5", MONOCLE__ECMA_E_FORMAT, 1);                          /* no such opcode */
	WALK ("\1\0\0", MONOCLE__ECMA_E_FORMAT, 1);                        /* an extension without opcode */
	WALK ("\1\0\1\2", MONOCLE__ECMA_E_FORMAT, 1);                      /* no such extension */
	WALK ("\1\0\xFF\xFF\3\x40", MONOCLE__ECMA_E_FORMAT, 1);            /* one behind the end */
	WALK ("\1\4\3", MONOCLE__ECMA_E_FORMAT, 1);                        /* no such source */
	WALK ("\1\2\xFF\xFF\xFF\xFF\x0F", MONOCLE__ECMA_E_FORMAT, 1);      /* offset -1 */
	WALK ("\1\2\xFF\xFF\xFF\xFF\1\1\2\1", MONOCLE__ECMA_E_FORMAT, 2);  /* offset 2^29 */
	WALK ("\1\3\x80\x80\x80\x80\2", MONOCLE__ECMA_E_FORMAT, 1);        /* line 2^29 */
	WALK ("\1\3\x80\x80\x80\x80\x80\1", MONOCLE__ECMA_E_TRUNCATED, 1); /* a number of more than 32 bits */
}

static void
locals_have_names_slots_and_blocks (void **state)
{
	monocle__mdb_local local;
	monocle__mdb_block block;
	assert_int_equal (monocle__mdb_get_local (&mdb, RUN, 0, &local), 0);
	assert_int_equal (local.name_size, 1);
	assert_int_equal (local.name[0], 'x');
	assert_int_equal (local.slot | local.block, 0);
	assert_int_equal (monocle__mdb_get_local (&mdb, RUN, 1, &local), 0);
	assert_int_equal (local.name[0], 'y');
	assert_int_equal (local.slot, 1);
	assert_int_equal (local.block, 1);
	assert_int_equal (monocle__mdb_get_local (&mdb, RUN, 2, &local), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__mdb_get_local (&mdb, STOP, 0, &local), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__mdb_get_block (&mdb, RUN, 0, &block), 0);
	assert_int_equal (block.kind, 1);
	assert_int_equal (block.parent, 0);
	assert_int_equal (block.start, 3);
	assert_int_equal (block.end, 9);
	assert_int_equal (monocle__mdb_get_block (&mdb, RUN, 1, &block), MONOCLE__ECMA_E_RANGE);
}

/* What opening the list answers when the method's data stand somewhere else. */
static int
local_with_data_at (uint32_t at)
{
	monocle__mdb other;
	monocle__mdb_local local;
	struct bytes copy = { 0 };
	put_bytes (&copy, file.data, file.size);
	set_u32 (&copy, (size_t) (mdb.methods - file.data) + 4, at);
	assert_int_equal (monocle__mdb_open (&other, copy.data, copy.size), 0);
	int result = monocle__mdb_get_local (&other, RUN, 0, &local);
	bytes_free (&copy);
	return result;
}

static void
data_of_locals_that_are_not_there_are_refused (void **state)
{
	assert_int_equal (local_with_data_at ((uint32_t) file.size + 1), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (local_with_data_at ((uint32_t) file.size), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (local_with_data_at (UINT32_MAX), MONOCLE__ECMA_E_TRUNCATED);
	/* The magic is no data: what its numbers place is too large, or is no list. */
	assert_true (local_with_data_at (0) < 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_file_describes_the_image_with_its_mvid),
		cmocka_unit_test (headers_that_lie_are_refused),
		cmocka_unit_test (a_short_file_is_refused),
		cmocka_unit_test (documents_have_names),
		cmocka_unit_test (a_program_yields_its_points),
		cmocka_unit_test (an_instruction_belongs_to_the_last_point_with_a_line),
		cmocka_unit_test (an_instruction_before_every_line_has_no_location),
		cmocka_unit_test (broken_programs_end_the_walk_and_keep_what_came_before),
		cmocka_unit_test (locals_have_names_slots_and_blocks),
		cmocka_unit_test (data_of_locals_that_are_not_there_are_refused),
	};
	return cmocka_run_group_tests (tests, open_file, close_file);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_bytes.c - little-endian numbers and parts of a range.
 */
#include "bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t eight[] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0xf1 };

static void
numbers_are_read_lowest_byte_first_at_any_address (void **state)
{
	uint8_t moved[9];

	memcpy (moved + 1, eight, sizeof eight);
	assert_int_equal (monocle__le16 (moved + 1), 0x7788);
	assert_int_equal (monocle__le32 (moved + 1), 0x55667788);
	assert_true (monocle__le64 (moved + 1) == UINT64_C (0xf122334455667788));
}

static void
what_is_written_reads_the_same (void **state)
{
	uint8_t bytes[8];

	monocle__put_le64 (bytes, UINT64_C (0xf122334455667788));
	assert_memory_equal (bytes, eight, sizeof eight);
	monocle__put_le16 (bytes, 0x0102);
	monocle__put_le32 (bytes + 2, 0xf3040506);
	assert_memory_equal (bytes, "\x02\x01\x06\x05\x04\xf3\x22\xf1", sizeof bytes);
}

static void
a_part_lies_inside_or_there_is_none (void **state)
{
	monocle__span whole = { eight, sizeof eight }, part = { 0 };

	assert_true (monocle__span_part (whole, 2, 6, &part));
	assert_ptr_equal (part.data, eight + 2);
	assert_int_equal (part.size, 6);
	assert_true (monocle__span_part (whole, 8, 0, &part));
	assert_false (monocle__span_part (whole, 2, 7, &part));
	assert_false (monocle__span_part (whole, 9, 0, &part));
	assert_false (monocle__span_part (whole, 1, UINT64_MAX, &part));
	assert_int_equal (part.size, 0);
	assert_true (monocle__span_rest (whole, 5, &part));
	assert_int_equal (part.size, 3);
	assert_false (monocle__span_rest (whole, 9, &part));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (numbers_are_read_lowest_byte_first_at_any_address),
		cmocka_unit_test (what_is_written_reads_the_same),
		cmocka_unit_test (a_part_lies_inside_or_there_is_none),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

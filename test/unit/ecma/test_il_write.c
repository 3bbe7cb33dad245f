/*
 * SPDX-License-Identifier: MIT
 *
 * test_il_write.c - the bytes that monocle__il_write makes of bodies.
 */
#include "il_text.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

static void
check_wide (const uint8_t *data, size_t size, const uint8_t *expected, size_t expected_size)
{
	monocle__il_body body = il_must_read (data, size);
	size_t written_size;
	uint8_t *written = il_must_write (&body, false, &written_size);

	assert_int_equal (written_size, expected_size);
	assert_memory_equal (written, expected, expected_size);
	free (written);
	monocle__il_free (&body);
}

static void
check_verbatim (const uint8_t *data, size_t size)
{
	monocle__il_body body = il_must_read (data, size);
	size_t written_size;
	uint8_t *written = il_must_write (&body, true, &written_size);

	assert_int_equal (written_size, size);
	assert_memory_equal (written, data, size);
	free (written);
	monocle__il_free (&body);
}

static void
a_wide_body_has_a_fat_header_and_long_branches (void **state)
{
	static const uint8_t data[] = IL_TINY (0x16, 0x2D, 0x01, 0x00, 0x2B, 0xFA);
	static const uint8_t wide[] = { IL_FAT (0, 12), 0x16, 0x3A, 1, 0, 0, 0, 0x00, 0x38, 0xF4, 0xFF, 0xFF, 0xFF };

	check_wide (data, sizeof data, wide, sizeof wide);
}

static void
a_wide_switch_counts_from_its_end (void **state)
{
	static const uint8_t data[] = IL_TINY (0x45, 2, 0, 0, 0, 2, 0, 0, 0, 0xF3, 0xFF, 0xFF, 0xFF, 0x2B, 0x00, 0x2A);
	static const uint8_t wide[] = { IL_FAT (0, 19), 0x45, 2, 0, 0, 0, 5, 0, 0, 0, 0xF3, 0xFF, 0xFF, 0xFF,
		                        0x38, 0, 0, 0, 0, 0x2A };

	check_wide (data, sizeof data, wide, sizeof wide);
}

static void
small_sections_become_one_fat_section (void **state)
{
	static const uint8_t data[] = { 0x1B, 0x30, 3, 0, 4, 0, 0, 0, 9, 0, 0, 0x11, 0xDE, 1, 0xDC, 0x2A,
		                        0x81, 16, 0xAA, 0xBB, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0,
		                        0x01, 16, 0, 0, 0, 0, 0, 0, 2, 2, 0, 1, 5, 0, 0, 1 };
	static const uint8_t wide[] = { 0x1B, 0x30, 3, 0, 7, 0, 0, 0, 9, 0, 0, 0x11, 0xDD, 1, 0, 0, 0, 0xDC, 0x2A, 0,
		                        0x41, 52, 0, 0,
		                        2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
		                        0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 1 };

	check_wide (data, sizeof data, wide, sizeof wide);
}

static void
an_unedited_body_comes_back_byte_for_byte (void **state)
{
	static const uint8_t tiny[] = IL_TINY (0x2B, 0x05, 0x2B, 0xFC, 0x1F, 0x80, 0x00, 0x38, 0, 0, 0, 0, 0x2A);
	static const uint8_t fat_where_tiny_would_do[] = { IL_FAT (0, 1), 0x2A };
	static const uint8_t unknown_header_flag[] = { 0x53, 0x30, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0x11, 0x2A };
	/* padding, reserved bytes, an unused token in a finally, small and fat and empty sections */
	static const uint8_t odd[] = { IL_FAT (0x08, 5), 0xDE, 1, 0xDC, 0x00, 0x2A, 1, 2, 3,
		                       0x81, 16, 4, 5, 2, 0, 0, 0, 2, 2, 0, 1, 6, 7, 8, 9, 0x81, 4, 1, 2,
		                       0x41, 28, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0 };
	static const uint8_t header_not_counted[] = { IL_FAT (0x08, 4), 0xDE, 1, 0xDC, 0x2A,
		                                      0x01, 12, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0 };

	check_verbatim (tiny, sizeof tiny);
	check_verbatim (fat_where_tiny_would_do, sizeof fat_where_tiny_would_do);
	check_verbatim (unknown_header_flag, sizeof unknown_header_flag);
	check_verbatim (odd, sizeof odd);
	check_verbatim (header_not_counted, sizeof header_not_counted);
}

static void
an_edited_body_is_wide_even_when_verbatim_was_asked (void **state)
{
	static const uint8_t data[] = IL_TINY (0x2B, 0x00, 0x2A);
	static const uint8_t wide[] = { IL_FAT (0, 7), 0x00, 0x38, 0, 0, 0, 0, 0x2A };
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_body body = il_must_read (data, sizeof data);
	monocle__il_edit *edit = monocle__il_edit_new (&body);
	size_t size;
	uint8_t *written;

	assert_int_equal (monocle__il_insert (edit, 0, MONOCLE__IL_JUMPS_SKIP, &nop, 1), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	written = il_must_write (&body, true, &size);
	assert_int_equal (size, sizeof wide);
	assert_memory_equal (written, wide, sizeof wide);
	free (written);
	monocle__il_free (&body);
}

static void
every_kind_of_operand_is_written_as_it_was_given (void **state)
{
	static const uint8_t data[] = IL_TINY (0x2A);
	static const uint8_t code[] = { 0x1F, 0xFF, 0x0E, 0xC8, 0xFE, 0x09, 0x34, 0x12, 0x20, 0xFE, 0xFF, 0xFF, 0xFF,
		                        0x21, 8, 7, 6, 5, 4, 3, 2, 0xF1, 0x22, 0, 0, 0x80, 0xBF,
		                        0x23, 0, 0, 0, 0, 0, 0, 0xF0, 0xBF, 0x29, 1, 0, 0, 0x11, 0xFE, 0x12, 4, 0x2A };
	const monocle__il_instruction all[] = {
		monocle__il_op (MONOCLE__IL_LDC_I4_S, -1),
		monocle__il_op (MONOCLE__IL_LDARG_S, 200),
		monocle__il_op (MONOCLE__IL_LDARG, 0x1234),
		monocle__il_op (MONOCLE__IL_LDC_I4, -2),
		monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t)UINT64_C (0xF102030405060708)),
		monocle__il_op (MONOCLE__IL_LDC_R4, 0xBF800000),
		monocle__il_op (MONOCLE__IL_LDC_R8, (int64_t)UINT64_C (0xBFF0000000000000)),
		monocle__il_op (MONOCLE__IL_CALLI, 0x11000001),
		monocle__il_op (MONOCLE__IL_UNALIGNED, 4),
	};
	monocle__il_body body = il_must_read (data, sizeof data);
	monocle__il_edit *edit = monocle__il_edit_new (&body);
	size_t size;
	uint8_t *written;

	assert_int_equal (monocle__il_insert (edit, 0, MONOCLE__IL_JUMPS_SKIP, all, sizeof all / sizeof *all), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	written = il_must_write (&body, false, &size);
	assert_int_equal (size, 12 + sizeof code);
	assert_memory_equal (written + 12, code, sizeof code);
	free (written);
	monocle__il_free (&body);
}

static void
the_map_names_where_each_original_instruction_went (void **state)
{
	static const uint8_t data[] = IL_TINY (0x16, 0x2D, 0xFD, 0x2A);
	static const monocle__il_map expected[] = { { 0, 9 }, { 1, 10 }, { 3, 16 } };
	const monocle__il_instruction wide = monocle__il_op (MONOCLE__IL_LDC_I8, 1);
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_body body = il_must_read (data, sizeof data);
	monocle__il_edit *edit = monocle__il_edit_new (&body);
	monocle__il_map *map;
	uint32_t count;
	uint8_t *written;
	size_t size;

	assert_int_equal (monocle__il_insert (edit, 0, MONOCLE__IL_JUMPS_SKIP, &wide, 1), 0);
	assert_int_equal (monocle__il_insert (edit, 2, MONOCLE__IL_JUMPS_HIT, &nop, 1), 0);
	assert_int_equal (monocle__il_insert (edit, 3, MONOCLE__IL_JUMPS_HIT, &nop, 1), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_int_equal (monocle__il_write (&body, false, il_malloc, NULL, &written, &size, &map, &count), 0);
	assert_int_equal (count, 3);
	assert_memory_equal (map, expected, sizeof expected);
	free (map);
	free (written);
	monocle__il_free (&body);
}

static void
header_values_that_the_caller_changed_are_written (void **state)
{
	static const uint8_t data[] = IL_TINY (0x2A);
	static const uint8_t wide[] = { 0x13, 0x30, 0x10, 0x27, 1, 0, 0, 0, 2, 0, 0, 0x11, 0x2A };
	monocle__il_body body = il_must_read (data, sizeof data);
	size_t size;

	body.max_stack = 10000;
	body.local_signature_token = 0x11000002;
	body.init_locals = true;
	for (int verbatim = 0; verbatim < 2; verbatim++) {
		uint8_t *written = il_must_write (&body, verbatim, &size);

		assert_int_equal (size, sizeof wide);
		assert_memory_equal (written, wide, sizeof wide);
		free (written);
	}
	monocle__il_free (&body);
}

static void
an_instruction_changed_in_place_is_written_as_it_is_now (void **state)
{
	static const uint8_t data[] = IL_TINY (0x2B, 0x00, 0x2A), changed[] = IL_TINY (0x39, 0, 0, 0, 0, 0x2A);
	monocle__il_body body = il_must_read (data, sizeof data);
	size_t size;
	uint8_t *written;

	body.code[0].opcode = MONOCLE__IL_BRFALSE;
	written = il_must_write (&body, true, &size);
	assert_int_equal (size, sizeof changed);
	assert_memory_equal (written, changed, sizeof changed);
	free (written);
	monocle__il_free (&body);
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

static void *
must_not_allocate (void *context, size_t size)
{
	fail_msg ("the allocator was asked");
	return NULL;
}

static void *
cannot_allocate (void *context, size_t size)
{
	return NULL;
}

static void
check_refused (const monocle__il_body *body, bool verbatim)
{
	uint8_t *data = (uint8_t *)"untouched";
	monocle__il_map *map = NULL;
	uint32_t count = 77;
	size_t size = 55;

	assert_int_equal (monocle__il_write (body, verbatim, must_not_allocate, NULL, &data, &size, &map, &count),
	                  MONOCLE__ECMA_E_RANGE);
	assert_string_equal ((char *)data, "untouched");
	assert_null (map);
	assert_int_equal (count, 77);
	assert_int_equal (size, 55);
}

static void
what_cannot_be_laid_out_is_refused_before_the_allocator_is_asked (void **state)
{
	static const uint8_t data[] = { IL_FAT (0x08, 10), 0xDE, 1, 0xDC, 0x45, 0, 0, 0, 0, 0x00, 0x2A, 0, 0,
		                        0x01, 16, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0 };
	monocle__il_body body = il_must_read (data, sizeof data);
	monocle__il_clause clause = body.clauses[0];

	body.max_stack = 65536;
	check_refused (&body, false);
	body.max_stack = 8;
	body.code[0].operand.target = 6;
	check_refused (&body, false);
	body.code[0].operand.target = 2;
	body.code[2].operand.switch_index = 1;
	check_refused (&body, true);
	body.code[2].operand.switch_index = 0;
	body.code[3].opcode = 0x24;
	check_refused (&body, true);
	body.code[3].opcode = MONOCLE__IL_NOP;
	body.clauses[0].try_end = 9;
	check_refused (&body, false);
	body.clauses[0] = clause;
	body.clauses[0].handler_begin = 3;
	check_refused (&body, false);
	monocle__il_free (&body);
}

static void
a_short_branch_moved_out_of_reach_is_refused_in_its_short_form_only (void **state)
{
	uint8_t data[12 + 203] = { IL_FAT (0, 203), 0x2B, 0x00 };
	monocle__il_body body;
	uint8_t *written;
	size_t size;

	data[12 + 202] = 0x2A;
	body = il_must_read (data, sizeof data);
	body.code[0].operand.target = body.count - 1;
	check_refused (&body, true);
	written = il_must_write (&body, false, &size);
	assert_int_equal (written[12], 0x38);
	assert_int_equal (written[13], 200);
	free (written);
	monocle__il_free (&body);
}

static void
an_allocator_without_memory_is_reported (void **state)
{
	static const uint8_t data[] = IL_TINY (0x2A);
	monocle__il_body body = il_must_read (data, sizeof data);
	monocle__il_map *map;
	uint32_t count;
	uint8_t *written;
	size_t size;

	assert_int_equal (monocle__il_write (&body, false, cannot_allocate, NULL, &written, &size, &map, &count),
	                  MONOCLE__IL_E_NO_MEMORY);
	monocle__il_free (&body);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_wide_body_has_a_fat_header_and_long_branches),
		cmocka_unit_test (a_wide_switch_counts_from_its_end),
		cmocka_unit_test (small_sections_become_one_fat_section),
		cmocka_unit_test (an_unedited_body_comes_back_byte_for_byte),
		cmocka_unit_test (an_edited_body_is_wide_even_when_verbatim_was_asked),
		cmocka_unit_test (every_kind_of_operand_is_written_as_it_was_given),
		cmocka_unit_test (the_map_names_where_each_original_instruction_went),
		cmocka_unit_test (header_values_that_the_caller_changed_are_written),
		cmocka_unit_test (an_instruction_changed_in_place_is_written_as_it_is_now),
		cmocka_unit_test (what_cannot_be_laid_out_is_refused_before_the_allocator_is_asked),
		cmocka_unit_test (a_short_branch_moved_out_of_reach_is_refused_in_its_short_form_only),
		cmocka_unit_test (an_allocator_without_memory_is_reported),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

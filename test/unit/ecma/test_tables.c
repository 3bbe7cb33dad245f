/*
 * SPDX-License-Identifier: MIT
 *
 * test_tables.c - tables.c: widths, layout, coded indexes, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "builder.h"
#include "ecma.h"

static monocle__ecma_image image;
static struct bytes metadata;

/* Opens a tables stream with these row counts, an optional word behind them, and `cells` zero bytes or those given. */
static int
open_stream (const char *name, uint8_t heap_sizes, const uint32_t rows[64], const void *cells, size_t size)
{
	struct root root = { 0 };
	struct bytes *stream = root_add (&root, name);
	put_tables_header (stream, heap_sizes, rows);
	if (heap_sizes & 0x40)
		put (stream, 4, 0x12345678);
	if (cells)
		put_bytes (stream, cells, size);
	else
		put_zeros (stream, size);
	bytes_free (&metadata);
	metadata = root_finish (&root);
	return monocle__ecma_open_metadata (&image, metadata.data, metadata.size);
}

static int
forget_metadata (void **state)
{
	bytes_free (&metadata);
	return 0;
}

/* clang-format off */
/* Sums of the column widths in II.22, all indexes two bytes wide; the Portable PDB ones from its specification. */
static const uint8_t narrow_sizes[64] = {
	[0x00] = 10, [0x01] = 6,  [0x02] = 14, [0x03] = 2,  [0x04] = 6,  [0x05] = 2,  [0x06] = 14, [0x07] = 2,  [0x08] = 6,
	[0x09] = 4,  [0x0A] = 6,  [0x0B] = 6,  [0x0C] = 6,  [0x0D] = 4,  [0x0E] = 6,  [0x0F] = 8,  [0x10] = 6,  [0x11] = 2,
	[0x12] = 4,  [0x13] = 2,  [0x14] = 6,  [0x15] = 4,  [0x16] = 2,  [0x17] = 6,  [0x18] = 6,  [0x19] = 6,  [0x1A] = 2,
	[0x1B] = 2,  [0x1C] = 8,  [0x1D] = 6,  [0x1E] = 8,  [0x1F] = 4,  [0x20] = 22, [0x21] = 4,  [0x22] = 12, [0x23] = 20,
	[0x24] = 6,  [0x25] = 14, [0x26] = 8,  [0x27] = 14, [0x28] = 12, [0x29] = 4,  [0x2A] = 8,  [0x2B] = 4,  [0x2C] = 4,
	[0x30] = 8,  [0x31] = 4,  [0x32] = 16, [0x33] = 6,  [0x34] = 4,  [0x35] = 4,  [0x36] = 4,  [0x37] = 6,
};

/* How many bytes a row gains when all three heaps are wide: two per string, GUID or blob column. */
static const uint8_t heap_gains[64] = {
	[0x00] = 8, [0x01] = 4, [0x02] = 4, [0x04] = 4, [0x06] = 4, [0x08] = 2, [0x0A] = 4, [0x0B] = 2, [0x0C] = 2,
	[0x0D] = 2, [0x0E] = 2, [0x11] = 2, [0x14] = 2, [0x17] = 4, [0x1A] = 2, [0x1B] = 2, [0x1C] = 2, [0x20] = 6,
	[0x23] = 8, [0x26] = 4, [0x27] = 4, [0x28] = 2, [0x2A] = 2, [0x2B] = 2, [0x30] = 8, [0x31] = 2, [0x33] = 2,
	[0x34] = 4, [0x35] = 2, [0x37] = 4,
};
/* clang-format on */

static void
rows_have_the_sizes_of_the_standard (void **state)
{
	static const uint32_t none[64];
	assert_int_equal (open_stream ("#~", 0, none, NULL, 0), 0);
	for (int table = 0; table < 64; table++)
		assert_int_equal (image.tables[table].row_size, narrow_sizes[table]);
	assert_int_equal (open_stream ("#~", 7, none, NULL, 0), 0);
	for (int table = 0; table < 64; table++)
		assert_int_equal (image.tables[table].row_size, narrow_sizes[table] + heap_gains[table]);
}

static void
each_heap_has_its_own_width (void **state)
{
	static const uint32_t none[64];
	assert_int_equal (open_stream ("#~", 1, none, NULL, 0), 0);
	assert_int_equal (image.tables[0x00].row_size, 12); /* one string */
	assert_int_equal (open_stream ("#~", 2, none, NULL, 0), 0);
	assert_int_equal (image.tables[0x00].row_size, 16); /* three GUIDs */
	assert_int_equal (open_stream ("#~", 4, none, NULL, 0), 0);
	assert_int_equal (image.tables[0x23].row_size, 24); /* two blobs */
}

static void
extra_data_stands_between_counts_and_rows (void **state)
{
	static const uint32_t rows[64] = { [0x1F] = 1 };
	uint32_t value = 0;
	assert_int_equal (open_stream ("#~", 0x40, rows, "\x11\x22\x33\x44", 4), 0);
	assert_int_equal (monocle__ecma_column (&image, MONOCLE__TABLE_ENCMap, 1, 0, &value), 0);
	assert_int_equal (value, 0x44332211);
}

static void
a_simple_index_is_wide_from_65536_rows_on (void **state)
{
	uint32_t rows[64] = { [MONOCLE__TABLE_ModuleRef] = 0xFFFF };
	const monocle__ecma_table *map = &image.tables[MONOCLE__TABLE_ImplMap];
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 0xFFFF * 2), 0);
	assert_int_equal (map->column_size[MONOCLE__COL_ImplMap_ImportScope], 2);
	rows[MONOCLE__TABLE_ModuleRef]++;
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 0x10000 * 2), 0);
	assert_int_equal (map->column_size[MONOCLE__COL_ImplMap_ImportScope], 4);
}

/* The rows of any target count against 2^(16 - tag bits): two bits, three bits, five bits. */
static void
a_coded_index_is_wide_when_any_target_leaves_no_room_for_the_tag (void **state)
{
	static const struct {
		uint8_t target, table, column;
		uint32_t limit;
	} cases[] = {
		{ MONOCLE__TABLE_TypeSpec, MONOCLE__TABLE_TypeDef, MONOCLE__COL_TypeDef_Extends, 0x4000 },
		{ MONOCLE__TABLE_ModuleRef, MONOCLE__TABLE_MemberRef, MONOCLE__COL_MemberRef_Class, 0x2000 },
		{ MONOCLE__TABLE_ModuleRef, MONOCLE__TABLE_CustomAttribute, MONOCLE__COL_CustomAttribute_Parent, 0x800 },
		{ MONOCLE__TABLE_TypeSpec, MONOCLE__TABLE_CustomDebugInformation, 0, 0x800 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint32_t rows[64] = { 0 };
		rows[cases[i].target] = cases[i].limit - 1;
		const uint8_t *width = &image.tables[cases[i].table].column_size[cases[i].column];
		assert_int_equal (open_stream ("#~", 0, rows, NULL, rows[cases[i].target] * 2), 0);
		assert_int_equal (*width, 2);
		rows[cases[i].target]++;
		assert_int_equal (open_stream ("#~", 0, rows, NULL, rows[cases[i].target] * 2), 0);
		assert_int_equal (*width, 4);
	}
}

static void
cells_are_read_with_their_widths (void **state)
{
	static const uint32_t rows[64] = { [0x0B] = 2, [0x0F] = 1 };
	static const uint8_t cells[] = { 8, 0, 2,    0,    9,    0,    0xE, 0, 0xFF, 0xFE, 0x34, 0x12, /* Constant */
		                             4, 0, 0x78, 0x56, 0x34, 0x12, 3,   0 };                       /* ClassLayout */
	uint32_t value = 0;
	assert_int_equal (open_stream ("#~", 0, rows, cells, sizeof cells), 0);
	assert_int_equal (monocle__ecma_column (&image, 0x0B, 2, MONOCLE__COL_Constant_Type, &value), 0);
	assert_int_equal (value, 0xE);
	assert_int_equal (monocle__ecma_column (&image, 0x0B, 2, MONOCLE__COL_Constant_Parent, &value), 0);
	assert_int_equal (value, 0xFEFF);
	assert_int_equal (monocle__ecma_column (&image, 0x0F, 1, MONOCLE__COL_ClassLayout_ClassSize, &value), 0);
	assert_int_equal (value, 0x12345678);
}

static void
a_cell_that_is_not_there_is_a_range_error_and_no_value (void **state)
{
	static const uint32_t rows[64] = { [0x1B] = 2 };
	uint32_t value = 77;
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 4), 0);
	assert_int_equal (monocle__ecma_column (&image, 0x1B, 0, 0, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_column (&image, 0x1B, 3, 0, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_column (&image, 0x1B, UINT32_MAX, 0, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_column (&image, 0x1B, 1, 1, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_column (&image, 0x1B, 1, UINT32_MAX, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_column (&image, 0x1A, 1, 0, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_column (&image, 64, 1, 0, &value), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (value, 77);
}

static void
rows_that_run_past_the_stream_are_refused (void **state)
{
	static const uint32_t rows[64] = { [0x02] = 3, [0x1B] = 2 }, many[64] = { [0x20] = 0xFFFFFF };
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 3 * 14 + 4), 0);
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 3 * 14 + 3), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (open_stream ("#~", 0, many, NULL, 100), MONOCLE__ECMA_E_TRUNCATED);
}

static void
more_rows_than_a_token_can_name_are_refused (void **state)
{
	static const uint32_t rows[64] = { [0x1B] = 0x1000000 };
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 100), MONOCLE__ECMA_E_FORMAT);
}

static void
a_table_of_unknown_shape_is_refused (void **state)
{
	static const uint32_t rows[64] = { [0x2D] = 1 };
	assert_int_equal (open_stream ("#~", 0, rows, NULL, 100), MONOCLE__ECMA_E_FORMAT);
}

static void
pointer_tables_are_refused_and_other_uncompressed_streams_read (void **state)
{
	static const uint8_t pointers[] = { 0x03, 0x05, 0x07, 0x13, 0x16 };
	static const uint32_t plain[64] = { [0x1B] = 2 };
	assert_int_equal (open_stream ("#-", 0, plain, NULL, 4), 0);
	for (size_t i = 0; i < sizeof pointers; i++) {
		uint32_t rows[64] = { 0 };
		rows[pointers[i]] = 1;
		assert_int_equal (open_stream ("#-", 0, rows, NULL, 100), MONOCLE__ECMA_E_FORMAT);
	}
}

static void
coded_values_become_tokens (void **state)
{
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef, 5 << 2 | 0), 0x02000005);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef, 5 << 2 | 1), 0x01000005);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef, 5 << 2 | 2), 0x1B000005);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_ResolutionScope, 7 << 2 | 2), 0x23000007);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_CustomAttributeType, 7 << 3 | 3), 0x0A000007);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_HasCustomAttribute, 7 << 5 | 21), 0x2B000007);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_HasCustomDebugInformation, 7 << 5 | 26), 0x35000007);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeOrMethodDef, 0xFFFFFF << 1 | 1), 0x06FFFFFF);
	/* Nothing: the tag still names a table, but row 0 is none. */
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef, 0 << 2 | 1), 0);
}

static void
reserved_tags_and_kinds_have_no_token (void **state)
{
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef, 5 << 2 | 3), 0);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_CustomAttributeType, 5 << 3 | 0), 0);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_HasCustomAttribute, 5 << 5 | 22), 0);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_TypeOrMethodDef, 0x1000000u << 1), 0);
	assert_int_equal (monocle__ecma_coded_token (MONOCLE__CODED_COUNT, 5), 0);
	assert_int_equal (monocle__ecma_coded_token (UINT32_MAX, 5), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (rows_have_the_sizes_of_the_standard),
		cmocka_unit_test (each_heap_has_its_own_width),
		cmocka_unit_test (extra_data_stands_between_counts_and_rows),
		cmocka_unit_test (a_simple_index_is_wide_from_65536_rows_on),
		cmocka_unit_test (a_coded_index_is_wide_when_any_target_leaves_no_room_for_the_tag),
		cmocka_unit_test (cells_are_read_with_their_widths),
		cmocka_unit_test (a_cell_that_is_not_there_is_a_range_error_and_no_value),
		cmocka_unit_test (rows_that_run_past_the_stream_are_refused),
		cmocka_unit_test (more_rows_than_a_token_can_name_are_refused),
		cmocka_unit_test (a_table_of_unknown_shape_is_refused),
		cmocka_unit_test (pointer_tables_are_refused_and_other_uncompressed_streams_read),
		cmocka_unit_test (coded_values_become_tokens),
		cmocka_unit_test (reserved_tags_and_kinds_have_no_token),
	};
	return cmocka_run_group_tests_name ("ecma tables", tests, NULL, forget_metadata);
}

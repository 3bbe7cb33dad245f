/*
 * SPDX-License-Identifier: MIT
 *
 * test_debug_directory.c - what an image says about its symbols, embedded files, and which file is whose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "debug-directory.h"
#include "failing-memory.h"
#include "il.h"
#include "pdb.h"
#include "symbols_builder.h"

static struct bytes pe, pdb_file;
static monocle__ecma_image image;
static monocle__pdb pdb;

static int
open_files (void **state)
{
	pe = build_pe_with_symbols ();
	pdb_file = build_pdb ();
	return monocle__ecma_open_pe (&image, pe.data, pe.size, false) |
	       monocle__pdb_open (&pdb, pdb_file.data, pdb_file.size);
}

static int
close_files (void **state)
{
	bytes_free (&pe);
	bytes_free (&pdb_file);
	return 0;
}

/* The image of a small PE with these rows alone; *ret_pe must outlive it. */
static monocle__ecma_image
image_with (struct bytes *ret_pe, struct debug_row *rows, size_t count, bool plus)
{
	monocle__ecma_image other;
	struct bytes metadata = build_house ();
	*ret_pe = build_pe (&metadata, (struct pe_options) { .plus = plus });
	add_debug_directory (ret_pe, rows, count);
	assert_int_equal (monocle__ecma_open_pe (&other, ret_pe->data, ret_pe->size, false), 0);
	bytes_free (&metadata);
	return other;
}

static uint32_t
count_of (const monocle__ecma_image *of)
{
	monocle__debug_entry entry;
	uint32_t count = 0;
	while (monocle__debug_get (of, count, &entry) == 0)
		count++;
	return count;
}

static void
entries_are_found_by_type_and_number (void **state)
{
	monocle__debug_entry entry;
	assert_int_equal (count_of (&image), 4);
	assert_int_equal (monocle__debug_find (&image, MONOCLE__DEBUG_REPRODUCIBLE, &entry), 0);
	assert_null (entry.data);
	assert_int_equal (monocle__debug_get (&image, 3, &entry), 0);
	assert_int_equal (entry.type, MONOCLE__DEBUG_EMBEDDED);
	assert_int_equal (monocle__debug_get (&image, 4, &entry), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__debug_find (&image, 1, &entry), MONOCLE__ECMA_E_RANGE);
}

static void
the_codeview_entry_names_the_file_and_its_id (void **state)
{
	monocle__debug_entry entry;
	monocle__debug_codeview codeview;
	assert_int_equal (monocle__debug_find (&image, MONOCLE__DEBUG_CODEVIEW, &entry), 0);
	assert_int_equal (monocle__debug_read_codeview (&entry, &codeview), 0);
	assert_true (codeview.portable);
	assert_int_equal (codeview.age, 1);
	assert_memory_equal (codeview.id, symbols_id, sizeof symbols_id);
	assert_string_equal (codeview.path, "/obj/house.pdb");
}

static void
the_name_of_a_file_is_told_from_its_folder (void **state)
{
	assert_string_equal (monocle__debug_file_name ("/obj/house.pdb"), "house.pdb");
	assert_string_equal (monocle__debug_file_name ("D:\\a/b\\house.pdb"), "house.pdb");
	assert_string_equal (monocle__debug_file_name ("house.pdb"), "house.pdb");
	assert_string_equal (monocle__debug_file_name ("folder/"), "");
}

static void
an_entry_is_not_read_as_another_type (void **state)
{
	monocle__debug_entry entry;
	monocle__debug_codeview codeview;
	const uint8_t *packed;
	uint32_t packed_size, size;
	assert_int_equal (monocle__debug_find (&image, MONOCLE__DEBUG_REPRODUCIBLE, &entry), 0);
	assert_int_equal (monocle__debug_read_codeview (&entry, &codeview), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__debug_read_embedded (&entry, &packed, &packed_size, &size), MONOCLE__ECMA_E_RANGE);
}

static void
entries_with_broken_data_are_errors (void **state)
{
	monocle__debug_codeview codeview;
	const uint8_t *packed;
	uint32_t n, size;
	const uint8_t rsds[] = "RSDS................1234path"; /* and a NUL */
	monocle__debug_entry entry = { .type = MONOCLE__DEBUG_CODEVIEW, .data = rsds, .size = sizeof rsds };
	assert_int_equal (monocle__debug_read_codeview (&entry, &codeview), 0);
	entry.size--;
	assert_int_equal (monocle__debug_read_codeview (&entry, &codeview), MONOCLE__ECMA_E_FORMAT);
	entry.size = 24;
	assert_int_equal (monocle__debug_read_codeview (&entry, &codeview), MONOCLE__ECMA_E_TRUNCATED);
	entry = (monocle__debug_entry) { .type = MONOCLE__DEBUG_EMBEDDED,
		                             .data = (const uint8_t *) "MPDB\0\0\0\x80",
		                             .size = 8 };
	assert_int_equal (monocle__debug_read_embedded (&entry, &packed, &n, &size), MONOCLE__ECMA_E_FORMAT);
	entry.size = 7;
	assert_int_equal (monocle__debug_read_embedded (&entry, &packed, &n, &size), MONOCLE__ECMA_E_TRUNCATED);
}

static void
an_image_as_a_loader_maps_it_has_the_same_entries (void **state)
{
	static monocle__ecma_image loaded;
	struct bytes mapped = map_pe (&pe);
	assert_int_equal (monocle__ecma_open_pe (&loaded, mapped.data, mapped.size, true), 0);
	assert_int_equal (count_of (&loaded), 4);
	for (uint32_t i = 0; i < 4; i++) {
		monocle__debug_entry flat, entry;
		assert_int_equal (monocle__debug_get (&image, i, &flat), 0);
		assert_int_equal (monocle__debug_get (&loaded, i, &entry), 0);
		assert_int_equal (entry.size, flat.size);
		if (flat.size)
			assert_memory_equal (entry.data, flat.data, flat.size);
	}
	assert_int_equal (monocle__pdb_check_id (&pdb, &loaded), 0);
	bytes_free (&mapped);
}

static void
a_directory_in_a_64_bit_image_is_found (void **state)
{
	struct bytes other_pe;
	struct debug_row row = codeview_row ("x");
	monocle__ecma_image other = image_with (&other_pe, &row, 1, true);
	assert_int_equal (monocle__pdb_check_id (&pdb, &other), 0);
	bytes_free (&other_pe);
}

static void
an_image_without_a_directory_has_no_entries (void **state)
{
	struct bytes other_pe;
	size_t size;
	uint8_t *data = NULL;
	monocle__ecma_image other = image_with (&other_pe, NULL, 0, false);
	assert_int_equal (count_of (&other), 0);
	assert_int_equal (monocle__pdb_check_id (&pdb, &other), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__pdb_load_embedded (&other, &data, &size), MONOCLE__ECMA_E_RANGE);
	assert_null (data);
	bytes_free (&other_pe);
}

/* --- which file is whose ------------------------------------------------------------------------------------------ */

static void
a_file_belongs_to_the_image_with_its_id (void **state)
{
	assert_int_equal (monocle__pdb_check_id (&pdb, &image), 0);
}

static void
a_file_of_another_build_is_unrelated (void **state)
{
	monocle__pdb other;
	struct bytes copy = { 0 };
	put_bytes (&copy, pdb_file.data, pdb_file.size);
	copy.data[pdb.id - pdb_file.data + 19] ^= 1; /* the stamp */
	assert_int_equal (monocle__pdb_open (&other, copy.data, copy.size), 0);
	assert_int_equal (monocle__pdb_check_id (&other, &image), MONOCLE__PDB_E_UNRELATED);
	bytes_free (&copy);
}

static void
an_entry_for_a_windows_pdb_matches_nothing (void **state)
{
	struct bytes other_pe;
	struct debug_row row = codeview_row ("x");
	row.minor = 0;
	monocle__ecma_image other = image_with (&other_pe, &row, 1, false);
	assert_int_equal (monocle__pdb_check_id (&pdb, &other), MONOCLE__ECMA_E_RANGE);
	bytes_free (&other_pe);
}

/* --- embedded files ----------------------------------------------------------------------------------------------- */

static void
an_embedded_file_is_unpacked (void **state)
{
	uint8_t *data;
	size_t size;
	assert_int_equal (monocle__pdb_load_embedded (&image, &data, &size), 0);
	assert_int_equal (size, pdb_file.size);
	assert_memory_equal (data, pdb_file.data, size);
	free (data);
}

/* What unpacking answers when the entry claims another size. */
static int
unpack_as (uint32_t claimed)
{
	struct bytes other_pe;
	struct debug_row row = embedded_row (&pdb_file);
	uint8_t *data = NULL;
	size_t size = 0;
	set_u32 (&row.data, 4, claimed);
	monocle__ecma_image other = image_with (&other_pe, &row, 1, false);
	int result = monocle__pdb_load_embedded (&other, &data, &size);
	free (data);
	bytes_free (&other_pe);
	return result;
}

static void
an_embedded_file_of_another_size_is_refused (void **state)
{
	assert_int_equal (unpack_as ((uint32_t) pdb_file.size), 0);
	assert_int_equal (unpack_as ((uint32_t) pdb_file.size - 1), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (unpack_as ((uint32_t) pdb_file.size + 1), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (unpack_as (0), MONOCLE__ECMA_E_FORMAT);
}

static void
a_size_that_cannot_be_true_is_not_allocated (void **state)
{
	struct bytes other_pe;
	struct debug_row row = embedded_row (&pdb_file);
	uint8_t *data;
	size_t size;
	set_u32 (&row.data, 4, 400 << 20);
	monocle__ecma_image other = image_with (&other_pe, &row, 1, false);
	failing_memory_allowed = 0;
	int result = monocle__pdb_load_embedded (&other, &data, &size);
	failing_memory_allowed = -1;
	assert_int_equal (result, MONOCLE__ECMA_E_FORMAT);
	bytes_free (&other_pe);
}

static void
without_memory_nothing_is_unpacked (void **state)
{
	uint8_t *data = NULL;
	size_t size = 7;
	failing_memory_allowed = 0;
	int result = monocle__pdb_load_embedded (&image, &data, &size);
	failing_memory_allowed = -1;
	assert_int_equal (result, MONOCLE__IL_E_NO_MEMORY);
	assert_null (data);
	assert_int_equal (size, 7);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (entries_are_found_by_type_and_number),
		cmocka_unit_test (the_codeview_entry_names_the_file_and_its_id),
		cmocka_unit_test (the_name_of_a_file_is_told_from_its_folder),
		cmocka_unit_test (an_entry_is_not_read_as_another_type),
		cmocka_unit_test (entries_with_broken_data_are_errors),
		cmocka_unit_test (an_image_as_a_loader_maps_it_has_the_same_entries),
		cmocka_unit_test (a_directory_in_a_64_bit_image_is_found),
		cmocka_unit_test (an_image_without_a_directory_has_no_entries),
		cmocka_unit_test (a_file_belongs_to_the_image_with_its_id),
		cmocka_unit_test (a_file_of_another_build_is_unrelated),
		cmocka_unit_test (an_entry_for_a_windows_pdb_matches_nothing),
		cmocka_unit_test (an_embedded_file_is_unpacked),
		cmocka_unit_test (an_embedded_file_of_another_size_is_refused),
		cmocka_unit_test (a_size_that_cannot_be_true_is_not_allocated),
		cmocka_unit_test (without_memory_nothing_is_unpacked),
	};
	return cmocka_run_group_tests (tests, open_files, close_files);
}

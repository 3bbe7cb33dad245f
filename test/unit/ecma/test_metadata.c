/*
 * SPDX-License-Identifier: MIT
 *
 * test_metadata.c - metadata.c: root, streams, heaps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "builder.h"
#include "ecma.h"

static const uint32_t no_rows[64];
static monocle__ecma_image image;

/* Opens what `root` holds; the bytes stay until the next call. */
static int
open_root (struct root *root)
{
	static struct bytes metadata;
	bytes_free (&metadata);
	metadata = root_finish (root);
	return monocle__ecma_open_metadata (&image, metadata.data, metadata.size);
}

/* A root with an empty tables stream and one heap. */
static int
open_heap (const char *name, const void *data, size_t size)
{
	struct root root = { 0 };
	put_tables_header (root_add (&root, "#~"), 0, no_rows);
	put_bytes (root_add (&root, name), data, size);
	return open_root (&root);
}

static void
a_root_of_empty_tables_opens (void **state)
{
	struct root root = { .version = "v1" };
	put_tables_header (root_add (&root, "#~"), 0, no_rows);
	assert_int_equal (open_root (&root), 0);
	for (uint32_t table = 0; table < 70; table++)
		assert_int_equal (monocle__ecma_rows (&image, table), 0);
	assert_null (monocle__ecma_string (&image, 0));
}

static void
the_length_of_the_version_is_rounded_up (void **state)
{
	struct bytes metadata = build_house ();
	assert_int_equal (metadata.data[12], 12);
	metadata.data[12] = 11;
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), 0);
	bytes_free (&metadata);
}

static void
a_root_without_tables_is_refused (void **state)
{
	struct root root = { 0 };
	put (root_add (&root, "#Strings"), 1, 0);
	assert_int_equal (open_root (&root), MONOCLE__ECMA_E_FORMAT);
}

static void
a_wrong_magic_is_refused (void **state)
{
	struct bytes metadata = build_house ();
	metadata.data[3] ^= 1;
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), MONOCLE__ECMA_E_FORMAT);
	bytes_free (&metadata);
}

static void
a_root_cut_at_any_length_is_refused (void **state)
{
	struct bytes metadata = build_house ();
	for (size_t size = 0; size < metadata.size; size++) {
		int error = monocle__ecma_open_metadata (&image, metadata.data, size);
		assert_int_equal (error, MONOCLE__ECMA_E_TRUNCATED);
	}
	bytes_free (&metadata);
}

static void
a_delta_is_refused (void **state)
{
	struct root root = { 0 };
	put_tables_header (root_add (&root, "#-"), 0, no_rows);
	root_add (&root, "#JTD");
	assert_int_equal (open_root (&root), MONOCLE__ECMA_E_FORMAT);
}

static void
an_unknown_stream_is_ignored_even_outside_of_the_metadata (void **state)
{
	struct root root = { 0 };
	put_tables_header (root_add (&root, "#~"), 0, no_rows);
	root_add (&root, "#Koi");
	struct bytes metadata = root_finish (&root);
	uint8_t *name = memmem (metadata.data, metadata.size, "#Koi", 4);
	memset (name - 8, 0xFF, 8);
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), 0);
	memcpy (name, "#US", 4);
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), MONOCLE__ECMA_E_TRUNCATED);
	bytes_free (&metadata);
}

static void
the_last_of_two_streams_with_one_name_counts (void **state)
{
	struct root root = { 0 };
	put_tables_header (root_add (&root, "#~"), 0, no_rows);
	put_bytes (root_add (&root, "#Strings"), "\0first", 7);
	put_bytes (root_add (&root, "#Strings"), "\0last", 6);
	assert_int_equal (open_root (&root), 0);
	assert_string_equal (monocle__ecma_string (&image, 1), "last");
}

static void
a_stream_name_without_an_end_is_refused (void **state)
{
	struct root root = { 0 };
	put_tables_header (root_add (&root, "#~"), 0, no_rows);
	root_add (&root, "#0123456789012345678901234567890"); /* 32 characters: the NUL would be the 33rd */
	assert_int_equal (open_root (&root), MONOCLE__ECMA_E_FORMAT);
}

static void
strings_are_found_by_offset_also_inside_others (void **state)
{
	assert_int_equal (open_heap ("#Strings", "\0Outer\0", 7), 0);
	assert_string_equal (monocle__ecma_string (&image, 0), "");
	assert_string_equal (monocle__ecma_string (&image, 1), "Outer");
	assert_string_equal (monocle__ecma_string (&image, 3), "ter");
	assert_string_equal (monocle__ecma_string (&image, 6), "");
	assert_null (monocle__ecma_string (&image, 7));
	assert_null (monocle__ecma_string (&image, UINT32_MAX));
}

static void
an_unterminated_string_is_none (void **state)
{
	assert_int_equal (open_heap ("#Strings", "\0abc", 4), 0);
	assert_string_equal (monocle__ecma_string (&image, 0), "");
	assert_null (monocle__ecma_string (&image, 1));
	assert_null (monocle__ecma_string (&image, 3));
}

static void
the_heap_of_user_strings_is_handed_out_as_it_is (void **state)
{
	assert_int_equal (open_heap ("#US",
	                             "\0\x03"
	                             "a\0\0",
	                             5),
	                  0);
	assert_int_equal (image.user_strings_size, 5);
	assert_memory_equal (image.user_strings,
	                     "\0\x03"
	                     "a\0\0",
	                     5);
}

static void
blobs_are_found_and_measured (void **state)
{
	static const uint8_t heap[] = { 0, 2, 0xAB, 0xCD, 0x80, 1, 0xEF };
	const uint8_t *data = NULL;
	uint32_t size = 77;
	assert_int_equal (open_heap ("#Blob", heap, sizeof heap), 0);
	assert_int_equal (monocle__ecma_blob (&image, 0, &data, &size), 0);
	assert_int_equal (size, 0);
	assert_int_equal (monocle__ecma_blob (&image, 1, &data, &size), 0);
	assert_int_equal (size, 2);
	assert_memory_equal (data, "\xAB\xCD", 2);
	/* A length may stand in more bytes than it needs. */
	assert_int_equal (monocle__ecma_blob (&image, 4, &data, &size), 0);
	assert_int_equal (size, 1);
	assert_int_equal (data[0], 0xEF);
}

static void
a_blob_that_leaves_the_heap_is_an_error_and_answers_nothing (void **state)
{
	static const uint8_t heap[] = { 0, 3, 0xAB, 0xCD, 0xC0 };
	const uint8_t *data = heap;
	uint32_t size = 77;
	assert_int_equal (open_heap ("#Blob", heap, sizeof heap), 0);
	assert_int_equal (monocle__ecma_blob (&image, 5, &data, &size), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_blob (&image, UINT32_MAX, &data, &size), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_blob (&image, 4, &data, &size), MONOCLE__ECMA_E_TRUNCATED);
	assert_int_equal (monocle__ecma_blob (&image, 2, &data, &size), MONOCLE__ECMA_E_TRUNCATED);
	/* Three bytes from offset 2 would be 0xAB 0xCD 0xC0: just inside. */
	assert_int_equal (monocle__ecma_blob (&image, 1, &data, &size), 0);
	assert_int_equal (size, 3);
}

static void
guids_are_counted_from_one (void **state)
{
	static const uint8_t heap[40] = { [0] = 1, [16] = 2 };
	assert_int_equal (open_heap ("#GUID", heap, sizeof heap), 0);
	assert_null (monocle__ecma_guid (&image, 0));
	assert_int_equal (monocle__ecma_guid (&image, 1)[0], 1);
	assert_int_equal (monocle__ecma_guid (&image, 2)[0], 2);
	assert_null (monocle__ecma_guid (&image, 3)); /* eight bytes are no GUID */
	assert_null (monocle__ecma_guid (&image, UINT32_MAX));
}

/* A standalone PDB: how wide its indexes into MethodDef are follows from the counts in #Pdb. */
static int
open_pdb (uint32_t methods)
{
	static const uint32_t rows[64] = { [0x36] = 1 };
	struct root root = { .version = "PDB v1.0" };
	struct bytes *pdb = root_add (&root, "#Pdb"), *tables = root_add (&root, "#~");
	put_zeros (pdb, 24);
	put (pdb, 8, 1 << 0x06);
	put (pdb, 4, methods);
	put_tables_header (tables, 0, rows);
	put_row (tables, methods > 0xFFFF ? "44" : "22", 7, 8);
	return open_root (&root);
}

static void
a_pdb_takes_its_widths_from_the_image_it_describes (void **state)
{
	static const uint32_t counts[] = { 9, 0x10000 };
	for (int i = 0; i < 2; i++) {
		uint32_t kickoff = 0;
		assert_int_equal (open_pdb (counts[i]), 0);
		assert_int_equal (monocle__ecma_rows (&image, MONOCLE__TABLE_MethodDef), 0);
		assert_int_equal (monocle__ecma_column (&image, MONOCLE__TABLE_StateMachineMethod, 1,
		                                        MONOCLE__COL_StateMachineMethod_KickoffMethod, &kickoff),
		                  0);
		assert_int_equal (kickoff, 8);
	}
}

static void
a_pdb_stream_that_ends_in_its_counts_is_refused (void **state)
{
	struct root root = { 0 };
	struct bytes *pdb = root_add (&root, "#Pdb");
	put_zeros (pdb, 24);
	put (pdb, 8, 3 << 1);
	put (pdb, 4, 1);
	put_tables_header (root_add (&root, "#~"), 0, no_rows);
	assert_int_equal (open_root (&root), MONOCLE__ECMA_E_TRUNCATED);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_root_of_empty_tables_opens),
		cmocka_unit_test (the_length_of_the_version_is_rounded_up),
		cmocka_unit_test (a_root_without_tables_is_refused),
		cmocka_unit_test (a_wrong_magic_is_refused),
		cmocka_unit_test (a_root_cut_at_any_length_is_refused),
		cmocka_unit_test (a_delta_is_refused),
		cmocka_unit_test (an_unknown_stream_is_ignored_even_outside_of_the_metadata),
		cmocka_unit_test (the_last_of_two_streams_with_one_name_counts),
		cmocka_unit_test (a_stream_name_without_an_end_is_refused),
		cmocka_unit_test (strings_are_found_by_offset_also_inside_others),
		cmocka_unit_test (an_unterminated_string_is_none),
		cmocka_unit_test (the_heap_of_user_strings_is_handed_out_as_it_is),
		cmocka_unit_test (blobs_are_found_and_measured),
		cmocka_unit_test (a_blob_that_leaves_the_heap_is_an_error_and_answers_nothing),
		cmocka_unit_test (guids_are_counted_from_one),
		cmocka_unit_test (a_pdb_takes_its_widths_from_the_image_it_describes),
		cmocka_unit_test (a_pdb_stream_that_ends_in_its_counts_is_refused),
	};
	return cmocka_run_group_tests_name ("ecma metadata", tests, NULL, NULL);
}

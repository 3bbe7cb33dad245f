/*
 * SPDX-License-Identifier: MIT
 *
 * test_pe.c - pe.c.
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

static struct bytes
house_pe (struct pe_options options)
{
	struct bytes metadata = build_house (), pe = build_pe (&metadata, options);
	bytes_free (&metadata);
	return pe;
}

static void
opens_a_flat_pe32_image (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_int_equal (monocle__ecma_rows (&image, MONOCLE__TABLE_TypeDef), 4);
	assert_int_equal (image.cli_flags, 1);
	assert_int_equal (image.entry_point_token, 0x06000001);
	assert_false (image.is_readytorun);
	bytes_free (&pe);
}

static void
opens_a_flat_pe32_plus_image (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { .plus = true });
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_int_equal (monocle__ecma_rows (&image, MONOCLE__TABLE_TypeDef), 4);
	bytes_free (&pe);
}

static void
a_mapped_image_reads_as_its_file (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { .plus = true, .native_signature = 0x00525452 });
	struct bytes mapped = map_pe (&pe);
	monocle__ecma_image flat;
	assert_int_equal (monocle__ecma_open_pe (&flat, pe.data, pe.size, false), 0);
	assert_int_equal (monocle__ecma_open_pe (&image, mapped.data, mapped.size, true), 0);
	assert_int_equal (image.metadata_size, flat.metadata_size);
	assert_memory_equal (image.metadata, flat.metadata, flat.metadata_size);
	assert_true (image.is_readytorun);
	/* The wrong layout is noticed, not misread. */
	assert_true (monocle__ecma_open_pe (&image, pe.data, pe.size, true) < 0);
	assert_true (monocle__ecma_open_pe (&image, mapped.data, mapped.size, false) < 0);
	bytes_free (&mapped);
	bytes_free (&pe);
}

static void
readytorun_is_told_by_its_signature (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { .native_signature = 0x00525452 });
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_true (image.is_readytorun);
	bytes_free (&pe);

	pe = house_pe ((struct pe_options) { .native_signature = 0x0049474E /* NGen's */ });
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_false (image.is_readytorun);
	bytes_free (&pe);
}

static void
an_rva_yields_its_bytes_and_how_many_follow_in_the_section (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t available = 0, text_size = pe.size - PE_TEXT_OFFSET;
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_ptr_equal (monocle__ecma_rva (&image, PE_TEXT_RVA + 8, &available), pe.data + PE_TEXT_OFFSET + 8);
	assert_int_equal (available, text_size - 8);
	assert_ptr_equal (monocle__ecma_rva (&image, PE_TEXT_RVA + (uint32_t) text_size - 1, &available),
	                  pe.data + pe.size - 1);
	assert_int_equal (available, 1);
	bytes_free (&pe);
}

static void
an_rva_of_the_headers_is_a_file_offset (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t available = 0;
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_ptr_equal (monocle__ecma_rva (&image, 0x80, &available), pe.data + 0x80);
	assert_int_equal (available, PE_HEADERS_SIZE - 0x80);
	bytes_free (&pe);
}

static void
an_rva_outside_of_everything_has_no_bytes (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t available = 77, text_size = pe.size - PE_TEXT_OFFSET;
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	assert_null (monocle__ecma_rva (&image, PE_HEADERS_SIZE, &available));
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA - 1, &available));
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA + (uint32_t) text_size, &available));
	assert_null (monocle__ecma_rva (&image, UINT32_MAX, &available));
	assert_int_equal (available, 77);
	bytes_free (&pe);
}

static void
between_the_sections_of_a_mapped_image_are_no_bytes (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 }), mapped = map_pe (&pe);
	size_t available = 0, text_size = pe.size - PE_TEXT_OFFSET;
	assert_int_equal (monocle__ecma_open_pe (&image, mapped.data, mapped.size, true), 0);
	assert_ptr_equal (monocle__ecma_rva (&image, PE_TEXT_RVA, &available), mapped.data + PE_TEXT_RVA);
	assert_int_equal (available, text_size);
	assert_ptr_equal (monocle__ecma_rva (&image, 0x80, &available), mapped.data + 0x80);
	assert_null (monocle__ecma_rva (&image, PE_HEADERS_SIZE, &available));
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA - 1, &available));
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA + (uint32_t) text_size, &available));
	bytes_free (&mapped);
	bytes_free (&pe);
}

static void
bare_metadata_has_no_rvas (void **state)
{
	struct bytes metadata = build_house ();
	size_t available;
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), 0);
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA, &available));
	bytes_free (&metadata);
}

static void
a_section_that_the_file_cuts_off_has_only_what_is_there (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t available = 0;
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size - 3, false), 0);
	assert_non_null (monocle__ecma_rva (&image, PE_TEXT_RVA, &available));
	assert_int_equal (available, pe.size - 3 - PE_TEXT_OFFSET);
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA + (uint32_t) available, &available));
	bytes_free (&pe);
}

static void
a_section_at_the_end_of_the_address_space_does_not_wrap (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t section = PE_HEADERS_SIZE - 40, available;
	while (memcmp (pe.data + section, ".text", 5))
		section--;
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), 0);
	set_u32 (&pe, section + 16, UINT32_MAX); /* SizeOfRawData */
	set_u32 (&pe, section + 20, UINT32_MAX); /* PointerToRawData */
	assert_null (monocle__ecma_rva (&image, PE_TEXT_RVA + 0x10, &available));
	assert_null (monocle__ecma_rva (&image, UINT32_MAX, &available));
	bytes_free (&pe);
}

static void
mapped_size_is_what_the_header_says (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { .plus = true }), nothing = { 0 };
	put_zeros (&pe, 4096);
	put_zeros (&nothing, 4096);
	assert_int_equal (monocle__ecma_mapped_size (pe.data), PE_IMAGE_SIZE);
	assert_int_equal (monocle__ecma_mapped_size (nothing.data), 0);
	set_u32 (&pe, 0x3C, 4090);
	assert_int_equal (monocle__ecma_mapped_size (pe.data), 0);
	bytes_free (&nothing);
	bytes_free (&pe);
}

static void
flat_size_is_where_the_last_section_ends (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t size = pe.size;
	put_zeros (&pe, 4096);
	assert_int_equal (monocle__ecma_flat_size (pe.data), size);
	pe.data[0] = 0;
	assert_int_equal (monocle__ecma_flat_size (pe.data), 0);
	bytes_free (&pe);
}

/* All but the last four bytes are needed: those are code. */
static void
an_image_cut_before_its_metadata_ends_is_refused (void **state)
{
	for (int plus = 0; plus < 2; plus++) {
		struct bytes pe = house_pe ((struct pe_options) { .plus = plus });
		for (size_t size = 0; size < pe.size - 4; size++)
			assert_true (monocle__ecma_open_pe (&image, pe.data, size, false) < 0);
		assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size - 4, false), 0);
		bytes_free (&pe);
	}
}

static void
what_is_no_managed_image_is_refused (void **state)
{
	struct bytes pe = house_pe ((struct pe_options) { 0 });
	size_t optional = 0x80 + 24;
	assert_int_equal (monocle__ecma_open_pe (&image, NULL, 0, false), MONOCLE__ECMA_E_FORMAT);
	set_u32 (&pe, optional + 96 + 14 * 8, 0); /* no CLI header */
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), MONOCLE__ECMA_E_FORMAT);
	set_u32 (&pe, optional + 92, 14); /* no room for one */
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), MONOCLE__ECMA_E_FORMAT);
	set_u32 (&pe, optional, 0x107); /* a ROM image */
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), MONOCLE__ECMA_E_FORMAT);
	pe.data[0x80] = 'N'; /* NE, for Windows 3 */
	assert_int_equal (monocle__ecma_open_pe (&image, pe.data, pe.size, false), MONOCLE__ECMA_E_FORMAT);
	bytes_free (&pe);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (opens_a_flat_pe32_image),
		cmocka_unit_test (opens_a_flat_pe32_plus_image),
		cmocka_unit_test (a_mapped_image_reads_as_its_file),
		cmocka_unit_test (readytorun_is_told_by_its_signature),
		cmocka_unit_test (an_rva_yields_its_bytes_and_how_many_follow_in_the_section),
		cmocka_unit_test (an_rva_of_the_headers_is_a_file_offset),
		cmocka_unit_test (an_rva_outside_of_everything_has_no_bytes),
		cmocka_unit_test (between_the_sections_of_a_mapped_image_are_no_bytes),
		cmocka_unit_test (bare_metadata_has_no_rvas),
		cmocka_unit_test (a_section_that_the_file_cuts_off_has_only_what_is_there),
		cmocka_unit_test (a_section_at_the_end_of_the_address_space_does_not_wrap),
		cmocka_unit_test (mapped_size_is_what_the_header_says),
		cmocka_unit_test (flat_size_is_where_the_last_section_ends),
		cmocka_unit_test (an_image_cut_before_its_metadata_ends_is_refused),
		cmocka_unit_test (what_is_no_managed_image_is_refused),
	};
	return cmocka_run_group_tests_name ("ecma pe", tests, NULL, NULL);
}

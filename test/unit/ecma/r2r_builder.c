/*
 * SPDX-License-Identifier: MIT
 *
 * r2r_builder.c - see r2r_builder.h. The tables stand behind the metadata, the code at a fixed place behind them.
 */
#include "r2r_builder.h"

enum { FUNCTIONS = 6, SECTIONS = 5, CLI_NATIVE = PE_TEXT_OFFSET + 64, SECTION_HEADER = 0x80 + 4 + 20 + 240 };

static const uint8_t unwind[] = { 0x01, 0x04, 0x01, 0x05, 0x04, 0x42, 0x00, 0x00 };

/* Twenty rows in two blocks: the first has rows 1 and 3 in a tree, the second row 20 alone. */
/* clang-format off */
static const uint8_t methods[] = {
	80 << 1,                          /* the count, and offsets of one byte */
	2, 9,
	0x02, 0x02, 15 << 1,              /* to the left, to the left, both ways: the right one is three bytes from here */
	0x02, 0 << 1,                     /* row 1: function 0 */
	0x02, (2 << 2 | 1) << 1,          /* row 3: function 2, fix-ups follow */
	(3 << 2) << 1, (3 << 1) << 1,     /* row 20: function 3 */
};
/* clang-format on */

/* One bucket with one entry. */
static const uint8_t instances[] = {
	0x00, 2, 4, 0x77, 5 << 1, /* its hash, and where it stands: five bytes from here */
	0,    0, 0, 0,    0x40,   0x15, 0x12, 2 << 2, 1, 0x3E, 2, (4 << 1) << 1,
};

static const uint8_t cold[] = { 5, 0, 0, 0, 2, 0, 0, 0 };

static uint32_t
here (const struct bytes *out)
{
	return (uint32_t) out->size - PE_TEXT_OFFSET + PE_TEXT_RVA;
}

static uint32_t
put_section (struct bytes *out, const void *data, size_t size)
{
	uint32_t rva = here (out);
	put_bytes (out, data, size);
	pad (out, 4);
	return rva;
}

static uint32_t
put_functions (struct bytes *out, uint32_t unwind_rva)
{
	uint32_t rva = here (out);
	for (int i = 0; i < FUNCTIONS; i++)
		put_row (out, "444", R2R_CODE_RVA + i * R2R_FUNCTION_SIZE, R2R_CODE_RVA + (i + 1) * R2R_FUNCTION_SIZE,
		         (int) unwind_rva);
	return rva;
}

struct bytes
build_r2r (void)
{
	struct bytes metadata = build_house ();
	struct bytes out = build_pe (&metadata, (struct pe_options) { .plus = true, .native_signature = 0x00525452 });
	pad (&out, 4);
	uint32_t functions = put_functions (&out, put_section (&out, unwind, sizeof unwind));
	uint32_t in_methods = put_section (&out, methods, sizeof methods);
	uint32_t in_instances = put_section (&out, instances, sizeof instances);
	uint32_t in_cold = put_section (&out, cold, sizeof cold);
	uint32_t thunks = here (&out), header = thunks + 8;
	put_zeros (&out, 8);
	put_row (&out, "1111224", 'R', 'T', 'R', 0, 9, 1, 1);
	put (&out, 4, SECTIONS);
	put_row (&out, "444", 102, (int) functions, FUNCTIONS * 12);
	put_row (&out, "444", 103, (int) in_methods, (int) sizeof methods);
	put_row (&out, "444", 106, (int) thunks, 8);
	put_row (&out, "444", 109, (int) in_instances, (int) sizeof instances);
	put_row (&out, "444", 120, (int) in_cold, (int) sizeof cold);
	put_zeros (&out, R2R_CODE_RVA + FUNCTIONS * R2R_FUNCTION_SIZE - here (&out));
	set_u32 (&out, CLI_NATIVE, header);
	set_u32 (&out, SECTION_HEADER + 8, (uint32_t) out.size - PE_TEXT_OFFSET);
	set_u32 (&out, SECTION_HEADER + 16, (uint32_t) out.size - PE_TEXT_OFFSET);
	bytes_free (&metadata);
	return out;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_origin.c - the third text of a name: what is written is read, and nothing else is.
 */
#include "origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <monocle/kit.h>

#define MVID "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9"

/* In the order of the bytes that metadata holds. */
static const uint8_t mvid_bytes[16] = { 0x3d, 0x2c, 0x1b, 0x0a, 0x5f, 0x4e, 0x71, 0x60,
	                                    0x82, 0x93, 0xa4, 0xb5, 0xc6, 0xd7, 0xe8, 0xf9 };

static void
an_origin_is_read_as_it_was_written (void **state)
{
	char text[MONOCLE_KIT_ORIGIN_SIZE];
	monocle_kit_origin (MVID, 0x06000123, 0x7f | MONOCLE_KIT_ORIGIN_EXACT, text);
	struct monocle__origin origin = monocle__origin_parse (text);
	assert_memory_equal (origin.mvid, mvid_bytes, sizeof mvid_bytes);
	assert_int_equal (origin.token, 0x06000123);
	assert_int_equal (origin.il_offset, 0x8000007f);
}

static void
an_offset_may_be_unknown (void **state)
{
	char text[MONOCLE_KIT_ORIGIN_SIZE];
	monocle_kit_origin (MVID, 0x06000001, UINT32_MAX, text);
	struct monocle__origin origin = monocle__origin_parse (text);
	assert_int_equal (origin.token, 0x06000001);
	assert_int_equal (origin.il_offset, UINT32_MAX);
}

static void
what_is_no_method_has_no_origin (void **state)
{
	static const struct {
		const char *mvid;
		uint32_t token;
	} rows[] = {
		{ NULL, 0x06000001 },
		{ "", 0x06000001 },
		{ MVID, 0 },
		{ MVID, 0x06000000 },
		{ MVID, 0x02000001 },
		{ "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F", 0x06000001 },
		{ "0A1B2C3D+4E5F-6071-8293-A4B5C6D7E8F9", 0x06000001 },
		{ "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8FG", 0x06000001 },
	};
	char text[MONOCLE_KIT_ORIGIN_SIZE];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		strcpy (text, "x");
		monocle_kit_origin (rows[i].mvid, rows[i].token, 0, text);
		assert_string_equal (text, "");
	}
}

static void
anything_else_is_unknown (void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"06000001",
		MVID,
		MVID " ",
		MVID " 02000001 1",
		MVID " 06000001x",
		MVID " 06000001 ",
		MVID " 06000001 1 ",
		MVID " 06000001 123456789",
		MVID "06000001 1",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct monocle__origin origin = monocle__origin_parse (texts[i]);
		assert_int_equal (origin.token, 0);
		assert_int_equal (origin.il_offset, UINT32_MAX);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (an_origin_is_read_as_it_was_written),
		cmocka_unit_test (an_offset_may_be_unknown),
		cmocka_unit_test (what_is_no_method_has_no_origin),
		cmocka_unit_test (anything_else_is_unknown),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

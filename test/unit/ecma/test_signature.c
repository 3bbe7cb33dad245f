/*
 * SPDX-License-Identifier: MIT
 *
 * test_signature.c - signature.c: compressed numbers with the examples of II.23.2, and types of every shape.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ecma.h"

/* A cursor over a string literal, without its NUL. */
#define over(literal) monocle__ecma_cursor_over ((const uint8_t *) literal, sizeof literal - 1)

static void
unsigned_numbers_read_and_write_as_in_the_standard (void **state)
{
	static const struct {
		uint32_t value, size;
		uint8_t bytes[4];
	} rows[] = {
		{ 0x00, 1, { 0x00 } },
		{ 0x03, 1, { 0x03 } },
		{ 0x7F, 1, { 0x7F } },
		{ 0x80, 2, { 0x80, 0x80 } },
		{ 0x2E57, 2, { 0xAE, 0x57 } },
		{ 0x3FFF, 2, { 0xBF, 0xFF } },
		{ 0x4000, 4, { 0xC0, 0x00, 0x40, 0x00 } },
		{ 0x1FFFFFFF, 4, { 0xDF, 0xFF, 0xFF, 0xFF } },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint8_t out[4] = { 0 };
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over (rows[i].bytes, rows[i].size);
		assert_int_equal (monocle__ecma_read_u (&cursor), rows[i].value);
		assert_int_equal (cursor.error, 0);
		assert_ptr_equal (cursor.at, cursor.end);
		assert_int_equal (monocle__ecma_write_u (out, rows[i].value), rows[i].size);
		assert_memory_equal (out, rows[i].bytes, rows[i].size);
	}
}

static void
signed_numbers_read_as_in_the_standard (void **state)
{
	static const struct {
		int32_t value;
		uint32_t size;
		uint8_t bytes[4];
	} rows[] = {
		{ 3, 1, { 0x06 } },
		{ -3, 1, { 0x7B } },
		{ 63, 1, { 0x7E } },
		{ -64, 1, { 0x01 } },
		{ 64, 2, { 0x80, 0x80 } },
		{ 8191, 2, { 0xBF, 0xFE } },
		{ -8192, 2, { 0x80, 0x01 } },
		{ 8192, 4, { 0xC0, 0x00, 0x40, 0x00 } },
		{ 268435455, 4, { 0xDF, 0xFF, 0xFF, 0xFE } },
		{ -268435456, 4, { 0xC0, 0x00, 0x00, 0x01 } },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over (rows[i].bytes, rows[i].size);
		assert_int_equal (monocle__ecma_read_s (&cursor), rows[i].value);
		assert_int_equal (cursor.error, 0);
	}
}

static void
numbers_that_do_not_fit_are_not_written (void **state)
{
	uint8_t out[4] = { 1, 2, 3, 4 };
	assert_int_equal (monocle__ecma_write_u (out, 0x20000000), 0);
	assert_int_equal (monocle__ecma_write_u (out, UINT32_MAX), 0);
	assert_memory_equal (out, "\1\2\3\4", 4);
}

static void
a_cut_number_is_an_error (void **state)
{
	static const char *const cut[] = { "", "\x80", "\xC0", "\xC0\0", "\xC0\0\0" };
	static const uint8_t sizes[] = { 0, 1, 1, 2, 3 };
	for (size_t i = 0; i < sizeof sizes; i++) {
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over ((const uint8_t *) cut[i], sizes[i]);
		assert_int_equal (monocle__ecma_read_u (&cursor), 0);
		assert_int_equal (cursor.error, MONOCLE__ECMA_E_TRUNCATED);
	}
}

static void
an_error_stays_and_later_reads_answer_nothing (void **state)
{
	monocle__ecma_cursor cursor = over ("\xFF\x01\x02\x03\x08");
	assert_int_equal (monocle__ecma_read_u (&cursor), 0);
	assert_int_equal (cursor.error, MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (monocle__ecma_read_byte (&cursor), 0);
	assert_int_equal (monocle__ecma_peek_byte (&cursor), 0);
	assert_int_equal (monocle__ecma_read_s (&cursor), 0);
	assert_int_equal (monocle__ecma_read_type_token (&cursor), 0);
	monocle__ecma_skip_type (&cursor);
	assert_int_equal (cursor.error, MONOCLE__ECMA_E_FORMAT);
}

static void
bytes_are_peeked_and_read (void **state)
{
	monocle__ecma_cursor cursor = over ("\x20\x00");
	assert_int_equal (monocle__ecma_peek_byte (&cursor), 0x20);
	assert_int_equal (monocle__ecma_read_byte (&cursor), 0x20);
	assert_int_equal (monocle__ecma_read_byte (&cursor), 0);
	assert_int_equal (cursor.error, 0);
	assert_int_equal (monocle__ecma_peek_byte (&cursor), 0);
	assert_int_equal (cursor.error, 0);
	assert_int_equal (monocle__ecma_read_byte (&cursor), 0);
	assert_int_equal (cursor.error, MONOCLE__ECMA_E_TRUNCATED);
}

static void
type_tokens_go_both_ways (void **state)
{
	static const uint32_t tokens[] = { 0x02000001, 0x01000012, 0x1B001234, 0x02FFFFFF };
	for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
		uint8_t out[4];
		uint32_t size = monocle__ecma_write_type_token (out, tokens[i]);
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over (out, size);
		assert_int_equal (monocle__ecma_read_type_token (&cursor), tokens[i]);
		assert_ptr_equal (cursor.at, cursor.end);
	}
	/* The standard's example: TypeRef 0x12 is 0x49. */
	monocle__ecma_cursor cursor = over ("\x49");
	assert_int_equal (monocle__ecma_read_type_token (&cursor), 0x01000012);
}

static void
what_names_no_type_is_neither_written_nor_read (void **state)
{
	uint8_t out[4];
	monocle__ecma_cursor reserved = over ("\x4B"), too_far = over ("\xDF\xFF\xFF\xFC");
	assert_int_equal (monocle__ecma_write_type_token (out, 0x06000001), 0);
	assert_int_equal (monocle__ecma_write_type_token (out, 0), 0);
	assert_int_equal (monocle__ecma_read_type_token (&reserved), 0);
	assert_int_equal (reserved.error, MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (monocle__ecma_read_type_token (&too_far), 0);
	assert_int_equal (too_far.error, MONOCLE__ECMA_E_FORMAT);
}

#define expect_whole(skip, literal) \
	do { \
		monocle__ecma_cursor cursor = over (literal); \
		skip (&cursor); \
		assert_int_equal (cursor.error, 0); \
		assert_ptr_equal (cursor.at, cursor.end); \
	} while (0)

#define expect_error(skip, literal, expected) \
	do { \
		monocle__ecma_cursor cursor = over (literal); \
		skip (&cursor); \
		assert_int_equal (cursor.error, expected); \
	} while (0)

/* clang-format off */
static void
a_type_of_every_shape_is_skipped_whole (void **state)
{
	expect_whole (monocle__ecma_skip_type, "\x08");                         /* int */
	expect_whole (monocle__ecma_skip_type, "\x0F\x0F\x01");                 /* void** */
	expect_whole (monocle__ecma_skip_type, "\x11\x80\x81");                 /* a value type */
	expect_whole (monocle__ecma_skip_type, "\x1D\x1D\x12\x05");             /* C[][] */
	expect_whole (monocle__ecma_skip_type, "\x13\x00");                     /* T */
	expect_whole (monocle__ecma_skip_type, "\x1E\x81\x00");                 /* the 256th parameter of a method */
	expect_whole (monocle__ecma_skip_type, "\x20\x05\x1F\x05\x10\x08");     /* modopt modreq int& */
	expect_whole (monocle__ecma_skip_type, "\x45\x10\x08");                 /* pinned int& */
	expect_whole (monocle__ecma_skip_type, "\x14\x08\x02\x00\x00");         /* int[,] */
	expect_whole (monocle__ecma_skip_type, "\x14\x08\x03\x02\x04\x05\x02\x00\x7F"); /* int[4,-1...,] */
	expect_whole (monocle__ecma_skip_type, "\x15\x12\x05\x02\x08\x13\x00"); /* C<int, T> */
	expect_whole (monocle__ecma_skip_type, "\x15\x11\x05\x01\x14\x15\x12\x09\x01\x0E\x02\x00\x00"); /* V<D<>[,]> */
	expect_whole (monocle__ecma_skip_type, "\x1B\x00\x02\x01\x08\x0E");     /* method void *(int, string) */
	expect_whole (monocle__ecma_skip_type, "\x1B\x05\x02\x01\x08\x41\x0E"); /* method vararg void *(int, ..., string) */
	expect_whole (monocle__ecma_skip_type, "\x1B\x09\x01\x20\x05\x01\x1B\x00\x00\x01"); /* nested */
}

/* clang-format on */
static void
a_type_ends_where_it_ends (void **state)
{
	monocle__ecma_cursor cursor = over ("\x15\x12\x05\x01\x08\x0E");
	monocle__ecma_skip_type (&cursor);
	assert_int_equal (cursor.error, 0);
	assert_int_equal (monocle__ecma_read_byte (&cursor), MONOCLE__ET_STRING);
}

static void
malformed_types_are_errors (void **state)
{
	expect_error (monocle__ecma_skip_type, "", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x00", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_type, "\x17", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_type, "\x21\1\2\3\4\5\6\7\x08", MONOCLE__ECMA_E_FORMAT); /* the runtime's own */
	expect_error (monocle__ecma_skip_type, "\x41\x08", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_type, "\x1D", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x12", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x15\x0E\x05\x01\x08", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_type, "\x15\x12\x05\x02\x08", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x15\x12\x05\xDF\xFF\xFF\xFF\x08", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x14\x08\x02\xDF\xFF\xFF\xFF", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x14\x08\x02\x00\xDF\xFF\xFF\xFF", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x1B\x06\x00\x01", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_type, "\x1B\x00\xDF\xFF\xFF\xFF\x01", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_type, "\x1B\x05\x02\x01\x41\x08\x41\x08", MONOCLE__ECMA_E_FORMAT);
}

/* Each level is C<...>; the innermost an int. */
static int
skip_nested (uint32_t levels, uint8_t *buffer)
{
	for (uint32_t i = 0; i < levels; i++)
		memcpy (buffer + i * 4, "\x15\x12\x05\x01", 4);
	buffer[levels * 4] = MONOCLE__ET_I4;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (buffer, levels * 4 + 1);
	monocle__ecma_skip_type (&cursor);
	return cursor.error;
}

static void
nesting_is_bounded_and_prefixes_do_not_nest (void **state)
{
	static uint8_t buffer[1 << 20];
	assert_int_equal (skip_nested (200, buffer), 0);
	assert_int_equal (skip_nested (100000, buffer), MONOCLE__ECMA_E_FORMAT);
	memset (buffer, MONOCLE__ET_SZARRAY, sizeof buffer);
	buffer[sizeof buffer - 1] = MONOCLE__ET_I4;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (buffer, sizeof buffer);
	monocle__ecma_skip_type (&cursor);
	assert_int_equal (cursor.error, 0);
}

/* clang-format off */
static void
a_signature_of_every_kind_is_skipped_whole (void **state)
{
	expect_whole (monocle__ecma_skip_signature, "\x20\x01\x01\x08");             /* instance void (int) */
	expect_whole (monocle__ecma_skip_signature, "\x30\x02\x01\x1E\x00\x1E\x01"); /* instance !!0 <2> (!!1) */
	expect_whole (monocle__ecma_skip_signature, "\x05\x02\x01\x08\x41\x0E");     /* vararg void (int, ..., string) */
	expect_whole (monocle__ecma_skip_signature, "\x00\x00\x10\x20\x05\x08");     /* ref with a modifier inside */
	expect_whole (monocle__ecma_skip_signature, "\x06\x20\x05\x08");             /* field */
	expect_whole (monocle__ecma_skip_signature, "\x07\x02\x08\x45\x10\x08");     /* locals: int, pinned int& */
	expect_whole (monocle__ecma_skip_signature, "\x28\x01\x0E\x08");             /* indexer string this[int] */
	expect_whole (monocle__ecma_skip_signature, "\x0A\x02\x08\x0E");             /* method spec <int, string> */
	expect_error (monocle__ecma_skip_signature, "\x0B\x01\x08", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_signature, "", MONOCLE__ECMA_E_TRUNCATED);
	expect_error (monocle__ecma_skip_method, "\x06\x08", MONOCLE__ECMA_E_FORMAT);
	expect_error (monocle__ecma_skip_signature, "\x07\x02\x08", MONOCLE__ECMA_E_TRUNCATED);
}

/* clang-format on */
int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (unsigned_numbers_read_and_write_as_in_the_standard),
		cmocka_unit_test (signed_numbers_read_as_in_the_standard),
		cmocka_unit_test (numbers_that_do_not_fit_are_not_written),
		cmocka_unit_test (a_cut_number_is_an_error),
		cmocka_unit_test (an_error_stays_and_later_reads_answer_nothing),
		cmocka_unit_test (bytes_are_peeked_and_read),
		cmocka_unit_test (type_tokens_go_both_ways),
		cmocka_unit_test (what_names_no_type_is_neither_written_nor_read),
		cmocka_unit_test (a_type_of_every_shape_is_skipped_whole),
		cmocka_unit_test (a_type_ends_where_it_ends),
		cmocka_unit_test (malformed_types_are_errors),
		cmocka_unit_test (nesting_is_bounded_and_prefixes_do_not_nest),
		cmocka_unit_test (a_signature_of_every_kind_is_skipped_whole),
	};
	return cmocka_run_group_tests_name ("ecma signature", tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_wire.c - fields of protocol buffers there and back, damaged ones, and any allocation failing.
 */
#include "wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing-memory.h"

enum { MESSAGES = 20000, ROOM = 4 << 20 };

/* Messages of a number and a part, a plain field behind them. NULL: no memory. */
static uint8_t *
write_all (int messages, size_t *ret_length)
{
	monocle__wire wire;

	if (!monocle__wire_init (&wire, 1))
		return NULL;
	for (int i = 0; i < messages && !wire.failed; i++) {
		monocle__wire_put_number (&wire, &wire.message, 1, (uint64_t) i);
		monocle__wire_put_varint (&wire, &wire.part, UINT64_MAX);
		monocle__wire_put (&wire, &wire.part, "x", 1);
		monocle__wire_end_part (&wire, 2);
		monocle__wire_end_message (&wire, 3);
	}
	monocle__wire_put_block (&wire, &wire.message, 15, "text", 4);
	monocle__wire_compress (&wire, &wire.message);
	monocle__wire_finish (&wire);
	monocle__wire_done (&wire);
	if (!wire.failed) {
		*ret_length = wire.out.length;
		return wire.out.data;
	}
	free (wire.out.data);
	return NULL;
}

/* The caller frees. */
static uint8_t *
unpack (const uint8_t *data, size_t length, size_t *ret_length)
{
	uint8_t *bytes = malloc (ROOM);
	z_stream z = { .next_in = (uint8_t *) data, .avail_in = (uInt) length, .next_out = bytes, .avail_out = ROOM };

	assert_int_equal (inflateInit2 (&z, 15 + 16), Z_OK);
	assert_int_equal (inflate (&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal (z.avail_in, 0);
	*ret_length = z.total_out;
	inflateEnd (&z);
	return bytes;
}

static void
check_message (monocle__wire_span message, int number)
{
	monocle__wire_field field;
	uint64_t value;

	if (number) { /* 0 is left out */
		assert_int_equal (monocle__wire_next (&message, &field), 1);
		assert_true (field.number == 1 && field.type == 0 && field.value == (uint64_t) number);
	}
	assert_int_equal (monocle__wire_next (&message, &field), 1);
	assert_true (field.number == 2 && field.type == 2);
	assert_true (monocle__wire_try_varint (&field.bytes, &value) && value == UINT64_MAX);
	assert_true (field.bytes.end - field.bytes.at == 1 && *field.bytes.at == 'x');
	assert_int_equal (monocle__wire_next (&message, &field), 0);
}

static void
what_is_written_is_read_again (void **state)
{
	size_t packed_length, length;
	uint8_t *packed = write_all (MESSAGES, &packed_length), *bytes = unpack (packed, packed_length, &length);
	monocle__wire_span in = { bytes, bytes + length };
	monocle__wire_field field;

	for (int i = 0; i < MESSAGES; i++) {
		assert_int_equal (monocle__wire_next (&in, &field), 1);
		assert_int_equal (field.number, 3);
		check_message (field.bytes, i);
	}
	assert_int_equal (monocle__wire_next (&in, &field), 1);
	assert_int_equal (field.number, 15);
	assert_memory_equal (field.bytes.at, "text", 4);
	assert_int_equal (monocle__wire_next (&in, &field), 0);
	free (bytes);
	free (packed);
}

static void
all_types_of_fields_are_stepped_over (void **state)
{
	static const uint8_t bytes[] = { 0x08, 0x96, 0x01, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1a, 0, 0x25, 1, 2, 3, 4 };
	monocle__wire_span in = { bytes, bytes + sizeof bytes };
	monocle__wire_field field;

	assert_int_equal (monocle__wire_next (&in, &field), 1);
	assert_true (field.number == 1 && field.value == 150);
	assert_int_equal (monocle__wire_next (&in, &field), 1);
	assert_true (field.number == 2 && field.bytes.end - field.bytes.at == 8);
	assert_int_equal (monocle__wire_next (&in, &field), 1);
	assert_true (field.number == 3 && field.bytes.end == field.bytes.at);
	assert_int_equal (monocle__wire_next (&in, &field), 1);
	assert_true (field.number == 4 && field.bytes.end - field.bytes.at == 4);
	assert_int_equal (monocle__wire_next (&in, &field), 0);
}

static void
damaged_fields_are_refused (void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} rows[] = {
		{ "\x08", 1 },                                              /* no value */
		{ "\x08\x80", 2 },                                          /* half a value */
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12 }, /* a value of more than 64 bits */
		{ "\x00\x00", 2 },                                          /* field 0 */
		{ "\x0b", 1 },                                              /* a group */
		{ "\x0f", 1 },                                              /* type 7 */
		{ "\x09 1234", 6 },                                         /* cut */
		{ "\x0d 12", 4 },                                           /* cut */
		{ "\x0a\x03 1", 4 },                                        /* cut */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },     /* longer than anything */
		{ "\x80\x80\x80\x80\x10\x00", 6 },                          /* a field beyond 2^29 */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const uint8_t *bytes = (const uint8_t *) rows[i].bytes;
		monocle__wire_span in = { bytes, bytes + rows[i].size };
		monocle__wire_field field;
		if (monocle__wire_next (&in, &field) != -1)
			fail_msg ("row %zu", i);
	}
}

static void
without_memory_nothing_is_written_and_nothing_leaks (void **state)
{
	uint8_t *packed = NULL;
	size_t length;
	long n = 0;

	while (!packed) {
		failing_memory_allowed = n++;
		packed = write_all (3, &length);
		assert_in_range (n, 1, 50);
	}
	failing_memory_allowed = -1;
	assert_in_range (n, 4, 50);
	free (packed);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (what_is_written_is_read_again),
		cmocka_unit_test (all_types_of_fields_are_stepped_over),
		cmocka_unit_test (damaged_fields_are_refused),
		cmocka_unit_test (without_memory_nothing_is_written_and_nothing_leaks),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

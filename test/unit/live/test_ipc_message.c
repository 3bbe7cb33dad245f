/*
 * SPDX-License-Identifier: MIT
 *
 * test_ipc_message.c - messages of the diagnostics protocol, byte by byte, and answers that are none.
 */
#include "ipc-message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static monocle__live_ipc_message message;

static void
a_message_is_what_the_protocol_says (void **state)
{
	static const uint8_t expected[] = "DOTNET_IPC_V1\0\x2c\0\x03\x01\0\0"
	                                  "\x10\x27\0\0"
	                                  "\x04\0\0\0a\0=\xd8\0\xde\0\0"
	                                  "\x08\x07\x06\x05\x04\x03\x02\x01";
	monocle__live_ipc_message_begin (&message, MONOCLE__LIVE_IPC_PROFILER, MONOCLE__LIVE_IPC_ATTACH);
	monocle__live_ipc_message_u32 (&message, 10000);
	monocle__live_ipc_message_text (&message, "a\xf0\x9f\x98\x80");
	monocle__live_ipc_message_u64 (&message, UINT64_C (0x0102030405060708));
	assert_true (monocle__live_ipc_message_end (&message));
	assert_int_equal (message.size, sizeof expected - 1);
	assert_memory_equal (message.bytes, expected, sizeof expected - 1);
}

static void
no_text_is_a_string_without_a_unit (void **state)
{
	monocle__live_ipc_message_begin (&message, 4, 4);
	monocle__live_ipc_message_text (&message, NULL);
	monocle__live_ipc_message_text (&message, "");
	assert_int_equal (message.size, MONOCLE__LIVE_IPC_HEADER + 4 + 4 + 2);
	assert_int_equal (message.bytes[MONOCLE__LIVE_IPC_HEADER], 0);
	assert_int_equal (message.bytes[MONOCLE__LIVE_IPC_HEADER + 4], 1);
}

static void
what_is_too_long_is_told_at_the_end (void **state)
{
	static uint8_t much[MONOCLE__LIVE_IPC_MOST];
	monocle__live_ipc_message_begin (&message, 3, 1);
	monocle__live_ipc_message_bytes (&message, much, MONOCLE__LIVE_IPC_MOST - MONOCLE__LIVE_IPC_HEADER);
	assert_true (monocle__live_ipc_message_end (&message));
	monocle__live_ipc_message_bytes (&message, much, 1);
	monocle__live_ipc_message_text (&message, "more");
	assert_false (monocle__live_ipc_message_end (&message));
}

/* A whole answer; `size` is what its header says. */
static size_t
reply (uint8_t *bytes, uint16_t size, uint8_t command, const char *payload, size_t length)
{
	memcpy (bytes, "DOTNET_IPC_V1\0", 14);
	monocle__put_le16 (bytes + 14, size);
	bytes[16] = 0xff;
	bytes[17] = command;
	bytes[18] = bytes[19] = 0;
	memcpy (bytes + 20, payload, length);
	return 20 + length;
}

static void
every_beginning_of_an_answer_waits_for_more (void **state)
{
	uint8_t bytes[64];
	size_t size = reply (bytes, 24, 0, "\x01\x02\x03\x04", 4);
	for (size_t i = 0; i < size; i++)
		assert_int_equal (monocle__live_ipc_message_reply (bytes, i).kind, MONOCLE__LIVE_REPLY_PART);
	assert_int_equal (monocle__live_ipc_message_reply (bytes, size).kind, MONOCLE__LIVE_REPLY_OK);
	assert_int_equal (monocle__live_ipc_message_reply (bytes, size).payload.size, 4);
	/* What follows is not a part of it: EventPipe's stream begins there. */
	assert_int_equal (monocle__live_ipc_message_reply (bytes, size + 9).payload.size, 4);
	assert_int_equal (monocle__live_ipc_message_reply (bytes, size + 9).size, 24);
}

static void
errors_carry_their_code (void **state)
{
	uint8_t bytes[64];
	size_t size = reply (bytes, 24, 0xff, "\x6a\x13\x13\x80", 4);
	monocle__live_reply answer = monocle__live_ipc_message_reply (bytes, size);
	assert_int_equal (answer.kind, MONOCLE__LIVE_REPLY_ERROR);
	assert_int_equal ((uint32_t) answer.hresult, 0x8013136a);
	assert_string_equal (monocle__live_ipc_message_hresult (answer.hresult), "has a profiler already");
	assert_null (monocle__live_ipc_message_hresult (1));
}

static void
nonsense_is_known_at_its_first_byte (void **state)
{
	uint8_t bytes[64];
	assert_int_equal (monocle__live_ipc_message_reply ((const uint8_t *) "H", 1).kind, MONOCLE__LIVE_REPLY_NONSENSE);
	reply (bytes, 19, 0, "", 0);
	assert_int_equal (monocle__live_ipc_message_reply (bytes, 20).kind, MONOCLE__LIVE_REPLY_NONSENSE);
	reply (bytes, 24, 3, "abcd", 4);
	assert_int_equal (monocle__live_ipc_message_reply (bytes, 24).kind, MONOCLE__LIVE_REPLY_NONSENSE);
	reply (bytes, 23, 0xff, "abc", 3);
	assert_int_equal (monocle__live_ipc_message_reply (bytes, 23).kind, MONOCLE__LIVE_REPLY_NONSENSE);
	reply (bytes, 24, 0, "abcd", 4);
	bytes[16] = 4;
	assert_int_equal (monocle__live_ipc_message_reply (bytes, 24).kind, MONOCLE__LIVE_REPLY_NONSENSE);
}

static void
texts_are_taken_off_the_front (void **state)
{
	static const uint8_t bytes[] = "\x04\0\0\0a\0=\xd8\0\xde\0\0"
	                               "\x02\0\0\0\x1b\0\0\0"
	                               "\xff\xff\xff\xffz\0";
	monocle__span rest = { bytes, sizeof bytes - 1 };
	char text[8];
	assert_true (monocle__live_ipc_message_take_text (&rest, text, sizeof text));
	assert_string_equal (text, "a\xf0\x9f\x98\x80");
	assert_true (monocle__live_ipc_message_take_text (&rest, text, sizeof text));
	assert_string_equal (text, "?");
	assert_false (monocle__live_ipc_message_take_text (&rest, text, sizeof text));
	assert_int_equal (rest.size, 6);
}

static void
a_text_is_cut_between_characters (void **state)
{
	static const uint8_t bytes[] = "\x04\0\0\0a\0=\xd8\0\xde\0\0";
	monocle__span rest = { bytes, sizeof bytes - 1 };
	char text[5];
	assert_true (monocle__live_ipc_message_take_text (&rest, text, sizeof text));
	assert_string_equal (text, "a");
	assert_int_equal (rest.size, 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_message_is_what_the_protocol_says),
		cmocka_unit_test (no_text_is_a_string_without_a_unit),
		cmocka_unit_test (what_is_too_long_is_told_at_the_end),
		cmocka_unit_test (every_beginning_of_an_answer_waits_for_more),
		cmocka_unit_test (errors_carry_their_code),
		cmocka_unit_test (nonsense_is_known_at_its_first_byte),
		cmocka_unit_test (texts_are_taken_off_the_front),
		cmocka_unit_test (a_text_is_cut_between_characters),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_sha256.c - the examples of FIPS 180-4, and every way to cut a message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sha256.h"

static void
check (const void *data, size_t size, size_t cut, const char *expected)
{
	monocle__sha256 hash;
	uint8_t digest[MONOCLE__SHA256_SIZE];
	char text[65];
	monocle__sha256_init (&hash);
	monocle__sha256_add (&hash, data, cut);
	monocle__sha256_add (&hash, (const uint8_t *) data + cut, size - cut);
	monocle__sha256_done (&hash, digest);
	for (int i = 0; i < MONOCLE__SHA256_SIZE; i++)
		sprintf (text + i * 2, "%02x", digest[i]);
	assert_string_equal (text, expected);
}

static void
known_messages_have_their_digests (void **state)
{
	check ("", 0, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check ("abc", 3, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 20,
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void
a_million_bytes_are_hashed (void **state)
{
	static uint8_t message[1000000];
	memset (message, 'a', sizeof message);
	check (message, sizeof message, 77, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void
pieces_give_the_digest_of_the_whole (void **state)
{
	char message[119];
	memset (message, 'a', sizeof message);
	for (size_t cut = 0; cut <= sizeof message; cut++)
		check (message, sizeof message, cut, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (known_messages_have_their_digests),
		cmocka_unit_test (a_million_bytes_are_hashed),
		cmocka_unit_test (pieces_give_the_digest_of_the_whole),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

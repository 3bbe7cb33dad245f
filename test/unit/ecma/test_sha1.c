/*
 * SPDX-License-Identifier: MIT
 *
 * test_sha1.c - sha1.c against the vectors of FIPS 180, and public key tokens that everybody knows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ecma.h"
#include "sha1.h"

static void
expect_digest (const void *data, size_t size, const char *expected)
{
	uint8_t digest[20];
	char text[41];
	monocle__sha1 (data, size, digest);
	for (int i = 0; i < 20; i++)
		sprintf (text + i * 2, "%02x", digest[i]);
	assert_string_equal (text, expected);
}

static void
published_messages_have_their_digests (void **state)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	expect_digest ("", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	expect_digest (NULL, 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	expect_digest ("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
	expect_digest (two_blocks, strlen (two_blocks), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* The length field needs eight bytes and the one bit a ninth: these lengths stand on both sides of each border. */
static void
padding_is_right_at_every_border (void **state)
{
	static uint8_t a[1000000];
	memset (a, 'a', sizeof a);
	expect_digest (a, 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a");
	expect_digest (a, 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699");
	expect_digest (a, 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
	expect_digest (a, 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d");
	expect_digest (a, 65, "11655326c708d70319be2610e8a57d9a5b959d3b");
	expect_digest (a, sizeof a, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

static void
the_standard_key_has_its_token (void **state)
{
	static const uint8_t key[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t expected[8] = { 0xb7, 0x7a, 0x5c, 0x56, 0x19, 0x34, 0xe0, 0x89 };
	uint8_t token[8];
	monocle__ecma_public_key_token (key, sizeof key, token);
	assert_memory_equal (token, expected, 8);
}

static void
eight_bytes_are_a_token_already (void **state)
{
	static const uint8_t stored[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t token[8];
	monocle__ecma_public_key_token (stored, 8, token);
	assert_memory_equal (token, stored, 8);
}

static void
no_key_has_a_token_of_zeros (void **state)
{
	static const uint8_t zeros[8];
	uint8_t token[8];
	memset (token, 0xFF, sizeof token);
	monocle__ecma_public_key_token (NULL, 0, token);
	assert_memory_equal (token, zeros, 8);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (published_messages_have_their_digests), cmocka_unit_test (padding_is_right_at_every_border),
		cmocka_unit_test (the_standard_key_has_its_token),        cmocka_unit_test (eight_bytes_are_a_token_already),
		cmocka_unit_test (no_key_has_a_token_of_zeros),
	};
	return cmocka_run_group_tests_name ("ecma sha1", tests, NULL, NULL);
}

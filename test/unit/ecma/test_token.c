/*
 * SPDX-License-Identifier: MIT
 *
 * test_token.c - public key tokens that everybody knows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ecma.h"

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
		cmocka_unit_test (the_standard_key_has_its_token),
		cmocka_unit_test (eight_bytes_are_a_token_already),
		cmocka_unit_test (no_key_has_a_token_of_zeros),
	};
	return cmocka_run_group_tests_name ("ecma token", tests, NULL, NULL);
}

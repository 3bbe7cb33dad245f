/*
 * SPDX-License-Identifier: MIT
 *
 * test_hash.c - what a table needs of a hash: keys that are alike go to different places.
 */
#include "hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 1024 };

/* Each of 1,024 pointers that lie 64 bytes apart; the fullest of 1,024 slots. */
static unsigned
fullest (unsigned shift, uint64_t (*hash) (uint64_t))
{
	unsigned used[SLOTS] = { 0 }, most = 0;

	for (uint64_t key = 0; key < SLOTS; key++) {
		unsigned *slot = &used[hash (UINT64_C (0x7f0012340000) + key * 64) >> shift & (SLOTS - 1)];
		if (++*slot > most)
			most = *slot;
	}
	return most;
}

static uint64_t
mixed (uint64_t word)
{
	return monocle__hash (0, word);
}

static void
pointers_spread_over_high_and_low_bits (void **state)
{
	assert_in_range (fullest (54, monocle__hash_spread), 1, 8);
	assert_in_range (fullest (0, mixed), 1, 8);
	assert_in_range (fullest (32, mixed), 1, 8);
}

static void
texts_and_orders_are_told_apart (void **state)
{
	assert_true (monocle__hash_text (0, "a") != monocle__hash_text (0, "b"));
	assert_true (monocle__hash_text (0, "ab") != monocle__hash_text (0, "ba"));
	assert_true (monocle__hash_text (monocle__hash_text (0, "a"), "bc") !=
	             monocle__hash_text (monocle__hash_text (0, "ab"), "c"));
	assert_true (monocle__hash_text (1, "a") != monocle__hash_text (2, "a"));
	assert_true (monocle__hash_text (7, "same") == monocle__hash_text (7, "same"));
	assert_true (monocle__hash (monocle__hash (0, 1), 2) != monocle__hash (monocle__hash (0, 2), 1));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (pointers_spread_over_high_and_low_bits),
		cmocka_unit_test (texts_and_orders_are_told_apart),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}

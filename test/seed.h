/*
 * SPDX-License-Identifier: MIT
 *
 * seed.h - the number from which everything random in a test comes.
 *
 * Without MONOCLE_TEST_SEED it is always the same, so that the tree decides what a test does. With it, each generator
 * of a test begins elsewhere, at the same place for the same number, and the test says the number on stderr.
 */
#ifndef MONOCLE_TEST_SEED_H
#define MONOCLE_TEST_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char *seed_text;

__attribute__ ((constructor)) static void
seed_find (void)
{
	seed_text = getenv ("MONOCLE_TEST_SEED");
	if (seed_text)
		fprintf (stderr, "seed: %s\n", seed_text);
}

/* Where a generator begins: at `usual`, or at a place of MONOCLE_TEST_SEED's that is `usual`'s own. Never 0. */
static inline uint64_t
seed_of (uint64_t usual)
{
	if (!seed_text)
		return usual;
	/* SplitMix64: near numbers lead far apart. */
	uint64_t mixed = strtoull (seed_text, NULL, 10) + usual * UINT64_C (0x9E3779B97F4A7C15);
	mixed = (mixed ^ mixed >> 30) * UINT64_C (0xBF58476D1CE4E5B9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C (0x94D049BB133111EB);
	mixed ^= mixed >> 31;
	return mixed ? mixed : 1;
}

#endif

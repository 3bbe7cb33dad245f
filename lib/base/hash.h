/*
 * SPDX-License-Identifier: MIT
 *
 * hash.h - hashes for tables in memory. None of them withstands an attacker who chooses the keys, and none is ever
 * stored.
 */
#ifndef MONOCLE_BASE_HASH_H
#define MONOCLE_BASE_HASH_H

#include <stdint.h>

/* One word, spread upwards (Fibonacci hashing: 2^64 by the golden ratio): the highest bits are the good ones. */
static inline uint64_t
monocle__hash_spread (uint64_t word)
{
	return word * UINT64_C (0x9e3779b97f4a7c15);
}

/* One more word; the low bits are good as well. */
static inline uint64_t
monocle__hash (uint64_t hash, uint64_t word)
{
	hash = monocle__hash_spread (hash ^ word);
	return hash ^ hash >> 29;
}

/* One more text, without its NUL (FNV-1a, mixed once more: its high bits depend on little in short texts). */
static inline uint64_t
monocle__hash_text (uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char) *text) * UINT64_C (0x100000001b3);
	return monocle__hash (hash, 0);
}

#endif

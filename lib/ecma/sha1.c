/*
 * SPDX-License-Identifier: MIT
 *
 * sha1.c - SHA-1 (FIPS 180-4, 6.1) of one piece of memory. State lives on the stack: async-safe.
 */
#include "sha1.h"

#include <string.h>

static uint32_t
rotate_left (uint32_t value, unsigned count)
{
	return value << count | value >> (32 - count);
}

static uint32_t
load_be32 (const uint8_t *p)
{
	return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

static void
store_be32 (uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t) (value >> 24);
	p[1] = (uint8_t) (value >> 16);
	p[2] = (uint8_t) (value >> 8);
	p[3] = (uint8_t) value;
}

/* Ch, Parity, Maj, Parity: one per twenty rounds, with that group's constant. */
static uint32_t
mix (unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	switch (round / 20) {
	case 0: return ((b & c) | (~b & d)) + 0x5A827999;
	case 1: return (b ^ c ^ d) + 0x6ED9EBA1;
	case 2: return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
	default: return (b ^ c ^ d) + 0xCA62C1D6;
	}
}

static void
add_block (uint32_t state[5], const uint8_t block[64])
{
	uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
	for (unsigned i = 0; i < 16; i++)
		w[i] = load_be32 (block + i * 4);
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotate_left (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned i = 0; i < 80; i++) {
		uint32_t next = rotate_left (a, 5) + mix (i, b, c, d) + e + w[i];
		e = d;
		d = c;
		c = rotate_left (b, 30);
		b = a;
		a = next;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

void
monocle__sha1 (const uint8_t *data, size_t size, uint8_t ret_digest[20])
{
	uint32_t state[5] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 };
	size_t rest = size % 64, whole = size - rest;
	for (size_t at = 0; at < whole; at += 64)
		add_block (state, data + at);

	/* The tail: what is left, a one bit, zeros, and the length in bits in the last eight bytes of a block. */
	uint8_t tail[128] = { 0 };
	size_t tail_size = rest < 56 ? 64 : 128;
	if (rest)
		memcpy (tail, data + whole, rest);
	tail[rest] = 0x80;
	store_be32 (tail + tail_size - 8, (uint32_t) ((uint64_t) size >> 29));
	store_be32 (tail + tail_size - 4, (uint32_t) (size << 3));
	for (size_t at = 0; at < tail_size; at += 64)
		add_block (state, tail + at);

	for (unsigned i = 0; i < 5; i++)
		store_be32 (ret_digest + i * 4, state[i]);
}

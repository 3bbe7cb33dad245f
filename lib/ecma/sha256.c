/*
 * SPDX-License-Identifier: MIT
 *
 * sha256.c - SHA-256 (FIPS 180-4, 6.2). State is the caller's: async-safe.
 */
#include "sha256.h"

#include <string.h>

/* clang-format off */
/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
static const uint32_t constants[64] = {
	0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
	0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
	0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
	0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
	0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
	0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
	0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
	0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};
/* clang-format on */

static uint32_t
rotate_right (uint32_t value, unsigned count)
{
	return value >> count | value << (32 - count);
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

/* The message schedule: sixteen words of the block, the rest mixed from earlier ones. */
static void
expand (const uint8_t block[64], uint32_t ret_words[64])
{
	uint32_t *w = ret_words;
	for (unsigned i = 0; i < 16; i++)
		w[i] = load_be32 (block + i * 4);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		uint32_t sigma0 = rotate_right (a, 7) ^ rotate_right (a, 18) ^ a >> 3;
		uint32_t sigma1 = rotate_right (b, 17) ^ rotate_right (b, 19) ^ b >> 10;
		w[i] = w[i - 16] + sigma0 + w[i - 7] + sigma1;
	}
}

static void
add_block (uint32_t state[8], const uint8_t block[64])
{
	uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	expand (block, w);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t sum1 = rotate_right (e, 6) ^ rotate_right (e, 11) ^ rotate_right (e, 25);
		uint32_t sum0 = rotate_right (a, 2) ^ rotate_right (a, 13) ^ rotate_right (a, 22);
		uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
		uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	const uint32_t mixed[8] = { a, b, c, d, e, f, g, h };
	for (unsigned i = 0; i < 8; i++)
		state[i] += mixed[i];
}

void
monocle__sha256_init (monocle__sha256 *hash)
{
	static const uint32_t initial[8] = { 0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
		                                 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19 };
	memcpy (hash->state, initial, sizeof initial);
	hash->size = 0;
}

void
monocle__sha256_add (monocle__sha256 *hash, const uint8_t *data, size_t size)
{
	size_t used = hash->size % 64;
	hash->size += size;
	if (used && size >= 64 - used) {
		memcpy (hash->block + used, data, 64 - used);
		add_block (hash->state, hash->block);
		data += 64 - used;
		size -= 64 - used;
		used = 0;
	}
	for (; !used && size >= 64; data += 64, size -= 64)
		add_block (hash->state, data);
	if (size)
		memcpy (hash->block + used, data, size);
}

/* The padding: a one bit, zeros, and the length in bits in the last eight bytes of a block. */
void
monocle__sha256_done (monocle__sha256 *hash, uint8_t ret_digest[MONOCLE__SHA256_SIZE])
{
	uint8_t padding[64 + 8] = { 0x80 };
	uint64_t size = hash->size;
	size_t used = size % 64, zeros_end = used < 56 ? 56 - used : 120 - used;
	store_be32 (padding + zeros_end, (uint32_t) (size >> 29));
	store_be32 (padding + zeros_end + 4, (uint32_t) (size << 3));
	monocle__sha256_add (hash, padding, zeros_end + 8);
	for (unsigned i = 0; i < 8; i++)
		store_be32 (ret_digest + i * 4, hash->state[i]);
}

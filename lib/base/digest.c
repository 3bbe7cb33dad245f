/*
 * SPDX-License-Identifier: MIT
 *
 * digest.c - MD5, SHA-1 and SHA-256 of one piece of memory. State lives on the stack: async-safe.
 *
 * All three take blocks of 64 bytes, and end with a one bit, zeros, and the length in bits in the last eight bytes of a
 * block. MD5 has its words with the lowest byte first, the others with the highest.
 */
#include "digest.h"

#include <stdbool.h>
#include <string.h>

typedef void block_adder (uint32_t *state, const uint8_t block[64]);

/* clang-format off */
/* The first 32 bits of the fraction of the cube roots of the first 64 primes. */
static const uint32_t sha256_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* The whole part of 2^32 |sin (i + 1)|. */
static const uint32_t md5_constants[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
/* clang-format on */

static uint32_t
rotate_left (uint32_t value, unsigned count)
{
	return value << count | value >> (32 - count);
}

static uint32_t
rotate_right (uint32_t value, unsigned count)
{
	return rotate_left (value, 32 - count);
}

static uint32_t
load_be32 (const uint8_t *p)
{
	return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

static uint32_t
load_le32 (const uint8_t *p)
{
	return (uint32_t) p[3] << 24 | (uint32_t) p[2] << 16 | (uint32_t) p[1] << 8 | p[0];
}

static void
store_be32 (uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t) (value >> 24);
	p[1] = (uint8_t) (value >> 16);
	p[2] = (uint8_t) (value >> 8);
	p[3] = (uint8_t) value;
}

static void
store_le32 (uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t) value;
	p[1] = (uint8_t) (value >> 8);
	p[2] = (uint8_t) (value >> 16);
	p[3] = (uint8_t) (value >> 24);
}

/* Adds the whole message to the state. */
static void
add_message (uint32_t *state, block_adder *add_block, const uint8_t *data, size_t size, bool lowest_first)
{
	void (*store) (uint8_t *, uint32_t) = lowest_first ? store_le32 : store_be32;
	size_t rest = size % 64, whole = size - rest, tail_size = rest < 56 ? 64 : 128;
	uint8_t tail[128] = { 0 };
	for (size_t at = 0; at < whole; at += 64)
		add_block (state, data + at);
	if (rest)
		memcpy (tail, data + whole, rest);
	tail[rest] = 0x80;
	store (tail + tail_size - (lowest_first ? 4 : 8), (uint32_t) ((uint64_t) size >> 29));
	store (tail + tail_size - (lowest_first ? 8 : 4), (uint32_t) (size << 3));
	for (size_t at = 0; at < tail_size; at += 64)
		add_block (state, tail + at);
}

/* --- SHA-1 -------------------------------------------------------------------------------------------------------- */

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
add_sha1_block (uint32_t *state, const uint8_t block[64])
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
monocle__digest_sha1 (const void *data, size_t size, uint8_t ret_digest[20])
{
	uint32_t state[5] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 };
	add_message (state, add_sha1_block, data, size, false);
	for (unsigned i = 0; i < 5; i++)
		store_be32 (ret_digest + i * 4, state[i]);
}

/* --- SHA-256 ------------------------------------------------------------------------------------------------------ */

static void
extend (uint32_t w[64])
{
	for (unsigned i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + w[i - 7] + (rotate_right (x, 7) ^ rotate_right (x, 18) ^ x >> 3) +
		       (rotate_right (y, 17) ^ rotate_right (y, 19) ^ y >> 10);
	}
}

static void
add_sha256_block (uint32_t *state, const uint8_t block[64])
{
	uint32_t w[64], s[8];
	memcpy (s, state, sizeof s);
	for (unsigned i = 0; i < 16; i++)
		w[i] = load_be32 (block + i * 4);
	extend (w);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t e = rotate_right (s[4], 6) ^ rotate_right (s[4], 11) ^ rotate_right (s[4], 25);
		uint32_t a = rotate_right (s[0], 2) ^ rotate_right (s[0], 13) ^ rotate_right (s[0], 22);
		uint32_t one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_constants[i] + w[i];
		uint32_t two = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove (s + 1, s, 7 * sizeof *s);
		s[4] += one;
		s[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

void
monocle__digest_sha256 (const void *data, size_t size, uint8_t ret_digest[32])
{
	uint32_t state[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
	};
	add_message (state, add_sha256_block, data, size, false);
	for (unsigned i = 0; i < 8; i++)
		store_be32 (ret_digest + i * 4, state[i]);
}

/* --- MD5 ---------------------------------------------------------------------------------------------------------- */

/* F, G, H, I: one per sixteen rounds. */
static uint32_t
mix_md5 (unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	switch (round / 16) {
	case 0: return (b & c) | (~b & d);
	case 1: return (d & b) | (~d & c);
	case 2: return b ^ c ^ d;
	default: return c ^ (b | ~d);
	}
}

static void
add_md5_block (uint32_t *state, const uint8_t block[64])
{
	static const uint8_t steps[4] = { 1, 5, 3, 7 }, starts[4] = { 0, 1, 5, 0 };
	static const uint8_t shifts[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	for (unsigned i = 0; i < 64; i++) {
		unsigned group = i / 16, word = (starts[group] + i * steps[group]) % 16;
		uint32_t sum = a + mix_md5 (i, b, c, d) + md5_constants[i] + load_le32 (block + word * 4);
		a = d;
		d = c;
		c = b;
		b += rotate_left (sum, shifts[group][i % 4]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void
monocle__digest_md5 (const void *data, size_t size, uint8_t ret_digest[16])
{
	uint32_t state[4] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476 };
	add_message (state, add_md5_block, data, size, true);
	for (unsigned i = 0; i < 4; i++)
		store_le32 (ret_digest + i * 4, state[i]);
}

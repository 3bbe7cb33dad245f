/*
 * SPDX-License-Identifier: MIT
 *
 * sha256.h - SHA-256 (FIPS 180-4) of bytes that come in pieces.
 */
#ifndef MONOCLE_ECMA_SHA256_H
#define MONOCLE_ECMA_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { MONOCLE__SHA256_SIZE = 32 };

typedef struct {
	uint32_t state[8];
	uint64_t size;     /* bytes added so far */
	uint8_t block[64]; /* what did not fill a block yet */
} monocle__sha256;

/* Async-safe. A hash that is done must be begun anew. */
void monocle__sha256_init (monocle__sha256 *hash);
void monocle__sha256_add (monocle__sha256 *hash, const uint8_t *data, size_t size);
void monocle__sha256_done (monocle__sha256 *hash, uint8_t ret_digest[MONOCLE__SHA256_SIZE]);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * sha1.h - SHA-1 (FIPS 180-4), for public key tokens; not for anything that must resist forgery.
 */
#ifndef MONOCLE_ECMA_SHA1_H
#define MONOCLE_ECMA_SHA1_H

#include <stddef.h>
#include <stdint.h>

/* Async-safe. */
void monocle__sha1 (const uint8_t *data, size_t size, uint8_t ret_digest[20]);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * digest.h - digests that files of .NET hold: public key tokens, sources as symbols knew them. They say that two things
 * are the same; none of them is used against forgery.
 */
#ifndef MONOCLE_BASE_DIGEST_H
#define MONOCLE_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* All are async-safe. `data` may be NULL when there is none. */
void monocle__digest_md5 (const void *data, size_t size, uint8_t ret_digest[16]);    /* RFC 1321 */
void monocle__digest_sha1 (const void *data, size_t size, uint8_t ret_digest[20]);   /* FIPS 180-4, 6.1 */
void monocle__digest_sha256 (const void *data, size_t size, uint8_t ret_digest[32]); /* FIPS 180-4, 6.2 */

#endif

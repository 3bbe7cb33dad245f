/*
 * SPDX-License-Identifier: MIT
 *
 * bytes.h - little-endian loads and checked parts of a byte range, for lib/ecma only.
 */
#ifndef MONOCLE_ECMA_BYTES_H
#define MONOCLE_ECMA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte by byte: no alignment or byte order is assumed, and compilers make one load of it. */
static inline uint16_t
monocle__le16 (const uint8_t *p)
{
	return (uint16_t) (p[0] | p[1] << 8);
}

static inline uint32_t
monocle__le32 (const uint8_t *p)
{
	return monocle__le16 (p) | (uint32_t) monocle__le16 (p + 2) << 16;
}

static inline uint64_t
monocle__le64 (const uint8_t *p)
{
	return monocle__le32 (p) | (uint64_t) monocle__le32 (p + 4) << 32;
}

typedef struct {
	const uint8_t *data;
	size_t size;
} monocle__span;

/* The part [offset, offset + size) of `whole`; false when it does not lie inside. The sum is never computed. */
static inline bool
monocle__span_part (monocle__span whole, uint64_t offset, uint64_t size, monocle__span *ret_part)
{
	if (offset > whole.size || size > whole.size - offset)
		return false;
	ret_part->data = whole.data + offset;
	ret_part->size = (size_t) size;
	return true;
}

/* Everything from `offset` on; false when it lies behind the end. */
static inline bool
monocle__span_rest (monocle__span whole, uint64_t offset, monocle__span *ret_rest)
{
	return offset <= whole.size && monocle__span_part (whole, offset, whole.size - offset, ret_rest);
}

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * bytes.h - numbers as .NET's files have them, lowest byte first, and checked parts of a range of bytes. Async-safe.
 */
#ifndef MONOCLE_BASE_BYTES_H
#define MONOCLE_BASE_BYTES_H

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

static inline void
monocle__put_le16 (uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t) value;
	p[1] = (uint8_t) (value >> 8);
}

static inline void
monocle__put_le32 (uint8_t *p, uint32_t value)
{
	monocle__put_le16 (p, (uint16_t) value);
	monocle__put_le16 (p + 2, (uint16_t) (value >> 16));
}

static inline void
monocle__put_le64 (uint8_t *p, uint64_t value)
{
	monocle__put_le32 (p, (uint32_t) value);
	monocle__put_le32 (p + 4, (uint32_t) (value >> 32));
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

/* Everything from `offset` on; false when that is after the end. */
static inline bool
monocle__span_rest (monocle__span whole, uint64_t offset, monocle__span *ret_rest)
{
	return offset <= whole.size && monocle__span_part (whole, offset, whole.size - offset, ret_rest);
}

#endif

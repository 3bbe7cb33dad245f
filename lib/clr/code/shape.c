/*
 * SPDX-License-Identifier: MIT
 *
 * shape.c - packs shapes. Pure functions; any context.
 */
#include "shape.h"

enum { KIND_BITS = 3, LENGTH_BITS = 10, DEPTH_BITS = 21, SAVED_BITS = 9 };

/* kind 3, length 10, depth 21, saved 9, frame 21; the last three in words. */
bool
monocle__shape_pack (const monocle__shape *s, uint64_t *ret)
{
	if (s->kind == MONOCLE__SHAPE_NONE || s->length >> LENGTH_BITS || s->depth / 8 >> DEPTH_BITS ||
	    s->saved / 8 >> SAVED_BITS || s->frame / 8 >> DEPTH_BITS)
		return false;
	*ret = (uint64_t) s->kind | (uint64_t) s->length << KIND_BITS |
	       (uint64_t) (s->depth / 8) << (KIND_BITS + LENGTH_BITS) |
	       (uint64_t) (s->saved / 8) << (KIND_BITS + LENGTH_BITS + DEPTH_BITS) |
	       (uint64_t) (s->frame / 8) << (KIND_BITS + LENGTH_BITS + DEPTH_BITS + SAVED_BITS);
	return true;
}

monocle__shape
monocle__shape_unpack (uint64_t word)
{
	monocle__shape s = { .kind = (monocle__shape_kind) (word & 7) };
	word >>= KIND_BITS;
	s.length = word & ((1u << LENGTH_BITS) - 1);
	word >>= LENGTH_BITS;
	s.depth = (uint32_t) (word & ((1u << DEPTH_BITS) - 1)) * 8;
	word >>= DEPTH_BITS;
	s.saved = (uint32_t) (word & ((1u << SAVED_BITS) - 1)) * 8;
	s.frame = (uint32_t) (word >> SAVED_BITS) * 8;
	return s;
}

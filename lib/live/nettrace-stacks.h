/*
 * SPDX-License-Identifier: MIT
 *
 * nettrace-stacks.h - the stacks of a stream of events, by their numbers. They come in runs of rising numbers.
 */
#ifndef MONOCLE_LIVE_NETTRACE_STACKS_H
#define MONOCLE_LIVE_NETTRACE_STACKS_H

#include "bytes.h"

typedef struct {
	uint64_t *addresses;
	size_t address_count, address_room;
	size_t *ends; /* by number - first: where its addresses end */
	size_t count, room;
	uint32_t first;
} monocle__live_nettrace_stacks;

/* A block of stacks: the first number, how many, and for each its size in bytes and its addresses. */
void monocle__live_nettrace_stacks_add (monocle__live_nettrace_stacks *stacks, monocle__span data);
/* Numbers begin anew. */
void monocle__live_nettrace_stacks_clear (monocle__live_nettrace_stacks *stacks);
void monocle__live_nettrace_stacks_done (monocle__live_nettrace_stacks *stacks);
/* Borrowed until the next block; NULL and 0: there is none with this number. */
const uint64_t *monocle__live_nettrace_stacks_find (const monocle__live_nettrace_stacks *stacks, uint32_t number,
                                                    size_t *ret_depth);

#endif

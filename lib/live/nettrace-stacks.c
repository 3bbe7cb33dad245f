/*
 * SPDX-License-Identifier: MIT
 *
 * nettrace-stacks.c - see nettrace-stacks.h.
 */
#include "nettrace-stacks.h"

#include <stdlib.h>

/* Where a process sends more before the next point at which all begins anew, the older ones are forgotten. */
enum { ADDRESSES_MOST = 4 << 20, STACKS_MOST = 1 << 20 };

void
monocle__live_nettrace_stacks_clear (monocle__live_nettrace_stacks *stacks)
{
	stacks->count = stacks->address_count = 0;
}

void
monocle__live_nettrace_stacks_done (monocle__live_nettrace_stacks *stacks)
{
	free (stacks->addresses);
	free (stacks->ends);
}

static bool
has_room (monocle__live_nettrace_stacks *stacks, size_t depth)
{
	if (stacks->address_count + depth > stacks->address_room) {
		size_t room = (stacks->address_count + depth) * 2;
		uint64_t *grown = realloc (stacks->addresses, room * sizeof *grown);
		if (!grown)
			return false;
		stacks->addresses = grown;
		stacks->address_room = room;
	}
	if (stacks->count == stacks->room) {
		size_t room = stacks->room ? stacks->room * 2 : 256;
		size_t *grown = realloc (stacks->ends, room * sizeof *grown);
		if (!grown)
			return false;
		stacks->ends = grown;
		stacks->room = room;
	}
	return true;
}

static void
add (monocle__live_nettrace_stacks *stacks, uint32_t number, monocle__span addresses)
{
	size_t depth = addresses.size / 8;
	if (number != stacks->first + stacks->count || stacks->count >= STACKS_MOST ||
	    stacks->address_count + depth > ADDRESSES_MOST)
		monocle__live_nettrace_stacks_clear (stacks);
	if (stacks->count == 0)
		stacks->first = number;
	if (depth > ADDRESSES_MOST || !has_room (stacks, depth))
		return;
	for (size_t i = 0; i < depth; i++)
		stacks->addresses[stacks->address_count++] = monocle__le64 (addresses.data + 8 * i);
	stacks->ends[stacks->count++] = stacks->address_count;
}

void
monocle__live_nettrace_stacks_add (monocle__live_nettrace_stacks *stacks, monocle__span data)
{
	monocle__span addresses;
	uint32_t number, count;
	if (data.size < 8)
		return;
	number = monocle__le32 (data.data);
	count = monocle__le32 (data.data + 4);
	monocle__span_rest (data, 8, &data);
	for (uint32_t i = 0; i < count && data.size >= 4; i++) {
		uint32_t size = monocle__le32 (data.data);
		if (!monocle__span_part (data, 4, size, &addresses))
			return;
		add (stacks, number + i, addresses);
		monocle__span_rest (data, 4 + (uint64_t) size, &data);
	}
}

const uint64_t *
monocle__live_nettrace_stacks_find (const monocle__live_nettrace_stacks *stacks, uint32_t number, size_t *ret_depth)
{
	uint32_t index = number - stacks->first;
	*ret_depth = 0;
	if (index >= stacks->count)
		return NULL;
	size_t begin = index ? stacks->ends[index - 1] : 0;
	*ret_depth = stacks->ends[index] - begin;
	return stacks->addresses + begin;
}

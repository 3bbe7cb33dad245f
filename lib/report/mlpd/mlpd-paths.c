/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-paths.c - see mlpd-paths.h.
 */
#include "mlpd-paths.h"

#include "array.h"
#include "hash.h"

enum { SLOTS_LEAST = 1024 };

void
monocle__mlpd_paths_done (monocle__mlpd_paths *paths)
{
	free (paths->items);
	free (paths->slots);
}

/* The slot of the path, or the free one where it belongs. */
static uint32_t *
find_slot (const monocle__mlpd_paths *paths, uint32_t parent, uint32_t kind, uint64_t address)
{
	size_t mask = paths->slot_count - 1;
	size_t at = (size_t) monocle__hash (monocle__hash (kind, parent), address) & mask;
	for (;; at = (at + 1) & mask) {
		const monocle__mlpd_path *path = &paths->items[paths->slots[at]];
		if (paths->slots[at] == 0 || (path->parent == parent && path->address == address && path->kind == kind))
			return &paths->slots[at];
	}
}

static bool
grow (monocle__mlpd_paths *paths)
{
	size_t count = paths->slot_count ? 2 * paths->slot_count : SLOTS_LEAST;
	uint32_t *slots;
	if (!monocle__profile_take (paths->profile, (count - paths->slot_count) * sizeof *slots) ||
	    !(slots = calloc (count, sizeof *slots)))
		return false;
	free (paths->slots);
	paths->slots = slots;
	paths->slot_count = count;
	for (size_t i = 1; i < paths->count; i++) {
		const monocle__mlpd_path *path = &paths->items[i];
		*find_slot (paths, path->parent, path->kind, path->address) = (uint32_t) i;
	}
	return true;
}

uint32_t
monocle__mlpd_paths_child (monocle__mlpd_paths *paths, uint32_t parent, monocle__mlpd_frame_kind kind, uint64_t address)
{
	uint32_t *slot;
	if (paths->count * 2 >= paths->slot_count && !grow (paths))
		return 0;
	if (paths->count == 0)
		paths->count = 1;
	if (paths->count >= UINT32_MAX || !MONOCLE__RESERVE (paths->items, paths->capacity, paths->count + 1))
		return 0;
	slot = find_slot (paths, parent, kind, address);
	if (*slot)
		return *slot;
	if (!monocle__profile_take (paths->profile, sizeof *paths->items))
		return 0;
	paths->items[paths->count] = (monocle__mlpd_path) { .address = address, .parent = parent, .kind = kind };
	*slot = (uint32_t) paths->count++;
	return *slot;
}

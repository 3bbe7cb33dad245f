/*
 * SPDX-License-Identifier: MIT
 *
 * idmap.h - a lock-free map from numbers to pointers.
 */
#ifndef MONOCLE_IDMAP_H
#define MONOCLE_IDMAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	_Atomic (uintptr_t) id;  /* 0: free; otherwise it never changes again */
	_Atomic (void *) record; /* NULL: dropped, or not there yet */
} monocle__cell;

typedef struct monocle__level monocle__level;

struct monocle__level {
	monocle__level *older;
	uint64_t mask;
	uint32_t shift;
	_Atomic (uint32_t) used;
	monocle__cell cells[];
};

typedef struct {
	_Atomic (monocle__level *) newest;
} monocle__idmap;

void *monocle__idmap_find (monocle__idmap *map, uintptr_t id);
/* Replaces what was there. False: no memory, or id 0. */
bool monocle__idmap_bind (monocle__idmap *map, uintptr_t id, void *record);

#endif

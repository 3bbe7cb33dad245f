/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-map.h - numbers by numbers: what addresses in an mlpd file stand for.
 */
#ifndef MONOCLE_REPORT_MLPD_MAP_H
#define MONOCLE_REPORT_MLPD_MAP_H

#include "profile.h"

typedef struct {
	uint64_t key;
	uint64_t value; /* 0: the entry is free */
} monocle__mlpd_entry;

/* Begins as zeros. Its memory comes out of a profile's allowance. */
typedef struct {
	monocle__mlpd_entry *entries;
	size_t count, entry_count;
	size_t paid; /* the most entries that there were, which came out of the allowance */
} monocle__mlpd_map;

void monocle__mlpd_map_done (monocle__mlpd_map *map);
/* No key is left. What was taken from the allowance stays taken, and is not taken again. */
void monocle__mlpd_map_clear (monocle__mlpd_map *map);
/* 0: there is no such key. */
uint64_t monocle__mlpd_map_find (const monocle__mlpd_map *map, uint64_t key);
/* Where the value of the key is, 0 when it is new; good until the next key is added. NULL: out of memory. */
uint64_t *monocle__mlpd_map_at (monocle__mlpd_map *map, monocle__profile *profile, uint64_t key);

#endif

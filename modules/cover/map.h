/*
 * SPDX-License-Identifier: MIT
 *
 * map.h - numbers by address, for one writer at a time.
 */
#ifndef MONOCLE_MODULES_COVER_MAP_H
#define MONOCLE_MODULES_COVER_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	uintptr_t *keys; /* 0: free */
	uint64_t *values;
	uint32_t count, capacity; /* a power of two */
} map;

/* NULL: the key is not in it. The place is right until the next map_add (). */
uint64_t *map_find (const map *m, const void *key);
/* The key is new and not NULL. False: no memory. */
bool map_add (map *m, const void *key, uint64_t value);
/* Forgets all that `keep` does not want. */
void map_keep (map *m, bool (*keep) (const void *key, uint64_t value, const void *data), const void *data);

#endif

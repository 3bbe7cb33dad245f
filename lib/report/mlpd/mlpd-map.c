/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-map.c - see mlpd-map.h. Open addressing, at most half full; nothing is ever taken out.
 */
#include "mlpd-map.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

/* A table that is emptied often must not be large for what it holds: emptying it costs its size. */
enum { LEAST = 64, SPARSE = 16 };

void
monocle__mlpd_map_done (monocle__mlpd_map *map)
{
	free (map->entries);
}

void
monocle__mlpd_map_clear (monocle__mlpd_map *map)
{
	if (map->count * SPARSE < map->entry_count) {
		free (map->entries);
		map->entries = NULL;
		map->entry_count = 0;
	} else if (map->count) {
		memset (map->entries, 0, map->entry_count * sizeof *map->entries);
	}
	map->count = 0;
}

/* The entry of the key, or the free one where it belongs. */
static monocle__mlpd_entry *
find_entry (const monocle__mlpd_map *map, uint64_t key)
{
	size_t mask = map->entry_count - 1, at = (size_t) monocle__hash (0, key) & mask;
	while (map->entries[at].value && map->entries[at].key != key)
		at = (at + 1) & mask;
	return &map->entries[at];
}

static bool
grow (monocle__mlpd_map *map, monocle__profile *profile)
{
	monocle__mlpd_map larger = { .entry_count = map->entry_count ? 2 * map->entry_count : LEAST };
	larger.paid = larger.entry_count > map->paid ? larger.entry_count : map->paid;
	if (!monocle__profile_take (profile, (larger.paid - map->paid) * sizeof *map->entries))
		return false;
	larger.entries = calloc (larger.entry_count, sizeof *larger.entries);
	if (!larger.entries)
		return false;
	larger.count = map->count;
	for (size_t i = 0; i < map->entry_count; i++) {
		if (map->entries[i].value)
			*find_entry (&larger, map->entries[i].key) = map->entries[i];
	}
	free (map->entries);
	*map = larger;
	return true;
}

uint64_t
monocle__mlpd_map_find (const monocle__mlpd_map *map, uint64_t key)
{
	return map->entry_count ? find_entry (map, key)->value : 0;
}

uint64_t *
monocle__mlpd_map_at (monocle__mlpd_map *map, monocle__profile *profile, uint64_t key)
{
	monocle__mlpd_entry *entry;
	if (map->count * 2 >= map->entry_count && !grow (map, profile))
		return NULL;
	entry = find_entry (map, key);
	if (!entry->value) {
		entry->key = key;
		map->count++;
	}
	return &entry->value;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * map.c - see map.h. Open addressing, at most two thirds full.
 */
#include "map.h"

#include <stdlib.h>
#include "hash.h"

static uint32_t
place_of (const map *m, uintptr_t key)
{
	uint32_t i = (uint32_t) monocle__hash (0, key) & (m->capacity - 1);
	while (m->keys[i] && m->keys[i] != key)
		i = (i + 1) & (m->capacity - 1);
	return i;
}

uint64_t *
map_find (const map *m, const void *key)
{
	uint32_t i = m->capacity ? place_of (m, (uintptr_t) key) : 0;
	return m->capacity && m->keys[i] ? &m->values[i] : NULL;
}

static bool
grow (map *m)
{
	map longer = { .count = m->count, .capacity = m->capacity ? 2 * m->capacity : 64 };
	longer.keys = calloc (longer.capacity, sizeof *longer.keys);
	longer.values = calloc (longer.capacity, sizeof *longer.values);
	if (!longer.keys || !longer.values) {
		free (longer.keys);
		free (longer.values);
		return false;
	}
	for (uint32_t i = 0; i < m->capacity; i++) {
		if (!m->keys[i])
			continue;
		uint32_t at = place_of (&longer, m->keys[i]);
		longer.keys[at] = m->keys[i];
		longer.values[at] = m->values[i];
	}
	free (m->keys);
	free (m->values);
	*m = longer;
	return true;
}

bool
map_add (map *m, const void *key, uint64_t value)
{
	if (3 * (m->count + 1) > 2 * m->capacity && !grow (m))
		return false;
	uint32_t i = place_of (m, (uintptr_t) key);
	m->keys[i] = (uintptr_t) key;
	m->values[i] = value;
	m->count++;
	return true;
}

void
map_keep (map *m, bool (*keep) (const void *key, uint64_t value, const void *data), const void *data)
{
	map old = *m;
	*m = (map) { 0 };
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.keys[i] && keep ((const void *) old.keys[i], old.values[i], data))
			map_add (m, (const void *) old.keys[i], old.values[i]);
	free (old.keys);
	free (old.values);
}

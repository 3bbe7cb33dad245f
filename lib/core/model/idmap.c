/*
 * SPDX-License-Identifier: MIT
 *
 * idmap.c - from the runtime's ids to records: asked in every JIT and load callback, and in call probes.
 *
 * Open addressing with linear probing in levels. A level never grows and never moves; when it is three quarters full
 * a larger one is put before it, and ids that are bound from then on go there. A look-up goes from the newest level
 * to the oldest, so it meets at most log4 (n) levels; a cell whose id is free ends the search in its level. A
 * dropped id keeps its cell and takes it again when the runtime reuses it. Any thread, any context.
 */
#include "idmap.h"

#include "arena.h"
#include "hash.h"
#include "invariant.h"
#include "records.h"

enum {
	FIRST_BITS = 14, /* 256 KiB, touched page by page */
	GROW_BITS = 2,
	LAST_BITS = 28,
};

static monocle__level *
level_new (monocle__level *older)
{
	uint32_t bits = older ? 64 - older->shift + GROW_BITS : FIRST_BITS;
	if (bits > LAST_BITS)
		return NULL;
	monocle__level *level = monocle__arena_alloc (sizeof *level + (sizeof (monocle__cell) << bits));
	if (!level)
		return NULL;
	level->older = older;
	level->mask = ((uint64_t) 1 << bits) - 1;
	level->shift = 64 - bits;
	MONOCLE__INVARIANT (bits >= FIRST_BITS && (!older || level->mask > older->mask));
	return level;
}

static inline uint64_t
first_cell (const monocle__level *level, uintptr_t id)
{
	MONOCLE__INVARIANT (UINT64_MAX >> level->shift == level->mask);
	return monocle__hash_spread (id) >> level->shift;
}

/* The cell of `id` in one level, or NULL. */
static inline monocle__cell *
level_find (monocle__level *level, uintptr_t id)
{
	for (uint64_t i = first_cell (level, id);; i = (i + 1) & level->mask) {
		uintptr_t found = atomic_load_explicit (&level->cells[i].id, memory_order_acquire);
		if (found == id)
			return &level->cells[i];
		if (!found)
			return NULL;
	}
}

/* The same, taking a free cell when there is none; NULL: the level is full enough. It always keeps free cells. */
static monocle__cell *
level_take (monocle__level *level, uintptr_t id)
{
	for (uint64_t i = first_cell (level, id);; i = (i + 1) & level->mask) {
		uintptr_t found = atomic_load_explicit (&level->cells[i].id, memory_order_acquire);
		if (found == id)
			return &level->cells[i];
		if (found)
			continue;
		if (atomic_fetch_add_explicit (&level->used, 1, memory_order_relaxed) >= level->mask / 4 * 3) {
			atomic_fetch_sub_explicit (&level->used, 1, memory_order_relaxed);
			return NULL;
		}
		if (atomic_compare_exchange_strong_explicit (&level->cells[i].id, &found, id, memory_order_acq_rel,
		                                             memory_order_acquire))
			return &level->cells[i];
		MONOCLE__INVARIANT (found != 0); /* who lost the cell lost it to an id */
		atomic_fetch_sub_explicit (&level->used, 1, memory_order_relaxed);
		if (found == id)
			return &level->cells[i];
	}
}

void *
monocle__idmap_find (monocle__idmap *map, uintptr_t id)
{
	monocle__level *level = atomic_load_explicit (&map->newest, memory_order_acquire);
	if (!id)
		return NULL;
	for (; level; level = level->older) {
		monocle__cell *cell = level_find (level, id);
		if (cell)
			return atomic_load_explicit (&cell->record, memory_order_acquire);
	}
	return NULL;
}

static monocle__cell *
find_anywhere (monocle__level *level, uintptr_t id)
{
	monocle__cell *cell = NULL;
	for (; level && !cell; level = level->older)
		cell = level_find (level, id);
	return cell;
}

bool
monocle__idmap_bind (monocle__idmap *map, uintptr_t id, void *record)
{
	while (id) {
		monocle__level *newest = atomic_load_explicit (&map->newest, memory_order_acquire);
		monocle__cell *cell = find_anywhere (newest, id);
		if (!cell && newest)
			cell = level_take (newest, id);
		MONOCLE__INVARIANT (!cell || atomic_load_explicit (&cell->id, memory_order_relaxed) == id);
		if (cell) {
			atomic_store_explicit (&cell->record, record, memory_order_release);
			return true;
		}
		monocle__level *fresh = level_new (newest);
		if (!fresh)
			return false;
		/* When another thread was faster, ours is wasted; that happens a few times in a process's life. */
		atomic_compare_exchange_strong_explicit (&map->newest, &newest, fresh, memory_order_acq_rel,
		                                         memory_order_acquire);
	}
	return false;
}

/* Two threads that bind one id while a level is added may leave it in both: all are cleared. */
static void
drop (monocle__idmap *map, uintptr_t id)
{
	monocle__level *level = id ? atomic_load_explicit (&map->newest, memory_order_acquire) : NULL;
	for (; level; level = level->older) {
		monocle__cell *cell = level_find (level, id);
		if (cell)
			atomic_store_explicit (&cell->record, NULL, memory_order_release);
	}
}

/* --- monocle_id_* ------------------------------------------------------------------------------------------------- */

static monocle__idmap spaces[MONOCLE_ID_SPACES];

void *
monocle_id_find (monocle_id_space space, uintptr_t id)
{
	return (unsigned) space < MONOCLE_ID_SPACES ? monocle__idmap_find (&spaces[space], id) : NULL;
}

int
monocle_id_bind (monocle_id_space space, uintptr_t id, void *record)
{
	if ((unsigned) space >= MONOCLE_ID_SPACES || !id)
		return MONOCLE_E_INVALID;
	return monocle__idmap_bind (&spaces[space], id, record) ? MONOCLE_OK : MONOCLE_E_NO_MEMORY;
}

void
monocle_id_drop (monocle_id_space space, uintptr_t id)
{
	if ((unsigned) space < MONOCLE_ID_SPACES)
		drop (&spaces[space], id);
}

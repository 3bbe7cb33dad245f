/*
 * SPDX-License-Identifier: MIT
 *
 * table.c - records of one image by metadata row number.
 *
 * Rows that the image has when it is loaded are in one array. Rows that come later (Reflection.Emit, edit and
 * continue) are in levels made on demand: with n rows at first, row n + 1 + i is in level l at offset o where i +
 * FIRST = (FIRST << l) + o. Nothing moves, so any thread may read in any context while another adds.
 */
#include "table.h"

#include "arena.h"
#include "invariant.h"
#include "publish.h"

/* A row number has 24 bits (II.22: the upper byte of a token names the table). */
enum { ROW_LIMIT = 1 << 24 };

_Static_assert((uint64_t) MONOCLE__TABLE_FIRST_LEVEL << MONOCLE__TABLE_LEVELS >= ROW_LIMIT,
               "every row is in some level");

bool
monocle__table_init (monocle__table *table, uint32_t rows)
{
	table->rows = rows < ROW_LIMIT ? rows : ROW_LIMIT - 1;
	if (!table->rows)
		return true;
	table->base = monocle__arena_alloc (table->rows * sizeof *table->base);
	return table->base != NULL;
}

static _Atomic (void *) *
level_get (monocle__table *table, uint32_t level, bool make)
{
	MONOCLE__INVARIANT (level < MONOCLE__TABLE_LEVELS);
	_Atomic (void *) *slots = atomic_load_explicit (&table->levels[level], memory_order_acquire);
	if (slots || !make)
		return slots;
	_Atomic (void *) *fresh = monocle__arena_alloc (((size_t) MONOCLE__TABLE_FIRST_LEVEL << level) * sizeof *fresh);
	return MONOCLE__PUBLISH (&table->levels[level], fresh);
}

_Atomic (void *) *
monocle__table_slot (monocle__table *table, uint32_t row, bool make)
{
	if (row - 1 < table->rows)
		return &table->base[row - 1];
	if (row == 0 || row >= ROW_LIMIT)
		return NULL;
	uint32_t index = row - table->rows - 1 + MONOCLE__TABLE_FIRST_LEVEL;
	uint32_t level = 31 - (uint32_t) __builtin_clz (index / MONOCLE__TABLE_FIRST_LEVEL);
	if (level >= MONOCLE__TABLE_LEVELS)
		return NULL;
	/* i + FIRST = (FIRST << l) + o, with o inside the level. */
	MONOCLE__INVARIANT (index >> level >= MONOCLE__TABLE_FIRST_LEVEL &&
	                    index >> level < 2 * MONOCLE__TABLE_FIRST_LEVEL);
	_Atomic (void *) *slots = level_get (table, level, make);
	return slots ? &slots[index - ((uint32_t) MONOCLE__TABLE_FIRST_LEVEL << level)] : NULL;
}

uint32_t
monocle__table_end (const monocle__table *table)
{
	for (uint32_t level = MONOCLE__TABLE_LEVELS; level-- > 0;)
		if (atomic_load_explicit (&table->levels[level], memory_order_acquire))
			return table->rows + 1 + MONOCLE__TABLE_FIRST_LEVEL * ((2u << level) - 1);
	return table->rows + 1;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * table.h - records by row number, growing in levels.
 */
#ifndef MONOCLE_MODEL_TABLE_H
#define MONOCLE_MODEL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MONOCLE__TABLE_LEVELS = 20, MONOCLE__TABLE_FIRST_LEVEL = 64 };

/* Rows 1..rows are in `base`; later ones (dynamic images, edit and continue) in levels, each twice the one before. */
typedef struct {
	uint32_t rows;
	_Atomic (void *) *base;
	_Atomic (_Atomic (void *) *) levels[MONOCLE__TABLE_LEVELS];
} monocle__table;

bool monocle__table_init (monocle__table *table, uint32_t rows);
/* Where row's record is; NULL: no such row can be (or, with make, no memory). */
_Atomic (void *) *monocle__table_slot (monocle__table *table, uint32_t row, bool make);
/* One more than the highest row that may hold a record. */
uint32_t monocle__table_end (const monocle__table *table);

#endif

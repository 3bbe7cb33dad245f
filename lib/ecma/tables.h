/*
 * SPDX-License-Identifier: MIT
 *
 * tables.h - laying out and searching the metadata tables, for lib/ecma only.
 */
#ifndef MONOCLE_ECMA_TABLES_PRIV_H
#define MONOCLE_ECMA_TABLES_PRIV_H

#include "bytes.h"
#include "ecma.h"
#include "invariant.h"

/*
 * Fills image->tables and image->sorted from a #~ or #- stream. `external`: row counts of tables that are in another
 * image but decide how wide indexes are (the #Pdb stream); all zero otherwise. 0 or a negative code.
 */
int monocle__tables_open (monocle__ecma_image *image, monocle__span stream,
                          const uint32_t external[MONOCLE__TABLE_COUNT]);

/* A cell without checks: 1 <= rid <= rows and column < columns must hold. */
static inline uint32_t
monocle__table_cell (const monocle__ecma_table *table, uint32_t rid, uint32_t column)
{
	MONOCLE__INVARIANT (rid - 1 < table->rows && column < table->columns);
	const uint8_t *cell = table->data + (size_t) (rid - 1) * table->row_size + table->column_offset[column];
	switch (table->column_size[column]) {
	case 1: return *cell;
	case 2: return monocle__le16 (cell);
	default: return monocle__le32 (cell);
	}
}

/* First rid whose cell is not below `value`, rows + 1 when all are. Only for a table that image->sorted names. */
uint32_t monocle__table_lower_bound (const monocle__ecma_table *table, uint32_t column, uint32_t value);

/* First rid at or after `from` whose cell equals `value`, 0 when there is none. By halves where the table is sorted. */
uint32_t monocle__table_find (const monocle__ecma_image *image, uint32_t table, uint32_t column, uint32_t value,
                              uint32_t from);

/* The coded value of a token, UINT32_MAX when the kind has no tag for the token's table. */
uint32_t monocle__coded_value (uint32_t kind, uint32_t token);

#endif

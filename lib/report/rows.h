/*
 * SPDX-License-Identifier: MIT
 *
 * rows.h - a profile as rows for machines: its methods, or the nodes of its tree depth first.
 */
#ifndef MONOCLE_ROWS_H
#define MONOCLE_ROWS_H

#include "column.h"
#include "report.h"

/* `self` and `total` are amounts by value; `depth` is 0 where rows are methods. */
typedef struct {
	const char *name, *image; /* the image's file name, "" when unknown */
	const char *source;       /* of a profile of lines: "" when unknown, as `line` is 0 */
	int64_t line;
	const int64_t *self, *total;
	uint32_t depth;
} monocle__row;

/*
 * Calls `write` with each row that the options ask for, in their order, up to their limit. 0, or -1 without memory, in
 * which case nothing was written.
 */
int monocle__rows_each (const monocle__profile *profile, const monocle__report_options *options,
                        void (*write) (const monocle__row *row, void *context), void *context);

/* What a column shows of a row. */
int64_t monocle__row_amount (const monocle__row *row, const monocle__column *column);

#endif

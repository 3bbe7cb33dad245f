/*
 * SPDX-License-Identifier: MIT
 *
 * stat-format.h - the figures of processes as people and programs read them.
 */
#ifndef MONOCLE_TOOLS_STAT_FORMAT_H
#define MONOCLE_TOOLS_STAT_FORMAT_H

#include "command/options.h"
#include "live-watch.h"

#include <stdio.h>

typedef enum {
	MONOCLE__STAT_TEXT,
	MONOCLE__STAT_TSV,
	MONOCLE__STAT_JSON,
	MONOCLE__STAT_OPENMETRICS,
	MONOCLE__STAT_FORMATS
} monocle__stat_kind;

/* The `choice` of an option row. */
monocle__choice monocle__stat_format_choice (size_t index);

/* What stands before the first row; nothing in most formats. */
void monocle__stat_format_head (FILE *out, monocle__stat_kind kind);
/* A row for each process that is followed now; of text, a line with what has changed since the line before. */
void monocle__stat_format_rows (FILE *out, monocle__stat_kind kind, const monocle__live_watch *watch);
/* All processes to their ends; of text, a table each. */
void monocle__stat_format_end (FILE *out, monocle__stat_kind kind, const monocle__live_watch *watch);

#endif

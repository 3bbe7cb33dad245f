/*
 * SPDX-License-Identifier: MIT
 *
 * column.h - which columns a profile's values make, what they are called and how their amounts are written.
 */
#ifndef MONOCLE_REPORT_COLUMN_H
#define MONOCLE_REPORT_COLUMN_H

#include "report.h"

typedef struct {
	size_t value;     /* index of the value type */
	bool is_total;    /* with everything called from there */
	char name[64];    /* for programs: "calls", "self_ns", "total_cpu_ns" */
	char heading[64]; /* for people: "calls", "self", "total cpu" */
} monocle__column;

/*
 * The columns in the order of the value types; a value that only counts calls has one, every other a self and a total.
 * NULL: out of memory. The caller frees.
 */
monocle__column *monocle__columns_new (const monocle__profile *profile, size_t *ret_count);

/* The value that a sort order is about. */
size_t monocle__sort_value (const monocle__profile *profile, monocle__sort sort);

/* An amount for people, in its unit: "7,049,155", "1.234 s", "12.5 MiB". */
void monocle__amount_format (int64_t amount, const char *unit, char *buffer, size_t size);

/*
 * A string as JSON, quotes included. Safe inside an HTML <script>: <, >, & and what ends a line in JavaScript are
 * escaped.
 */
void monocle__json_string (FILE *out, const char *text);

/*
 * A name in a row of tab-separated values: what separates is written as \t \n \r \\, other characters that must not be
 * printed as \xNN (below U+0080) or \uNNNN, and so is a first letter that a spreadsheet would act on.
 */
void monocle__tsv_name (FILE *out, const char *name);

#endif

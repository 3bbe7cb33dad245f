/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-report.h - what can be made of coverage: a table, a tree, rows for other programs.
 *
 * Writers write to a stdio stream and do not look at its errors. They answer 0, or -1 when memory is exhausted.
 */
#ifndef MONOCLE_REPORT_COVERAGE_REPORT_H
#define MONOCLE_REPORT_COVERAGE_REPORT_H

#include "coverage.h"

typedef enum {
	MONOCLE__COVERAGE_BY_FILE,
	MONOCLE__COVERAGE_BY_CLASS,
	MONOCLE__COVERAGE_BY_METHOD,
	MONOCLE__COVERAGE_BY_ASSEMBLY,
} monocle__coverage_by;

typedef enum {
	MONOCLE__COVERAGE_SORT_PATH,
	MONOCLE__COVERAGE_SORT_MISSED,  /* the most missed lines first */
	MONOCLE__COVERAGE_SORT_PERCENT, /* the worst first */
} monocle__coverage_sort;

typedef struct {
	const char *title; /* usually the file's name */
	monocle__coverage_by by;
	monocle__coverage_sort sort;
	size_t limit;         /* rows; 0: all */
	bool only_missed;     /* only what has missed lines */
	bool tree;            /* assembly, folder, file, class, method instead of `by` */
	size_t width;         /* text: columns of the terminal; 0: as long as it gets */
	bool colour;          /* text */
	bool blocks;          /* text: bars of block characters, else of # */
	const char *ellipsis; /* text: what replaces what is cut */
} monocle__coverage_report_options;

typedef int monocle__coverage_writer (FILE *out, const monocle__coverage *coverage,
                                      const monocle__coverage_report_options *options);

#define REPORT_FORMAT(name, is_for_people) monocle__coverage_writer monocle__coverage_report_##name;
#include "report-formats.def"
#undef REPORT_FORMAT

/* What --by and --sort take. */
extern const char *const monocle__coverage_by_names[];
extern const char *const monocle__coverage_sort_names[];
extern const size_t monocle__coverage_by_count, monocle__coverage_sort_count;

#endif

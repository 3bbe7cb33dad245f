/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-rows.h - coverage as rows: its files, classes, methods or assemblies, in the order that was asked for.
 */
#ifndef MONOCLE_REPORT_COVERAGE_ROWS_H
#define MONOCLE_REPORT_COVERAGE_ROWS_H

#include "coverage-report.h"

typedef struct {
	const char *name; /* a path, "N.Class", "N.Class:Method (int)", an assembly's name */
	uint32_t index;   /* in files, types, methods or images */
	monocle__coverage_sums sums;
} monocle__coverage_row;

typedef struct {
	monocle__coverage_row *items;
	size_t count, shown; /* those after the first `shown` are beyond the limit */
	char *names;
} monocle__coverage_rows;

/* 0, or -1: out of memory. */
int monocle__coverage_rows_init (monocle__coverage_rows *rows, const monocle__coverage *coverage,
                                 const monocle__coverage_report_options *options);
void monocle__coverage_rows_done (monocle__coverage_rows *rows);

/* The order of two sums; 0: neither is before the other. */
int monocle__coverage_rows_compare (const monocle__coverage_sums *a, const monocle__coverage_sums *b,
                                    monocle__coverage_sort sort);

/* The image that a row is of; NULL: it is a file. */
const monocle__coverage_image *monocle__coverage_rows_image (const monocle__coverage *coverage, monocle__coverage_by by,
                                                             uint32_t index);

/* How many bytes all paths of files begin with: a folder with its slash, 0 when there is none but the root. */
size_t monocle__coverage_rows_folder (const monocle__coverage *coverage);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-ranges.h - the lines that were missed, as ranges.
 *
 * A range goes from a missed line to the last one before a line that was hit: what cannot be covered, as blank lines
 * and comments, does not end it.
 */
#ifndef MONOCLE_REPORT_COVERAGE_RANGES_H
#define MONOCLE_REPORT_COVERAGE_RANGES_H

#include "coverage-report.h"

typedef struct {
	uint32_t file, first, last;
} monocle__coverage_range;

typedef struct {
	monocle__coverage_range *items;
	size_t count, capacity;
	struct monocle__coverage_ranges_line *lines; /* scratch */
	size_t line_count, line_capacity;
} monocle__coverage_ranges;

/* Puts in what a row misses, in place of what was there. Of an assembly: nothing. 0, or -1: out of memory. */
int monocle__coverage_ranges_find (monocle__coverage_ranges *ranges, const monocle__coverage *coverage,
                                   monocle__coverage_by by, uint32_t index);
void monocle__coverage_ranges_done (monocle__coverage_ranges *ranges);

/* "12-15, 20"; with the names of files when there are several: "A.cs:12-15, B.cs:20". */
enum { MONOCLE__COVERAGE_RANGE_SIZE = 512 };
/* The text of one; a name that is too long is cut. */
void monocle__coverage_ranges_format (const monocle__coverage_ranges *ranges, const monocle__coverage *coverage,
                                      size_t i, char buffer[MONOCLE__COVERAGE_RANGE_SIZE]);

#endif

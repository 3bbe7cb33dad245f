/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-diff.h - what is covered now and was not, and the other way round.
 *
 * Where a file is the same on both sides (its hash, or the build of its assembly) lines are compared by number. Else
 * points are, by the names of their class and method and by their place in it, so that lines may have moved. What has
 * nothing on the other side is counted and not compared.
 */
#ifndef MONOCLE_REPORT_COVERAGE_DIFF_H
#define MONOCLE_REPORT_COVERAGE_DIFF_H

#include "coverage.h"

/* A line that is hit on one side only. */
typedef struct {
	uint32_t line;        /* index in the lines after */
	uint32_t file;        /* of it */
	uint32_t line_before; /* index in the lines before */
} monocle__coverage_change;

typedef struct {
	const monocle__coverage *before, *after; /* borrowed */
	monocle__coverage_change *changes;       /* by file and line */
	size_t change_count, change_capacity;
	uint64_t gained, lost;
	uint64_t only_before, only_after; /* lines that were not compared */
} monocle__coverage_diff;

/* Both are settled. 0, or -1: out of memory. */
int monocle__coverage_diff_init (monocle__coverage_diff *diff, const monocle__coverage *before,
                                 const monocle__coverage *after);
void monocle__coverage_diff_done (monocle__coverage_diff *diff);

static inline bool
monocle__coverage_diff_is_gain (const monocle__coverage_diff *diff, const monocle__coverage_change *change)
{
	return diff->after->lines[change->line].hits != 0;
}

typedef struct {
	const char *before, *after; /* names of the files */
	bool colour;                /* text */
} monocle__coverage_diff_options;

typedef void monocle__coverage_diff_writer (FILE *out, const monocle__coverage_diff *diff,
                                            const monocle__coverage_diff_options *options);

#define REPORT_FORMAT(name, is_for_people) monocle__coverage_diff_writer monocle__coverage_diff_##name;
#include "report-formats.def"
#undef REPORT_FORMAT

#endif

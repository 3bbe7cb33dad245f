/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-measure.h - lines, branches, methods, classes: the shares of them; and what a file says is missing.
 */
#ifndef MONOCLE_REPORT_COVERAGE_MEASURE_H
#define MONOCLE_REPORT_COVERAGE_MEASURE_H

#include "coverage.h"

typedef enum {
	MONOCLE__COVERAGE_LINES,
	MONOCLE__COVERAGE_BRANCHES,
	MONOCLE__COVERAGE_METHODS,
	MONOCLE__COVERAGE_CLASSES,
	MONOCLE__COVERAGE_MEASURES
} monocle__coverage_measure;

extern const char *const monocle__coverage_measure_names[];   /* "line" */
extern const char *const monocle__coverage_measure_plurals[]; /* "lines" */

typedef struct {
	uint64_t covered, total;
} monocle__coverage_share;

monocle__coverage_share monocle__coverage_measure_share (const monocle__coverage_sums *sums,
                                                         monocle__coverage_measure measure);

/* Hundredths of a percent, rounded down; 10000 when there is nothing to cover. */
uint32_t monocle__coverage_measure_hundredths (monocle__coverage_share share);

/* The members of a JSON object. A percentage of nothing is null. */
void monocle__coverage_measure_write_json (FILE *out, const monocle__coverage_sums *sums);

/* The kinds of enum monocle__cover_loss, and last one for what this version does not know. */
enum { MONOCLE__COVERAGE_LOSS_KINDS = 6 };

typedef struct {
	const char *name;       /* for programs */
	const char *one, *many; /* what is counted: "method", "methods" */
	const char *what;       /* how the sentence goes on */
} monocle__coverage_loss_words;

extern const monocle__coverage_loss_words monocle__coverage_measure_losses[MONOCLE__COVERAGE_LOSS_KINDS];

/* How much of a kind was lost. */
uint64_t monocle__coverage_measure_lost (const monocle__coverage *coverage, size_t kind);

#endif

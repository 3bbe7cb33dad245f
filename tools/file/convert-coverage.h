/*
 * SPDX-License-Identifier: MIT
 *
 * convert-coverage.h - the part of `monocle convert` that is about coverage.
 */
#ifndef MONOCLE_TOOLS_CONVERT_COVERAGE_H
#define MONOCLE_TOOLS_CONVERT_COVERAGE_H

#include "coverage-format.h"

typedef struct {
	const char *const *paths;
	size_t path_count;  /* at least 1; they are merged; folders stand for what is in them */
	const char *output; /* NULL: it is named after the first path */
	const char *source_root;
	const monocle__coverage_format *format;
	monocle__coverage_options options;
} monocle__convert_coverage_plan;

/* The exit code. */
int monocle__convert_coverage (const monocle__convert_coverage_plan *plan);

#endif

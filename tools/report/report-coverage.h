/*
 * SPDX-License-Identifier: MIT
 *
 * report-coverage.h - what `monocle report` shows of coverage.
 */
#ifndef MONOCLE_TOOLS_REPORT_COVERAGE_H
#define MONOCLE_TOOLS_REPORT_COVERAGE_H

#include "coverage-report.h"
#include "fail-under.h"

typedef struct {
	monocle__coverage_by by;
	monocle__coverage_sort sort;
	size_t format; /* of monocle__report_formats */
	size_t limit;  /* SIZE_MAX: the default */
	bool tree, only_missed;
	const char *annotate; /* NULL: no */
	monocle__coverage_options options;
	monocle__fail_under fail_under;
} monocle__report_coverage_arguments;

/* Reads the files as one. The exit code. */
int monocle__report_coverage (const char *const *paths, size_t count, const monocle__report_coverage_arguments *args);

#endif

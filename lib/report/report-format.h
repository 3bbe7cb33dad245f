/*
 * SPDX-License-Identifier: MIT
 *
 * report-format.h - the formats in which a profile, or the difference of two, is printed, and the orders of its rows.
 */
#ifndef MONOCLE_REPORT_REPORT_FORMAT_H
#define MONOCLE_REPORT_REPORT_FORMAT_H

#include "coverage-diff.h"
#include "coverage-report.h"
#include "diff.h"
#include "report.h"
#include "slow.h"

typedef struct {
	const char *name; /* what --format takes */
	bool is_for_people;
	monocle__report_writer *report;
	monocle__diff_writer *diff;
	monocle__report_writer *slow;
	monocle__coverage_writer *coverage;
	monocle__coverage_diff_writer *coverage_diff;
} monocle__report_format;

extern const monocle__report_format monocle__report_formats[];
extern const size_t monocle__report_format_count;

/* By monocle__sort: what --sort takes. */
extern const char *const monocle__sort_names[];
extern const size_t monocle__sort_count;

#endif

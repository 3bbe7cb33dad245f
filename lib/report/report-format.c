/*
 * SPDX-License-Identifier: MIT
 *
 * report-format.c - see report-format.h and report-formats.def.
 */
#include "report-format.h"

#define REPORT_FORMAT(name, is_for_people) \
	{ #name, \
	  is_for_people, \
	  monocle__report_##name, \
	  monocle__diff_##name, \
	  monocle__slow_##name, \
	  monocle__coverage_report_##name, \
	  monocle__coverage_diff_##name },
const monocle__report_format monocle__report_formats[] = {
#include "report-formats.def"
};
#undef REPORT_FORMAT
const size_t monocle__report_format_count = sizeof monocle__report_formats / sizeof *monocle__report_formats;

const char *const monocle__sort_names[] = {
	[MONOCLE__SORT_SELF] = "self",
	[MONOCLE__SORT_TOTAL] = "total",
	[MONOCLE__SORT_CALLS] = "calls",
};
const size_t monocle__sort_count = sizeof monocle__sort_names / sizeof *monocle__sort_names;

/*
 * SPDX-License-Identifier: MIT
 *
 * diff.h - what grew and what shrank between two profiles.
 */
#ifndef MONOCLE_REPORT_DIFF_H
#define MONOCLE_REPORT_DIFF_H

#include "report.h"

enum { MONOCLE__BEFORE, MONOCLE__AFTER };

/*
 * One profile with the values "before" and "after", of the samples of both. Functions are the same when their names
 * are: the same method may be in words.exe here and in words.dll there. With `normalize` the amounts of `before` are
 * scaled so that its sum is that of `after`. Comments are what views left out of either. NULL: out of memory.
 */
monocle__profile *monocle__diff_new (const monocle__profile *before, size_t before_value, const monocle__profile *after,
                                     size_t after_value, bool normalize);

typedef struct {
	const char *before, *after;             /* what the profiles are called */
	const char *before_value, *after_value; /* which of their values are compared; NULL: nobody says */
	monocle__sort sort;                     /* self or total: the change that rows are ordered by, the larger first */
	size_t limit;                           /* rows; 0: all */
	bool tree;                              /* paths instead of methods */
	bool normalized;
	size_t width; /* text: as in monocle__report_options */
	bool bold;
	const char *ellipsis;
} monocle__diff_options;

/* 0, or -1 when memory is exhausted; `profile` is of monocle__diff_new (). */
typedef int monocle__diff_writer (FILE *out, const monocle__profile *profile, const monocle__diff_options *options);

#define REPORT_FORMAT(name, is_for_people) monocle__diff_writer monocle__diff_##name;
#include "report-formats.def"
#undef REPORT_FORMAT

#endif

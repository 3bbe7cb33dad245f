/*
 * SPDX-License-Identifier: MIT
 *
 * annotate.h - the source of a method with what its lines cost beside them.
 */
#ifndef MONOCLE_REPORT_ANNOTATE_H
#define MONOCLE_REPORT_ANNOTATE_H

#include "report.h"

typedef struct {
	const char *name;           /* what the method is asked for by */
	const char *const *map;     /* "FROM=TO" of paths; these end with a NULL and may be NULL */
	const char *const *folders; /* to look for sources in */
	enum { MONOCLE__ANNOTATE_TEXT, MONOCLE__ANNOTATE_TSV, MONOCLE__ANNOTATE_JSON } format;
	bool bold;
	void (*say) (const char *text); /* gets what is wrong, a line at a time */
} monocle__annotate_options;

/*
 * The methods whose name is that, else whose name ends with it behind a dot, a colon or a slash, else those that have
 * it in them; arguments may be left out. They must be at one place in one source: instances of one generic method are.
 * 0, or -1: something is wrong, which was said.
 */
int monocle__annotate (FILE *out, const monocle__profile *profile, const monocle__annotate_options *options);

#endif

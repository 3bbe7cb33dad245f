/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-html.h - coverage as one HTML file: an overview, and every source with its hits.
 */
#ifndef MONOCLE_REPORT_COVERAGE_HTML_H
#define MONOCLE_REPORT_COVERAGE_HTML_H

#include "coverage.h"

typedef struct {
	const char *title;
	bool no_sources; /* lines and counts only, no text of sources */
} monocle__coverage_html_options;

/*
 * Writes the page. The coverage is settled, and its sources are where its files say. Does not look at the stream's
 * errors: the caller asks ferror () once. 0, or -1 when memory is exhausted.
 */
int monocle__coverage_html (FILE *out, const monocle__coverage *coverage,
                            const monocle__coverage_html_options *options);

#endif

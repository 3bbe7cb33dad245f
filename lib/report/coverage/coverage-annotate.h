/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-annotate.h - a source with what ran beside its lines.
 */
#ifndef MONOCLE_REPORT_COVERAGE_ANNOTATE_H
#define MONOCLE_REPORT_COVERAGE_ANNOTATE_H

#include "coverage-report.h"

/*
 * Of a file all of it; of a class or method its lines, in each file that it has some in. Of the options only `colour`
 * matters. 0, or -1 and one line that begins with the source's name.
 */
int monocle__coverage_annotate (FILE *out, const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index,
                                const monocle__coverage_report_options *options, char *error, size_t error_size);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-format.h - the file formats of other tools for coverage: which there are, and how each is written.
 *
 * Adding a format is a file and a row of coverage-formats.def.
 */
#ifndef MONOCLE_REPORT_COVERAGE_FORMAT_H
#define MONOCLE_REPORT_COVERAGE_FORMAT_H

#include "coverage.h"

#include <stdio.h>

typedef struct {
	const char *title;       /* what the coverage is called, usually its file name */
	const char *source_root; /* absolute: the folder that files are named from; NULL: none */
} monocle__coverage_convert_options;

/* Of a settled coverage. 0, or -1 without memory; the stream's errors are the caller's. */
typedef int monocle__coverage_converter (FILE *out, const monocle__coverage *coverage,
                                         const monocle__coverage_convert_options *options);

typedef struct {
	const char *name;      /* what --to takes */
	const char *extension; /* for a file without a given name */
	const char *help;      /* one line */
	monocle__coverage_converter *write;
} monocle__coverage_format;

extern const monocle__coverage_format monocle__coverage_formats[];
extern const size_t monocle__coverage_format_count;

#define COVERAGE_FORMAT(name, extension, help) monocle__coverage_converter monocle__coverage_##name##_convert;
#include "coverage-formats.def"
#undef COVERAGE_FORMAT

/* Most readers have 32 bits for hits. */
static inline uint64_t
monocle__coverage_format_hits (uint64_t hits)
{
	return hits < INT32_MAX ? hits : INT32_MAX;
}

#endif

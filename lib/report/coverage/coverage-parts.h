/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-parts.h - coverage as most formats cut it: what one class has in one source file.
 *
 * Each line of a file is in exactly one part, that of the method which the line belongs to. A method's own lines are
 * those that its points have a say about: several methods may share one, and each has it with its own hits.
 */
#ifndef MONOCLE_REPORT_COVERAGE_PARTS_H
#define MONOCLE_REPORT_COVERAGE_PARTS_H

#include "coverage.h"

/* A line as one method has it. */
typedef struct {
	uint32_t file, line;         /* in the coverage's files and lines */
	uint32_t method;             /* in the coverage's methods */
	uint32_t points, points_hit; /* that begin there */
	uint64_t hits;
} monocle__coverage_own_line;

/* What a method has in one file. */
typedef struct {
	uint32_t method;                 /* in the coverage's methods */
	uint32_t line;                   /* its first one there, in the coverage's lines */
	uint32_t first_line, line_count; /* in own_lines, ascending */
} monocle__coverage_part_method;

typedef struct {
	uint32_t type, file;
	uint32_t first_method, method_count; /* in methods, in the order of their first lines */
	uint32_t first_line, line_count;     /* in lines */
} monocle__coverage_part;

typedef struct {
	const monocle__coverage *coverage;
	monocle__coverage_part *parts; /* by type, then by file */
	size_t count, capacity;
	monocle__coverage_part_method *methods;
	size_t method_count, method_capacity;
	monocle__coverage_own_line *own_lines;
	size_t own_line_count, own_line_capacity;
	uint32_t *lines; /* indexes into the coverage's lines, ascending within a part */
	size_t line_count, line_capacity;
	uint32_t *complexity; /* by the coverage's methods: 1, and for each branch one less than its arms */
} monocle__coverage_parts;

/* Of a settled coverage, which outlives it. NULL: out of memory. */
monocle__coverage_parts *monocle__coverage_parts_new (const monocle__coverage *coverage);
void monocle__coverage_parts_free (monocle__coverage_parts *parts);

/* Does the line belong to a method of that type? */
bool monocle__coverage_parts_owns (const monocle__coverage_parts *parts, uint32_t type, uint32_t line);
/* Sums of `count` parts from that one on. A class counts once for each of its files, and so do its methods. */
typedef struct {
	monocle__coverage_sums sums;
	uint64_t complexity;
} monocle__coverage_part_sums;

monocle__coverage_part_sums monocle__coverage_parts_sum (const monocle__coverage_parts *parts, size_t first,
                                                         size_t count);

/* Where the parameters begin in "Add (int,int)": at the parenthesis, or the end. The name ends one blank before. */
const char *monocle__coverage_part_signature (const char *method, size_t *ret_name_length);

#endif

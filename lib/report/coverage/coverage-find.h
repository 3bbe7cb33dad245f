/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-find.h - the file, class or method that a person means.
 */
#ifndef MONOCLE_REPORT_COVERAGE_FIND_H
#define MONOCLE_REPORT_COVERAGE_FIND_H

#include "coverage-report.h"

typedef struct {
	monocle__coverage_by by; /* not an assembly */
	uint32_t *items;
	size_t count, capacity;
	bool is_exact;
} monocle__coverage_found;

/*
 * What has that name: files before classes before methods, and who has it as a whole before those that end with it: a
 * path after a slash, a name of a class or method after a dot. Blanks do not matter, nor do the parameters of a method
 * and of a generic class where `name` has none. 0, or -1: out of memory. The caller frees `items`.
 */
int monocle__coverage_find (const monocle__coverage *coverage, const char *name, monocle__coverage_found *ret_found);

#endif

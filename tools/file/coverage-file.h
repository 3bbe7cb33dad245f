/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-file.h - opening what a user names as coverage, known by its content.
 */
#ifndef MONOCLE_TOOLS_COVERAGE_FILE_H
#define MONOCLE_TOOLS_COVERAGE_FILE_H

#include "coverage.h"

/* Is that a file that begins as coverage does? */
bool monocle__coverage_file_is (const char *path);

/* Reads what is used of the file that is open. 0, or -1 after one line on stderr; the caller frees. */
int monocle__coverage_file_read (const char *path, int fd, char **ret_data, size_t *ret_size);

/* What is made of that path is called so: without slashes at the end, and not by dots alone. The caller frees. */
char *monocle__coverage_file_name (const char *path);

/*
 * Adds the file at `path`, or each NAME.mcov in the folder at `path`. A running process that keeps counters elsewhere
 * is asked for them first. 0, or -1 after one line on stderr.
 */
int monocle__coverage_file_add (monocle__coverage *coverage, const char *path);

/* All of them as one, settled. 0, or -1 after one line on stderr; the caller frees the result. */
int monocle__coverage_file_open (const char *const *paths, size_t count, const monocle__coverage_options *options,
                                 monocle__coverage **ret_coverage);

#endif

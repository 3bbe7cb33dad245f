/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-roots.h - the source files of a coverage as other tools want them named: a folder, and a name in it.
 *
 * Files in the source root, where one is given, are named from there; so are those whose symbols say /_/, which is what
 * deterministic builds write for the folder of the repository. Of all others the folder is the deepest one that holds
 * all their like: of names that begin with a slash, with /_/ or /_1/, with a drive, with a server. Names that are
 * relative in the symbols have no folder.
 */
#ifndef MONOCLE_REPORT_COVERAGE_ROOTS_H
#define MONOCLE_REPORT_COVERAGE_ROOTS_H

#include "coverage.h"

typedef struct {
	uint32_t folder;  /* in folders; MONOCLE__COVERAGE_NONE: no folder */
	const char *name; /* without a slash at the beginning; a part of the file's path */
} monocle__coverage_rooted;

typedef struct {
	const monocle__coverage *coverage;
	char **folders; /* without a slash at the end unless that is all */
	size_t folder_count;
	bool has_source_root;            /* folders[0] is the one that was given */
	monocle__coverage_rooted *files; /* by file */
} monocle__coverage_roots;

/* `source_root`: absolute, may end with a slash, may be NULL. NULL: out of memory. The coverage outlives it. */
monocle__coverage_roots *monocle__coverage_roots_new (const monocle__coverage *coverage, const char *source_root);
void monocle__coverage_roots_free (monocle__coverage_roots *roots);

/* The name in the source root, or the whole path of what is not there. Borrowed. */
const char *monocle__coverage_roots_short (const monocle__coverage_roots *roots, uint32_t file);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * run-coverage.h - the coverage of one `monocle run`: what its processes left becomes one file.
 */
#ifndef MONOCLE_TOOLS_RUN_COVERAGE_H
#define MONOCLE_TOOLS_RUN_COVERAGE_H

#include "file/run-folder.h"
#include "module/layout.h"
#include "run-snapshots.h"

typedef struct {
	const char *output; /* -o, when it is meant for coverage; NULL: a name is chosen in the current folder */
	char *const *command;
	const monocle__layout *layout;
	const monocle__run_snapshots *snapshots; /* parts of the whole that were taken before; NULL: none */
	bool quiet;
} monocle__run_coverage_wishes;

/* Does a profile of the folder have coverage? */
bool monocle__run_coverage_is_there (const monocle__run_folder *folder);
/*
 * Adds up what the processes left. Files that were collected in the folder become one, and are removed unless
 * something still needs them; files that the user named stay as they are. Prints sums and what was written on stderr.
 * Before monocle__run_folder_remove ().
 */
void monocle__run_coverage_end (monocle__run_folder *folder, const monocle__run_coverage_wishes *wishes);

#endif

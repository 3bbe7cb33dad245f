/*
 * SPDX-License-Identifier: MIT
 *
 * run-merge.h - the profiles that a run has collected, as one file.
 */
#ifndef MONOCLE_TOOLS_RUN_MERGE_H
#define MONOCLE_TOOLS_RUN_MERGE_H

#include "file/run-folder.h"

/* The profile is all that is to be put where -o says. Is there something to add up, two or more? */
bool monocle__run_merge_is_needed (const monocle__run_folder *folder);
/*
 * Writes the sum of what was collected to `output`; it is one profile of the folder then, in the place of the first.
 * What cannot be read or written stays, and a line says where.
 */
void monocle__run_merge (monocle__run_folder *folder, const char *output);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * run-lines.h - after a run: sources and lines go into the profiles that the processes have written.
 */
#ifndef MONOCLE_TOOLS_RUN_LINES_H
#define MONOCLE_TOOLS_RUN_LINES_H

#include "file/run-folder.h"

/*
 * Writes each profile of the run again, with the lines that its images' symbols tell; one about which they tell nothing
 * stays as it is, and so does one that is no plain file of this user. What cannot be used is said.
 */
void monocle__run_lines_find (const monocle__run_folder *folder);

#endif

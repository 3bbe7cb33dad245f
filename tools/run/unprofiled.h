/*
 * SPDX-License-Identifier: MIT
 *
 * unprofiled.h - why a .NET or Mono process of a run was not profiled, and what to do.
 */
#ifndef MONOCLE_TOOLS_UNPROFILED_H
#define MONOCLE_TOOLS_UNPROFILED_H

#include "run-watch.h"

/*
 * Says it on stderr: a line for each reason, with one process as an example and the number of the others. `command` is
 * the process of the command itself, of which more is known from its file: where it is certain of no reason it is left
 * out. How many lines.
 */
size_t monocle__unprofiled_say (const monocle__run_seen *seen, size_t count, const monocle__run_folder *folder,
                                pid_t command);

/* Is there a .NET runtime among them in this process? */
bool monocle__unprofiled_has (const monocle__run_seen *seen, size_t count, pid_t pid);
/* Is there a program among them that embeds Mono? */
bool monocle__unprofiled_embeds (const monocle__run_seen *seen, size_t count);

#endif

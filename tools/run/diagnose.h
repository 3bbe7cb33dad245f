/*
 * SPDX-License-Identifier: MIT
 *
 * diagnose.h - why there is no profile, as far as can be told from outside.
 */
#ifndef MONOCLE_TOOLS_DIAGNOSE_H
#define MONOCLE_TOOLS_DIAGNOSE_H

#include "environ.h"
#include "file/run-folder.h"

/*
 * Says on stderr what kept the program from being profiled. `exit_code` and `signalled` are what
 * monocle__child_run () answered; `expected`: one of the modules leaves a profile whenever it runs.
 */
void monocle__diagnose (char *const *argv, int exit_code, bool signalled, const monocle__run_folder *folder,
                        const monocle__environ_state *state, const monocle__environ_wishes *wishes, bool expected);

/*
 * What will keep the program from being profiled, as far as its file and the environment tell; NULL: nothing. The
 * caller frees.
 */
char *monocle__diagnose_file (const char *name, const monocle__environ_state *state, const monocle__layout *layout);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * diagnose.h - why there is no profile, as far as can be told from outside.
 */
#ifndef MONOCLE_TOOLS_DIAGNOSE_H
#define MONOCLE_TOOLS_DIAGNOSE_H

#include "environ.h"
#include "file/run-folder.h"

/* What is known of the command's own process. */
typedef struct {
	int exit_code; /* as monocle__child_run () answered */
	bool signalled;
	bool was_runtime_seen; /* of .NET, which had nothing to tell */
	bool was_mono_seen;    /* in a program that embeds it, this process or one below it */
} monocle__diagnose_end;

/*
 * Says on stderr what kept the program from being profiled. `expected`: one of the modules leaves a profile whenever it
 * runs.
 */
void monocle__diagnose (char *const *argv, const monocle__diagnose_end *end, const monocle__run_folder *folder,
                        const monocle__environ_state *state, const monocle__environ_wishes *wishes, bool expected);

/*
 * What `monocle run` will do with the program, as far as its file and the environment tell; *ret_is_good: something
 * will be profiled. The caller frees.
 */
char *monocle__diagnose_file (const char *name, const monocle__environ_state *state, const monocle__layout *layout,
                              bool *ret_is_good);

#endif

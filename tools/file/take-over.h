/*
 * SPDX-License-Identifier: MIT
 *
 * take-over.h - the folder of a run whose process is another user's.
 */
#ifndef MONOCLE_TOOLS_TAKE_OVER_H
#define MONOCLE_TOOLS_TAKE_OVER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * A file that the process of `user` has put into the folder of its run: -1, unless it is a plain file of that user's,
 * or of the caller's. No link is followed, and nothing is waited for. The caller closes.
 */
int monocle__take_over_open (int folder, const char *name, uid_t user);

/*
 * Makes a folder of `user` the caller's, who is root, and each plain file of that user's in it a copy that nobody else
 * can change; the rest is removed. Plans of spools are, too: they name files that their user may not write. Nothing is
 * done where the folder is the caller's. False after one line.
 */
bool monocle__take_over (const char *folder, uid_t user);

#endif

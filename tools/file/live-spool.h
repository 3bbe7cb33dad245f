/*
 * SPDX-License-Identifier: MIT
 *
 * live-spool.h - the spool that a running process writes, by the process's number.
 */
#ifndef MONOCLE_TOOLS_LIVE_SPOOL_H
#define MONOCLE_TOOLS_LIVE_SPOOL_H

#include <stdbool.h>

/* Is it a process's number, and no file's name? */
bool monocle__live_spool_is_pid (const char *word);
/*
 * The path of what the process, or else one that it has started, writes; where there are several, a line names them.
 * NULL after one line on stderr. The caller frees.
 */
char *monocle__live_spool_find (const char *pid);

#endif

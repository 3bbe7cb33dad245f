/*
 * SPDX-License-Identifier: MIT
 *
 * run-family.h - the processes that a command leaves behind when it ends: they have the folder of its run in their
 * environment.
 */
#ifndef MONOCLE_TOOLS_RUN_FAMILY_H
#define MONOCLE_TOOLS_RUN_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Those that live, of the users whose environments the caller may read, without the caller. A process that was forked a
 * moment ago has the environment of its parent. The caller frees; NULL: there are none.
 */
pid_t *monocle__run_family_find (const char *folder, size_t *ret_count);
/* Is the folder in the environment of this one? */
bool monocle__run_family_has (pid_t pid, const char *folder);
/* How long the process has lived, in milliseconds; one that has gone is old. */
unsigned long long monocle__run_family_age (pid_t pid);

#endif

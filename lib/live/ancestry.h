/*
 * SPDX-License-Identifier: MIT
 *
 * ancestry.h - which process started which.
 */
#ifndef MONOCLE_LIVE_ANCESTRY_H
#define MONOCLE_LIVE_ANCESTRY_H

#include <stdbool.h>
#include <sys/types.h>

/* Did `ancestor` start it, or a process that did? One whose parent has ended belongs to another. */
bool monocle__live_ancestry_is_below (pid_t pid, pid_t ancestor);

#endif

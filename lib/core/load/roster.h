/*
 * SPDX-License-Identifier: MIT
 *
 * roster.h - which modules were started, for the one line that says so (MONOCLE_LOG_LEVEL=info).
 */
#ifndef MONOCLE_LOAD_ROSTER_H
#define MONOCLE_LOAD_ROSTER_H

#include <stdbool.h>

/* A module runs; `code` is in its file. Normal context, any thread. */
void monocle__roster_add (const char *name, void *code);
/* Calls `each` for every module that was added, in that order. No module is added meanwhile. */
void monocle__roster_each (void (*each) (void *data, const char *name), void *data);
bool monocle__roster_is_empty (void);
/* The module is gone. */
void monocle__roster_remove (const char *name);
/* All of them are. */
void monocle__roster_forget (void);
/*
 * Says the line about those that were added, to the runtime of this name. One that is added later has a line of its
 * own. Normal context.
 */
void monocle__roster_say (const char *name);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * roster.h - which modules were started, for the one line that says so (MONOCLE_LOG_LEVEL=info).
 */
#ifndef MONOCLE_LOAD_ROSTER_H
#define MONOCLE_LOAD_ROSTER_H

/* A module runs; `code` is in its file. Normal context, any thread. */
void monocle__roster_add (const char *name, void *code);
/*
 * Says the line about those that were added, to the runtime of this name. One that is added later has a line of its
 * own. Normal context.
 */
void monocle__roster_say (const char *name);

#endif

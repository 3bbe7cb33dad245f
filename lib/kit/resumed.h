/*
 * SPDX-License-Identifier: MIT
 *
 * resumed.h - where an async method is resumed on a stack, which is no call.
 *
 * A method that ends resumes who awaits it, on its own stack:
 *
 *      A thread's stack:   Dispatch  box  Inner  SetResult  ...  box  Outer  ...
 *      Two paths:          Dispatch  box  Inner  SetResult  ...
 *                          Dispatch  box  Outer  ...
 *
 * So a path goes on, where Outer is resumed, below what resumed Inner: nothing that Outer does is Inner's cost. Where
 * only the program's own methods are known, Outer below Inner is resumed, and below its own method it begins.
 */
#ifndef MONOCLE_KIT_RESUMED_H
#define MONOCLE_KIT_RESUMED_H

#include "call-paths.h"

struct monocle__resumed_path;

struct monocle__resumed {
	const struct monocle__call_paths *paths; /* that are being made */
	uint8_t *kinds;                          /* by function */
	struct monocle__resumed_path *known;     /* by path */
	uint32_t room;
};

/* When the functions have their numbers. false: no memory. */
bool monocle__resumed_init (struct monocle__resumed *resumed, const struct monocle__call_paths *paths);
void monocle__resumed_done (struct monocle__resumed *resumed);

/* Before all paths: a call of `function` by `caller`. It may tell that the function is an async method's. */
void monocle__resumed_see_call (struct monocle__resumed *resumed, uint32_t caller, uint32_t function);

/* Below which path a frame goes that a thread has below `parent`, NONE at the top: the same, or one further out. */
uint32_t monocle__resumed_parent (const struct monocle__resumed *resumed, uint32_t parent, uint32_t function);

/* A path that is new. false: no memory. */
bool monocle__resumed_add (struct monocle__resumed *resumed, uint32_t path);

#endif

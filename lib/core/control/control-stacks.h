/*
 * SPDX-License-Identifier: MIT
 *
 * control-stacks.h - the library that writes the stacks of all threads (monocle/stacks.h).
 */
#ifndef MONOCLE_CONTROL_STACKS_H
#define MONOCLE_CONTROL_STACKS_H

#include <stdbool.h>
#include <monocle/stacks.h>

/* Reads MONOCLE_MODULE_PATH, while no other thread changes the environment. */
void monocle__control_stacks_begin (void);
/*
 * Has the stacks written by the library of the module `sample`: the one that is in the process, else the first in
 * MONOCLE_MODULE_PATH, in `folders`, which end with NULL, or where the dynamic linker looks. NULL, or why there are
 * none. On the thread of commands.
 */
const char *monocle__control_stacks_take (const MonocleStacks *request, const char *const *folders);

/*
 * From now on nothing is under way, nor begun, until it is let go again, by the same thread. What is under way is told
 * to end, and waited for, two seconds at most. Idempotent. Normal context.
 */
void monocle__control_stacks_hold (bool hold);
/* Does a thread want to hold it, or does it? Any context. */
bool monocle__control_stacks_is_wanted (void);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * beside.h - another profiler is the main one of this process, and we are a notification profiler.
 */
#ifndef MONOCLE_CLR_BESIDE_H
#define MONOCLE_CLR_BESIDE_H

#include <stdbool.h>
#include "state.h"

/* Has the main profiler that the environment names been loaded, and is it another? Before Initialize. */
bool monocle__beside_another (void);
/*
 * One line that `what` cannot be had, because only the main profiler may `do_what`; said once per `*told`. Any context.
 */
void monocle__beside_refuse (const char *what, const char *do_what, atomic_bool *told);

#define MONOCLE__BESIDE_REWRITE "rewrite methods"
#define MONOCLE__BESIDE_ROOTS   "ask for roots"

#endif

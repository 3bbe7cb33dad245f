/*
 * SPDX-License-Identifier: MIT
 *
 * per-thread.h - for formats that have a track per thread: each thread's tree after the other.
 */
#ifndef MONOCLE_REPORT_PER_THREAD_H
#define MONOCLE_REPORT_PER_THREAD_H

#include "tree.h"

/*
 * Calls `write` with the tree of each thread, sorted by name; with the whole tree and the name "" when no sample has a
 * thread. `number` counts from 0. 0, or -1 without memory.
 */
int monocle__per_thread (const monocle__profile *profile,
                         void (*write) (const monocle__tree *tree, const char *name, size_t number, void *context),
                         void *context);

#endif

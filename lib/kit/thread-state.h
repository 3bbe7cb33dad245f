/*
 * SPDX-License-Identifier: MIT
 *
 * thread-state.h - what a thread did when its stack was taken, in words.
 */
#ifndef MONOCLE_KIT_THREAD_STATE_H
#define MONOCLE_KIT_THREAD_STATE_H

#include "call-paths.h"

/* Is it one of MONOCLE_KIT_FRAME_RUNNING and its like? */
bool monocle__thread_state_is_key (uint64_t key);

/* The path's label has a state: what it comes to with these frames. */
const char *monocle__thread_state_words (const struct monocle__call_paths *paths, const struct monocle__path *path);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * refusal.h - whether a profiler can be attached to a process, as far as it can be told without asking it.
 */
#ifndef MONOCLE_LIVE_REFUSAL_H
#define MONOCLE_LIVE_REFUSAL_H

#include "process.h"

/* Is there a reason why not? Then `ret_reason` is a few words: "another user's", "diagnostics off (NAME=0)". */
bool monocle__live_refusal (const monocle__live_process *process, char *ret_reason, size_t size);

#endif

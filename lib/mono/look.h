/*
 * SPDX-License-Identifier: MIT
 *
 * look.h - the stacks of all threads of Mono, once, whatever modules are there.
 */
#ifndef MONOCLE_MONO_LOOK_H
#define MONOCLE_MONO_LOOK_H

#include <signal.h>
#include <stdbool.h>
#include <monocle/stacks.h>

/* Before Mono starts, when its sampler has been asked for (lending.h). False: this Mono lacks something. */
bool monocle__look_begin (void);
/* As monocle__control_host's `stacks`. */
const char *monocle__look_take (MonocleStacks *request);

/* Async-safe. Is the hit that is being told on the calling thread a look's? Then it is nobody else's. */
bool monocle__look_is_here (void);
/* For another handler of SIGURG: was it sent by a look? Then it is answered by now. */
bool monocle__look_answer (const siginfo_t *info, void *context);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * sample.h - what the module `sample` is made of.
 */
#ifndef MONOCLE_MODULES_SAMPLE_H
#define MONOCLE_MODULES_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- cost.c: what a thread has used since it was looked at last --------------------------------------------------- */

enum cost_kind { COST_CPU, COST_WALL };

/* `period`: nanoseconds between samples. `sleepers`: the runtime hits threads that do nothing. Init. */
void cost_init (enum cost_kind kind, uint64_t period, bool sleepers);
/* What is in no sample because it was the cost of hitting sleepers, in nanoseconds. Async-safe. */
uint64_t cost_left_out (void);
/* The calling thread is counted from now on. Any context. */
void cost_begin (void);
/*
 * What the calling thread has used since its last sample, in nanoseconds; 0: too little for a sample, it will be in the
 * next one. Followed by cost_done (), which takes the work in between out of the next weight. Async-safe.
 */
uint64_t cost_take (void);
void cost_done (void);
/* The calling thread ends: all that is in no sample yet. 0 in wall mode. */
uint64_t cost_rest (void);
/* The thread that pthread_self () calls `thread` has ended. Any context. */
void cost_end (uintptr_t thread);

/* --- name.c: how code is called in the profile -------------------------------------------------------------------- */

/* Shows `Program/<Main>d__0:MoveNext ()` as it is. Init. */
void name_init (bool raw);
/* resolve and name of monocle_kit_stacks_config. */
void *name_resolve (void *data, uintptr_t address);
size_t name_of (void *key, char *buffer, size_t size);

#endif

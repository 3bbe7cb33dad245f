/*
 * SPDX-License-Identifier: MIT
 *
 * collector.h - collections and finalisation: what the runtime's events say of them, one function each. No call may
 * make the runtime wait.
 */
#ifndef MONOCLE_CLR_COLLECTOR_H
#define MONOCLE_CLR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include "thread-memory.h"

void monocle__collector_stopping (uint32_t reason);
void monocle__collector_start (uint32_t number, uint32_t generation, uint32_t type);
void monocle__collector_end (uint32_t number, uint32_t generation);
void monocle__collector_size (uint64_t size);
void monocle__collector_starting_world (void);
void monocle__collector_started_world (void);
/*
 * Says something that one of the collector's threads does in the middle of a collection: where they have a voice, it is
 * the voice's to say, since modules have taken locks on it.
 */
void monocle__collector_say (void (*say) (void *data), void *data);
/* Is this the thread that says so just now? */
bool monocle__collector_is_starting_world (void);
/* Is a collection in the background certainly not under way? */
bool monocle__collector_is_alone (void);
/* Events were or may have been missed. */
void monocle__collector_lose_track (void);
/* No event comes any more, until a next attach: what was under way is not known to have ended. */
void monocle__collector_leave (void);

/*
 * A collection of all generations after the runtime's events have ended: it begins, it ends with the world still
 * stopped, the world runs again. The first is false, and nothing is told, if the events have not ended.
 */
bool monocle__collector_last_start (void);
void monocle__collector_last_end (void);
void monocle__collector_last_started_world (void);

/*
 * No collection begins from now on until monocle__collector_let_go (). False: that cannot be had, and nothing is to be
 * let go. Where the runtime does not wait for the calling thread anyway; not twice.
 */
bool monocle__collector_hold (void);
void monocle__collector_let_go (void);

void monocle__collector_finalizer_begin (void);
void monocle__collector_finalizer_object (MonoObject *object);
void monocle__collector_finalizer_end (void);

void monocle__collector_remember (monocle__stand_in *place, MonoObject *object);
/* NULL: nothing was remembered, or it was taken back already. */
MonoObject *monocle__collector_take_back (monocle__stand_in *place);

#endif

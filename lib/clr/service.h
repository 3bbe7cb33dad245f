/*
 * SPDX-License-Identifier: MIT
 *
 * service.h - a thread that asks the runtime what other threads must not.
 */
#ifndef MONOCLE_CLR_SERVICE_H
#define MONOCLE_CLR_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the thread; without it nothing is run. Inside Initialize, or InitializeForAttach. */
void monocle__service_begin (void);
/*
 * Runs `work` over a copy of `data` on a thread that the runtime does not know, and copies it back. Waits so long at
 * most; 0: not at all, any context; UINT_MAX: until it is done, whatever was asked before. False: it is not done (yet),
 * `data` is as it was. A caller that waits is not in a signal handler.
 */
bool monocle__service_run (void (*work) (void *data), void *data, size_t size, unsigned milliseconds);
/* Runs it some time, over a copy of `data`; nobody waits. False: it will not be run. Any context. */
bool monocle__service_post (void (*work) (void *data), const void *data, size_t size);
/* Is the caller the service, or does it work apart for it? */
bool monocle__service_is_self (void);
/*
 * On the service thread: runs what makes a thread one of the runtime's own, as a collection does, on a thread that ends
 * with it, since the runtime answers such a thread next to nothing. On that thread itself, or where none can be made,
 * it runs here.
 */
void monocle__service_run_apart (void (*work) (void));
/* What it does each time that it is woken; there is one. */
void monocle__service_set_chore (void (*work) (void));
/* False: there is no service (any more). Any context. */
bool monocle__service_wake (void);
/* From now on nothing is run: the runtime is going. */
void monocle__service_end (void);
/* And its thread ends; monocle__service_begin () may make one again, after the other. Not on that thread. */
void monocle__service_leave (void);
void monocle__service_forget (void);
bool monocle__service_is_over (void);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * wants.h - what the runtime is asked for, by what modules listen to.
 */
#ifndef MONOCLE_CLR_WANTS_H
#define MONOCLE_CLR_WANTS_H

#include <stdbool.h>
#include <monocle/host.h>

/* Inside Initialize: the first mask and the first session. False: the runtime refuses even the least; it was logged. */
bool monocle__wants_begin (void);
/* Inside InitializeForAttach: the least; monocle__wants_update () asks for the rest. */
bool monocle__wants_begin_attached (void);
/* Nothing is wanted any more, nor was anything refused. Normal context. */
void monocle__wants_end (void);
/* What comes of an event: the host operation. */
MonocleSupport monocle__wants_support (void *host, monocle_event event);
/* Does each collection tell of its roots by itself? */
bool monocle__wants_all_roots (void);
/* Something more is wanted. Any context. */
void monocle__wants_update (void);
/*
 * From now on the runtime announces no exceptions: this one ends the process, and it would die of announcing how.
 * Callbacks.
 */
void monocle__wants_no_exceptions (void);

#endif

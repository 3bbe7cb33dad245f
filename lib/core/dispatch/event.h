/*
 * SPDX-License-Identifier: MIT
 *
 * event.h - what the host's life means for callbacks and their counts.
 */
#ifndef MONOCLE_DISPATCH_EVENT_H
#define MONOCLE_DISPATCH_EVENT_H

#include "handle.h"

/* Shows or hides the listener counts, as monocle__host_delivering () says. */
void monocle__event_publish (void);
/* Tells a host that has just been registered what was wanted before it came. */
void monocle__event_announce (void);
void monocle__event_clear (monocle__handle *handle);
/*
 * The core's own handle, which no list has. It is for assembly_loaded and runtime_shutdown_end only, and is told these
 * before any module is.
 */
MonoProfilerHandle monocle__event_own (void);
/*
 * What is done before a module is told of an event, once, and only if one is: `callback` has the type of the event's
 * own. For the events of event.c's is_prepared ().
 */
void monocle__event_prepare (monocle_event event, void *callback);

#endif

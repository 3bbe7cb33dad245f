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

#endif

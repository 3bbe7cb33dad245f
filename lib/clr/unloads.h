/*
 * SPDX-License-Identifier: MIT
 *
 * unloads.h - what is about to be unloaded waits while somebody asks the runtime about it.
 *
 * An id is an address. The runtime gives lists of them, and goes through some of its own for us, and minds neither that
 * what stands on a list goes before its turn. It announces that it goes: that callback waits here.
 */
#ifndef MONOCLE_CLR_UNLOADS_H
#define MONOCLE_CLR_UNLOADS_H

/* Nothing goes from then on, but what was let go before; as often as _release () will be called. Any thread. */
void monocle__unloads_hold (void);
void monocle__unloads_release (void);
/* In a callback that announces an unload: until nobody holds any more. Not on a thread that holds. */
void monocle__unloads_await (void);

#endif

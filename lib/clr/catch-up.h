/*
 * SPDX-License-Identifier: MIT
 *
 * catch-up.h - after an attach the runtime is asked about what was there before us. What stands on one of its lists may
 * go before we come to it, and its id is an address. The runtime announces that it goes: that callback waits here.
 */
#ifndef MONOCLE_CLR_CATCH_UP_H
#define MONOCLE_CLR_CATCH_UP_H

#include <stdbool.h>

/* Before the runtime tells anything. */
void monocle__catch_up_begin (void);
/* All has been asked about, or will not be. Idempotent. Any thread. */
void monocle__catch_up_end (void);
/* Any context. */
bool monocle__catch_up_is_on (void);
/* In a callback that announces an unload: until nobody asks any more. Not on a thread that asks. */
void monocle__catch_up_await (void);

#endif

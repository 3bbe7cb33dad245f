/*
 * SPDX-License-Identifier: MIT
 *
 * eventpipe.h - sessions of the runtime's event provider.
 */
#ifndef MONOCLE_CLR_EVENTPIPE_H
#define MONOCLE_CLR_EVENTPIPE_H

#include <stdbool.h>
#include <stdint.h>

/* Are events with these keywords, at this level, not being delivered though they could be? Any context. */
bool monocle__eventpipe_lacks (uint64_t keywords, uint32_t level);
/* Ends the session. On a thread of ours, when there is no service any more. */
void monocle__eventpipe_end (void);
void monocle__eventpipe_ask (uint64_t keywords, uint32_t level);

#endif

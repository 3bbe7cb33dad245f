/*
 * SPDX-License-Identifier: MIT
 *
 * voice.h - where the collector has threads of its own, one of ours reports all that it does.
 */
#ifndef MONOCLE_CLR_VOICE_H
#define MONOCLE_CLR_VOICE_H

#include <stdbool.h>

/*
 * Has the voice say something and waits. Says it at once where there is no such collector, and on that very thread. Any
 * thread; not from a signal handler.
 */
void monocle__voice_say (void (*say) (void *data), void *data);
/* Makes it, once. While the world runs. */
void monocle__voice_begin (void);
/* Ends it, where nobody has anything to say any more. */
void monocle__voice_leave (void);
bool monocle__voice_is_made (void);
bool monocle__voice_is_self (void);

#endif

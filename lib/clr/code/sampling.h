/*
 * SPDX-License-Identifier: MIT
 *
 * sampling.h - what CoreCLR needs so that its threads can be interrupted by the core's sampler.
 */
#ifndef MONOCLE_CLR_SAMPLING_H
#define MONOCLE_CLR_SAMPLING_H

#include <stdbool.h>

/* A module asks for it, in the init window: sees to it that threads can be interrupted. */
bool monocle__sampling_grant (void);
/* Takes that back, when there are no more samples. */
void monocle__sampling_leave (void);
/* On a thread that begins. */
void monocle__sampling_thread_began (void);
/* On a thread that has thrown: from now on it can be interrupted again. */
void monocle__sampling_thrown (void);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * mono-signal.h - what can be told of Mono's signals from inside of a handler. Async-safe.
 */
#ifndef MONOCLE_BASE_MONO_SIGNAL_H
#define MONOCLE_BASE_MONO_SIGNAL_H

#include <stdbool.h>

/*
 * Mono's sampler takes the first real-time signal that is free. In its handler, given the context, this is the one that
 * is blocked and was not before; 0: there are more.
 */
int monocle__mono_signal_under_way (const void *context);

/*
 * Is Mono's crash reporter at work? It is known by the first thing that it does, before it walks: it gives up Mono's
 * handlers of SIGABRT, SIGILL and SIGQUIT. One system call as long as all is well.
 */
bool monocle__mono_signal_is_crashing (void);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * thread.h - managed threads.
 */
#ifndef MONOCLE_CLR_THREAD_H
#define MONOCLE_CLR_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include "corprof.h"

/*
 * The pthread_t of a thread of the runtime, 0: it does not run (any more). Takes a leaf lock; not from a signal
 * handler.
 */
uintptr_t monocle__clr_thread_tid (ThreadID id);
/* After an attach: the threads that are there, with their events, as if they came now. On the thread that attaches. */
void monocle__threads_catch_up (void);
/*
 * Asks those again that have not answered then. True: there are none any more. One thread at a time, and none while
 * threads are caught up with.
 */
bool monocle__threads_ask_silent (uint32_t milliseconds);
/* The adapter leaves, and will not hear of their ends. No other thread is in the adapter. */
void monocle__threads_leave (void);

#endif

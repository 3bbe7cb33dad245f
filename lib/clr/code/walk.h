/*
 * SPDX-License-Identifier: MIT
 *
 * walk.h - the stack of an interrupted thread, frame by frame, without asking the runtime.
 */
#ifndef MONOCLE_CLR_WALK_H
#define MONOCLE_CLR_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>
#include <monocle/host.h>

/*
 * Visits the frames of the calling thread from the one that `context` shows, innermost first. Async-safe: `context` is
 * what the handler was given that runs now, or what getcontext () filled in. A frame's `ip` is the interrupted address
 * in the first frame (and where a signal interrupted an outer one), else a return address. Frames of native code are
 * shown with MONOCLE_WALK_NATIVE only; stubs of the runtime always, as MONOCLE_FRAME_STUB. Managed code without a known
 * name has no method. The visitor decides how many frames it wants, by returning nonzero.
 *
 * 0: the thread's root was reached; 1: the visitor stopped it; negative: lost before the root, what was visited is
 * right as far as it goes; MONOCLE_E_UNKNOWN at once on a CPU without a port, and where the stack is nearly used up.
 * Works (worse, by frame pointers alone) before monocle__walk_prepare () has returned.
 */
int monocle__walk (const ucontext_t *context, uint32_t flags, monocle_frame_visitor visit, void *data);

/*
 * Reads how native code is unwound, of all that is loaded, and sees to it that what is loaded later is read too. Normal
 * context, any number of times. False: no memory, or the system tells nothing; native frames then go by frame pointers.
 */
bool monocle__walk_prepare (void);

/*
 * Remembers where the calling thread's stack lies. Normal context, once per thread; without it each read of that
 * thread's stack is a system call.
 */
void monocle__walk_thread (void);

#endif

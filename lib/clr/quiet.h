/*
 * SPDX-License-Identifier: MIT
 *
 * quiet.h - is any thread still in here?
 *
 * The runtime's callbacks count themselves while they run, on one of two sides. A thread that waits for those that run
 * now lets all that come later count on the other side, so that a busy program does not keep it waiting. Probes, and
 * the callback of each allocated object, are too hot for that: they are found by stopping the runtime for a moment.
 */
#ifndef MONOCLE_CLR_QUIET_H
#define MONOCLE_CLR_QUIET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <mono/utils/mono-publib.h>

extern _Atomic (unsigned) monocle__quiet_side, monocle__quiet_inside[2];

/* The side that the callback is counted on. */
static inline unsigned
monocle__quiet_enter (void)
{
	unsigned side = atomic_load (&monocle__quiet_side) & 1;
	atomic_fetch_add (&monocle__quiet_inside[side], 1);
	return side;
}

static inline void
monocle__quiet_leave (unsigned side)
{
	atomic_fetch_sub (&monocle__quiet_inside[side], 1);
}

/*
 * When nothing is delivered any more: waits, with a bound, until no thread is inside a module, that of the caller's own
 * left out. 0: a thread does not come out. The core's `silence`; normal context, not in a counted callback.
 */
mono_bool monocle__quiet_silence (void *host);
/*
 * When the runtime was asked for nothing more and probes find no module: waits until no thread is in a callback or a
 * probe. Then all shadow stacks are empty: what is on the machine's stacks with probes will be told to leave nothing.
 * False: a thread does not come out. On a thread of ours.
 */
bool monocle__quiet_await (void);

#endif

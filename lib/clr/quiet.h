/*
 * SPDX-License-Identifier: MIT
 *
 * quiet.h - is any thread still in here?
 */
#ifndef MONOCLE_CLR_QUIET_H
#define MONOCLE_CLR_QUIET_H

#include <stdbool.h>
#include "corprof.h"

/* From now on the runtime's calls of this object are counted while they run. Inside InitializeForAttach. */
void monocle__quiet_begin (ICorProfilerCallback11 *object);
/*
 * When the runtime was asked for nothing more and probes find no module: waits until no thread is in a callback or a
 * probe. Then all shadow stacks are empty: what is on the machine's stacks with probes will be told to leave nothing.
 * False: a thread does not come out. On a thread of ours.
 */
bool monocle__quiet_await (void);

#endif

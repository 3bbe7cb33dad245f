/*
 * SPDX-License-Identifier: MIT
 *
 * standby.h - processes that take modules over their control socket while they run: a Mono that was started with
 * `--profile=monocle:standby`, and a CoreCLR that an attach has given probes to, whose runtime lets us leave no more.
 */
#ifndef MONOCLE_LIVE_STANDBY_H
#define MONOCLE_LIVE_STANDBY_H

#include "process.h"

/*
 * Asks a process that has us, if we may, whether it stands by: `standby` of the process, and `version` of a Mono, which
 * only it can tell. A second at most goes by where nobody answers. Of other processes nothing changes.
 */
void monocle__live_standby_ask (monocle__live_process *process);

#endif

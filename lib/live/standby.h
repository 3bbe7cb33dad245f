/*
 * SPDX-License-Identifier: MIT
 *
 * standby.h - Mono that was started with `--profile=monocle:standby` takes modules while it runs, over its control
 * socket; no other Mono does.
 */
#ifndef MONOCLE_LIVE_STANDBY_H
#define MONOCLE_LIVE_STANDBY_H

#include "process.h"

/*
 * Asks a Mono that has our umbrella, if we may, whether it stands by: `standby` of the process, and `version`, which
 * only it can tell. A second at most goes by where nobody answers. Of other processes nothing changes.
 */
void monocle__live_standby_ask (monocle__live_process *process);

#endif

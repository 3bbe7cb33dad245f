/*
 * SPDX-License-Identifier: MIT
 *
 * monitor.h - contended monitors, as the runtime's events report them, on the thread that waits.
 */
#ifndef MONOCLE_CLR_MONITOR_H
#define MONOCLE_CLR_MONITOR_H

#include <stdint.h>
#include <monocle/host.h>

void monocle__monitor_contended (uintptr_t lock, MonoObject *object);
void monocle__monitor_ended (void);

#endif

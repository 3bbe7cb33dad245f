/*
 * SPDX-License-Identifier: MIT
 *
 * monitor.h - contended monitors, as the runtime's events report them, on the thread that waits.
 */
#ifndef MONOCLE_CLR_MONITOR_H
#define MONOCLE_CLR_MONITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <monocle/host.h>

void monocle__monitor_contended (uintptr_t lock, MonoObject *object);
void monocle__monitor_ended (void);
/* A wait of any kind is over; this is told where it is asked for. */
void monocle__monitor_woken (void);
/* Is that how a thread that gives up is known? */
bool monocle__monitor_needs_waits (void);

#endif

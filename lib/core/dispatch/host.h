/*
 * SPDX-License-Identifier: MIT
 *
 * host.h - who is profiled, and which part of its life it is in.
 */
#ifndef MONOCLE_DISPATCH_HOST_H
#define MONOCLE_DISPATCH_HOST_H

#include <stdbool.h>
#include <monocle/host.h>

/*
 * The operations of the registered host; a struct of NULLs before there is one, so that callers test operations only.
 */
const monocle_host_ops *monocle__host_ops (void);

/* Has there been no host so far? */
bool monocle__host_awaited (void);
/* How many hosts have left before this one. Any context. */
unsigned monocle__host_session (void);
/* May mono_profiler_enable_* () still be granted, or promised? */
bool monocle__host_window_open (void);
/* Between monocle_host_startup_done () and monocle_host_shutdown (). */
bool monocle__host_delivering (void);
/* After monocle_host_quieten () or monocle_host_shutdown () began: modules are not asked any more. */
bool monocle__host_is_quiet (void);
/* After monocle_host_shutdown () began. */
bool monocle__host_ended (void);
/* Since runtime_shutdown_begin is being raised, or the host ended without. */
bool monocle__host_shutting_down (void);
void monocle__host_begin_shutdown (void);

#endif

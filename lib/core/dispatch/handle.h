/*
 * SPDX-License-Identifier: MIT
 *
 * handle.h - the list of handles.
 */
#ifndef MONOCLE_DISPATCH_HANDLE_H
#define MONOCLE_DISPATCH_HANDLE_H

#include <stdatomic.h>
#include <monocle/host.h>

/* A handle with what the dispatcher does not look at. MonoProfilerHandle points at its first member. */
typedef struct {
	struct _MonoProfilerDesc desc;
	_Atomic (MonoProfilerCleanupCallback) cleanup; /* these three: exchanged atomically, in any context */
	_Atomic (MonoProfilerCoverageFilterCallback) coverage_filter;
	_Atomic (MonoProfilerCallInstrumentationFilterCallback) call_filter;
} monocle__handle;

/* What monocle_event_handles () points at, for our own raise functions: one load instead of a call. */
extern struct _MonoProfilerDesc *monocle__handles_shown __attribute__ ((visibility ("hidden")));

/* Every handle there is, newest first, whatever part of its life the host is in. Any context. */
monocle__handle *monocle__handle_first (void);
monocle__handle *monocle__handle_next (monocle__handle *handle);
/* Shows the list to raising threads, or hides it, as monocle__host_delivering () says. */
void monocle__handle_publish (void);
/* Takes the cleanup callback out and calls it. */
void monocle__handle_cleanup (monocle__handle *handle);

#endif

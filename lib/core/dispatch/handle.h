/*
 * SPDX-License-Identifier: MIT
 *
 * handle.h - the list of handles.
 */
#ifndef MONOCLE_DISPATCH_HANDLE_H
#define MONOCLE_DISPATCH_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <monocle/host.h>

typedef struct monocle__handle monocle__handle;

/* What stands in the slot of an event instead of a callback. Any context. */
typedef void *(*monocle__handle_wrap) (monocle__handle *handle, monocle_event event, void *callback);

/* A handle with what the dispatcher does not look at. MonoProfilerHandle points at its first member. */
struct monocle__handle {
	struct _MonoProfilerDesc desc;
	_Atomic (MonoProfilerCleanupCallback) cleanup; /* these three: exchanged atomically, in any context */
	_Atomic (MonoProfilerCoverageFilterCallback) coverage_filter;
	_Atomic (MonoProfilerCallInstrumentationFilterCallback) call_filter;
	monocle__handle_wrap wrap; /* NULL, or what decides what stands in the slots; written before it is shown */
};

/* What monocle_event_handles () points at, for our own raise functions: one load instead of a call. */
extern struct _MonoProfilerDesc *monocle__handles_shown __attribute__ ((visibility ("hidden")));

/* Every handle there is, newest first, whatever part of its life the host is in. Any context. */
monocle__handle *monocle__handle_first (void);
monocle__handle *monocle__handle_next (monocle__handle *handle);
/* Handles that the calling thread makes from now on have this; NULL: none has. */
void monocle__handle_wrap_next (monocle__handle_wrap wrap);
/* Shows the list to raising threads, or hides it, as monocle__host_delivering () says. */
void monocle__handle_publish (void);
/* The list becomes empty; no thread looks at it. `are_unused`: no module names one of them any more; they are freed. */
void monocle__handles_forget (bool are_unused);
/* Takes the cleanup callback out and calls it. */
void monocle__handle_cleanup (monocle__handle *handle);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * direct.c - see direct.h. Most processes have one module that counts calls. Its `prof` never changes, so it is written
 * into IL as a number; its callback may, so the function is read from a cell, one for each of the two events:
 *
 *   its callback      only this module listens
 *   raise_enter ...   others listen, too: it goes through all handles, and does not look at `prof`
 *   raise_nothing     nobody does, or nothing is delivered
 *
 * Which module that is, is decided once, when the first probe is written. Setters run in any context, so the cell's
 * writers pass each other: each looks again after it has written.
 */
#include "direct.h"
#include <stdatomic.h>
#include "raise.h"
#include "state.h"

static _Atomic (struct _MonoProfilerDesc *) chosen;

/* Any address that is no handle's. */
static struct _MonoProfilerDesc nobody;

MONOCLE__PROBE static void
raise_nothing (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
}

MONOCLE__PROBE static void
raise_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle__raise (MONOCLE_EVENT_method_enter, method, context);
}

MONOCLE__PROBE static void
raise_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle__raise (MONOCLE_EVENT_method_leave, method, context);
}

static _Atomic (void *) cells[] = { (void *) raise_nothing, (void *) raise_nothing };

/* The only handle that listens to an event; NULL: there is none, `nobody`: there are several. */
static struct _MonoProfilerDesc *
only_listener (monocle_event event)
{
	struct _MonoProfilerDesc *only = NULL, *h = __atomic_load_n (monocle__clr_state.handles, __ATOMIC_ACQUIRE);
	for (; h; h = h->next)
		if (monocle__raise_callback (h, event))
			only = only ? &nobody : h;
	return only;
}

static void *
function_for (monocle_event event)
{
	struct _MonoProfilerDesc *only = only_listener (event);
	void *callback = only && only == atomic_load (&chosen) ? monocle__raise_callback (only, event) : NULL;
	if (callback)
		return callback;
	if (!only)
		return (void *) raise_nothing;
	return event == MONOCLE_EVENT_method_enter ? (void *) raise_enter : (void *) raise_leave;
}

static _Atomic (void *) *
cell_of (monocle_event event)
{
	return &cells[event != MONOCLE_EVENT_method_enter];
}

static void
update (monocle_event event)
{
	void *function;
	do {
		function = function_for (event);
		atomic_store (cell_of (event), function);
	} while (function != function_for (event));
}

void
monocle__direct_changed (void *host, monocle_event event)
{
	if (event == MONOCLE_EVENT_method_enter || event == MONOCLE_EVENT_method_leave)
		update (event);
}

/* The listener to either event, if there is one only. */
static struct _MonoProfilerDesc *
candidate (void)
{
	struct _MonoProfilerDesc *enters = only_listener (MONOCLE_EVENT_method_enter);
	struct _MonoProfilerDesc *leaves = only_listener (MONOCLE_EVENT_method_leave);
	return !enters || !leaves || enters == leaves ? (enters ? enters : leaves) : &nobody;
}

static struct _MonoProfilerDesc *
choose (void)
{
	struct _MonoProfilerDesc *is = atomic_load (&chosen), *should = is ? NULL : candidate ();
	if (!should)
		return is;
	if (!atomic_compare_exchange_strong (&chosen, &is, should))
		return is;
	update (MONOCLE_EVENT_method_enter);
	update (MONOCLE_EVENT_method_leave);
	return should;
}

bool
monocle__direct_cell (monocle_event event, MonoProfiler **ret_prof, void *const **ret_cell)
{
	struct _MonoProfilerDesc *handle = choose ();
	if (!handle || handle == &nobody)
		return false;
	*ret_prof = handle->prof;
	*ret_cell = (void *const *) cell_of (event);
	return true;
}

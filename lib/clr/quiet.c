/*
 * SPDX-License-Identifier: MIT
 *
 * quiet.c - see quiet.h. A runtime that lets its profiler leave finds this out itself. One that keeps us does not, so
 * callbacks count themselves, all in one word: they are about what is rare. Probes do not. But the runtime can be
 * stopped only while no thread is in managed mode, as every thread in a probe is: once it was stopped, no thread is in
 * a probe that it was in before.
 *
 * A thread of ours that has had the heap collected belongs to the runtime from then on, and .NET 8 refuses to be
 * stopped by such a one outside a callback: so it is stopped by a thread that is made for that.
 */
#include "quiet.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "background.h"
#include "forks.h"
#include "probes/shadow.h"
#include "state.h"

enum { LOOKS = 5000, LOOK_NS = 1000000 };

void
monocle__quiet_begin (ICorProfilerCallback11 *object)
{
	object->vtbl = &monocle__callback_counted_vtbl;
}

static void
pause_ (void)
{
	nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
}

static bool
await_callbacks (void)
{
	for (int i = 0; i < LOOKS && atomic_load (&monocle__callbacks_inside); i++)
		pause_ ();
	return !atomic_load (&monocle__callbacks_inside);
}

/* While a collection or somebody else has stopped it, it cannot be stopped once more. */
static bool
stop_runtime (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT hr = CORPROF_E_SUSPENSION_IN_PROGRESS;
	for (int i = 0; i < LOOKS && hr == CORPROF_E_SUSPENSION_IN_PROGRESS; i++) {
		if (i)
			pause_ ();
		hr = info->vtbl->SuspendRuntime (info);
	}
	if (hr < 0)
		monocle__clr_complain_hr ("SuspendRuntime", hr);
	return hr >= 0;
}

static void *
stop_for_a_moment (void *ret_was_stopped)
{
	bool *was_stopped = ret_was_stopped;
	monocle__forks_hold ();
	*was_stopped = stop_runtime ();
	if (*was_stopped) {
		monocle__shadow_forget ();
		monocle__clr_state.info->vtbl->ResumeRuntime (monocle__clr_state.info);
	}
	monocle__forks_release ();
	return NULL;
}

bool
monocle__quiet_await (void)
{
	pthread_t thread;
	bool was_stopped = false;
	if (!await_callbacks () || !monocle__background_start (&thread, stop_for_a_moment, &was_stopped, 0))
		return false;
	pthread_join (thread, NULL);
	return was_stopped;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * quiet.c - see quiet.h. The runtime can be stopped only while no thread is in managed mode, as every thread in a probe
 * is: once it was stopped, no thread is in a probe that it was in before.
 *
 * A thread of ours that has had the heap collected belongs to the runtime from then on, and .NET 8 refuses to be
 * stopped by such a one outside a callback: so it is stopped by a thread that is made for that.
 */
#include "quiet.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include "background.h"
#include "forks.h"
#include "nanoseconds.h"
#include "pause.h"
#include "probes/direct.h"
#include "probes/shadow.h"
#include "state.h"

enum { LOOKS = 5000, LOOK_NS = 1000000 };

/* How long the end of a program waits for a module's callback at most. */
#define SILENCE_NS (2 * MONOCLE__NANOSECONDS_SECOND)

static void
pause_ (void)
{
	nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
}

static unsigned
inside (void)
{
	return atomic_load (&monocle__quiet_inside[0]) + atomic_load (&monocle__quiet_inside[1]);
}

static bool
await_callbacks (void)
{
	for (int i = 0; i < LOOKS && inside (); i++)
		pause_ ();
	return !inside ();
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

/* --- no thread inside a module ------------------------------------------------------------------------------------ */

/* Those that run now; what begins later finds no module. */
static bool
await_those_inside (uint64_t until)
{
	unsigned side = atomic_fetch_add (&monocle__quiet_side, 1) & 1;
	MONOCLE__PAUSE (quiet_side_changed);
	while (atomic_load (&monocle__quiet_inside[side])) {
		if (monocle__nanoseconds (CLOCK_MONOTONIC) >= until)
			return false;
		MONOCLE__PAUSE_WAITS (quiet_waits);
		pause_ ();
	}
	return true;
}

static bool
may_be_in_probe (void)
{
	return atomic_load (&monocle__clr_state.filter_epoch) || atomic_load (&monocle__clr_state.allocations) ||
	       atomic_load (&monocle__clr_state.clauses);
}

static sem_t was_stopped;

/*
 * Twice: a thread may be stopped between the instruction that reads a callback out of its cell (probes/direct.c) and
 * the call. It calls when it runs again, so the second time waits for it. What asked for this may have gone meanwhile.
 */
static void *
stop_twice (void *nothing)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	int times = 0;
	pthread_detach (pthread_self ());
	monocle__forks_hold ();
	for (; times < 2 && stop_runtime (); times++) {
		info->vtbl->ResumeRuntime (info);
		pause_ ();
	}
	if (times == 2)
		sem_post (&was_stopped);
	monocle__forks_release ();
	return NULL;
}

static bool
await_probes (uint64_t until)
{
	pthread_t thread;
	struct timespec end = monocle__nanoseconds_timespec (until);
	int result;
	sem_init (&was_stopped, 0, 0);
	if (!monocle__background_start (&thread, stop_twice, NULL, 0))
		return false;
	do
		result = sem_clockwait (&was_stopped, CLOCK_MONOTONIC, &end);
	while (result && errno == EINTR);
	return !result;
}

/* A runtime that cannot be stopped ends as it did before there were probes to wait for. */
mono_bool
monocle__quiet_silence (void *host)
{
	enum { INFO_SUSPENDS = 10 };
	uint64_t until = monocle__nanoseconds (CLOCK_MONOTONIC) + SILENCE_NS;
	if (!atomic_load (&monocle__clr_state.started))
		return true;
	monocle__direct_changed (host, MONOCLE_EVENT_method_enter); /* no handle is shown any more */
	monocle__direct_changed (host, MONOCLE_EVENT_method_leave);
	bool suspends = monocle__clr_state.info_version >= INFO_SUSPENDS;
	return await_those_inside (until) && (!may_be_in_probe () || !suspends || await_probes (until));
}

/*
 * SPDX-License-Identifier: MIT
 *
 * suspension.c - the runtime stops its threads: why, how long, and which.
 *
 * One suspension at a time, all of its callbacks on the thread that stops the others. With the server collector that is
 * no managed thread; nothing here asks the runtime anything.
 */
#include <time.h>
#include "clr.h"

static _Atomic uint64_t began;
static atomic_uint reason;

static uint64_t
now (void)
{
	struct timespec t;
	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static void
tell (MonocleSuspensionPhase phase, uint64_t nanoseconds)
{
	if (monocle__clr_listened (MONOCLE_EVENT_suspension))
		monocle_raise_suspension (phase, (MonocleSuspensionReason) atomic_load (&reason), nanoseconds);
}

/* 0: it began before anybody listened. */
static uint64_t
since_began (void)
{
	uint64_t start = atomic_load (&began);
	return start ? now () - start : 0;
}

HRESULT
monocle__callback_RuntimeSuspendStarted (ICorProfilerCallback11 *self, COR_PRF_SUSPEND_REASON why)
{
	atomic_store (&reason, why);
	atomic_store (&began, now ());
	tell (MONOCLE_SUSPENSION_SUSPENDING, 0);
	return S_OK;
}

HRESULT
monocle__callback_RuntimeSuspendFinished (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_SUSPENSION_SUSPENDED, since_began ());
	return S_OK;
}

HRESULT
monocle__callback_RuntimeSuspendAborted (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_SUSPENSION_ABORTED, since_began ());
	return S_OK;
}

HRESULT
monocle__callback_RuntimeResumeStarted (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_SUSPENSION_RESUMING, 0);
	return S_OK;
}

HRESULT
monocle__callback_RuntimeResumeFinished (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_SUSPENSION_RESUMED, since_began ());
	return S_OK;
}

static void
tell_thread (ThreadID id, mono_bool suspended)
{
	uintptr_t tid = monocle__clr_listened (MONOCLE_EVENT_thread_suspension) ? monocle__clr_tid (id) : 0;
	if (tid)
		monocle_raise_thread_suspension (tid, suspended);
}

HRESULT
monocle__callback_RuntimeThreadSuspended (ICorProfilerCallback11 *self, ThreadID id)
{
	tell_thread (id, 1);
	return S_OK;
}

HRESULT
monocle__callback_RuntimeThreadResumed (ICorProfilerCallback11 *self, ThreadID id)
{
	tell_thread (id, 0);
	return S_OK;
}

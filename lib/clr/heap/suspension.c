/*
 * SPDX-License-Identifier: MIT
 *
 * suspension.c - the runtime stops its threads: why, how long, and which.
 *
 * One suspension at a time, on the thread that stops the others: but when it says that they run again, the next one
 * may have begun, so what RESUMED tells is put aside when they are about to. With the server collector that thread is
 * no managed one; nothing here asks the runtime anything.
 */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "nanoseconds.h"
#include "state.h"
#include "thread.h"

static _Atomic (uint64_t) began;
static atomic_uint reason;

/* Suspensions that are about to be over, by thread. */
static struct {
	atomic_int tid; /* 0: free */
	unsigned reason;
	uint64_t began;
} ending[8];

static void
tell (MonocleSuspensionPhase phase, unsigned why, uint64_t nanoseconds)
{
	if (monocle__clr_listened (MONOCLE_EVENT_suspension))
		monocle_raise_suspension (phase, (MonocleSuspensionReason) why, nanoseconds);
}

/* 0: it began before anybody listened. */
static uint64_t
since (uint64_t start)
{
	return start ? monocle__nanoseconds (CLOCK_MONOTONIC) - start : 0;
}

/* The world is stopped: no other thread takes the place. */
static void
put_aside (unsigned why, uint64_t start)
{
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!atomic_load (&ending[i].tid)) {
			ending[i].reason = why;
			ending[i].began = start;
			atomic_store (&ending[i].tid, (int) syscall (SYS_gettid));
			return;
		}
}

/* What this thread put aside; zeroes when it began before anybody listened. */
static void
take_back (unsigned *ret_why, uint64_t *ret_start)
{
	int tid = (int) syscall (SYS_gettid);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (atomic_load (&ending[i].tid) == tid) {
			*ret_why = ending[i].reason;
			*ret_start = ending[i].began;
			atomic_store (&ending[i].tid, 0);
			return;
		}
	*ret_why = MONOCLE_SUSPENSION_FOR_OTHER;
	*ret_start = 0;
}

HRESULT
monocle__callback_RuntimeSuspendStarted (ICorProfilerCallback11 *self, COR_PRF_SUSPEND_REASON why)
{
	atomic_store (&reason, why);
	atomic_store (&began, monocle__nanoseconds (CLOCK_MONOTONIC));
	tell (MONOCLE_SUSPENSION_SUSPENDING, why, 0);
	return S_OK;
}

HRESULT
monocle__callback_RuntimeSuspendFinished (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_SUSPENSION_SUSPENDED, atomic_load (&reason), since (atomic_load (&began)));
	return S_OK;
}

HRESULT
monocle__callback_RuntimeSuspendAborted (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_SUSPENSION_ABORTED, atomic_load (&reason), since (atomic_load (&began)));
	return S_OK;
}

HRESULT
monocle__callback_RuntimeResumeStarted (ICorProfilerCallback11 *self)
{
	unsigned why = atomic_load (&reason);
	tell (MONOCLE_SUSPENSION_RESUMING, why, 0);
	put_aside (why, atomic_load (&began));
	return S_OK;
}

HRESULT
monocle__callback_RuntimeResumeFinished (ICorProfilerCallback11 *self)
{
	unsigned why;
	uint64_t start;
	take_back (&why, &start);
	tell (MONOCLE_SUSPENSION_RESUMED, why, since (start));
	return S_OK;
}

static void
tell_thread (ThreadID id, mono_bool suspended)
{
	uintptr_t tid = monocle__clr_listened (MONOCLE_EVENT_thread_suspension) ? monocle__clr_thread_tid (id) : 0;
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

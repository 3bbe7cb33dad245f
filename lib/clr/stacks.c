/*
 * SPDX-License-Identifier: MIT
 *
 * stacks.c - the stacks of all threads at one moment, on the service's thread.
 *
 * The runtime shows the stack of another thread only to a profiler that has stopped all of them. So the world is
 * stopped, frames are gathered, and it goes on before any of them is shown: that takes names and lines, and may take
 * long. A thread in native code is not stopped, but it cannot go back into the frames that are gathered. A thread that
 * is stopped is in managed code, so it holds no lock of ours and none of malloc's.
 */
#include "stacks.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "code/stack.h"
#include "forks.h"
#include "images/resolve.h"
#include "service.h"
#include "state.h"
#include "thread.h"

enum {
	INFO_SUSPENDS = 10, /* the first ICorProfilerInfo that can stop the runtime */
	TRIES = 500,        /* while a collection stops it, or it is still starting */
	PAUSE = 2000000,    /* ns between them */
	ENTRIES_MAX = 1 << 20,
};

typedef struct {
	FunctionID function; /* 0: here begins a thread, and `ip` is its tid */
	MonoMethod *method;
	uintptr_t ip;
} entry;

typedef struct {
	entry *list;
	uint32_t count, capacity;
} entries;

static atomic_bool asked; /* and not shown yet */

/* --- gathering: the world is stopped ------------------------------------------------------------------------------ */

static bool
add (entries *all, entry one)
{
	if (all->count == all->capacity) {
		uint32_t capacity = all->capacity * 2 + 256;
		entry *grown = capacity <= ENTRIES_MAX ? realloc (all->list, capacity * sizeof *grown) : NULL;
		if (!grown)
			return false;
		all->list = grown;
		all->capacity = capacity;
	}
	all->list[all->count++] = one;
	return true;
}

static HRESULT
on_frame (FunctionID function, UINT_PTR ip, COR_PRF_FRAME_INFO frame, ULONG32 context_size, BYTE *context, void *data)
{
	if (!function)
		return S_OK;
	entry one = { function, monocle__resolve_method_in_frame (function, frame), ip };
	return add (data, one) ? S_OK : S_FALSE;
}

/* Threads without managed frames, as the finalizer's often is, are shown without any. */
static void
gather (entries *all)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ICorProfilerThreadEnum *threads = NULL;
	ThreadID id;
	ULONG count = 0;
	HRESULT hr = info->vtbl->EnumThreads (info, &threads);
	if (hr < 0 || !threads) {
		monocle__clr_complain_hr ("EnumThreads", hr);
		return;
	}
	while (threads->vtbl->Next (threads, 1, &id, &count) >= 0 && count == 1) {
		uintptr_t tid = monocle__clr_thread_tid (id);
		if (tid && add (all, (entry) { .ip = tid }))
			info->vtbl->DoStackSnapshot (info, id, (void *) on_frame, COR_PRF_SNAPSHOT_DEFAULT, all, NULL, 0);
	}
	threads->vtbl->Release (threads);
}

static HRESULT
suspend (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT hr = info->vtbl->InitializeCurrentThread (info);
	if (hr < 0)
		return hr;
	for (int i = 0; i < TRIES && !monocle__service_is_over (); i++) {
		hr = info->vtbl->SuspendRuntime (info);
		if (hr != CORPROF_E_SUSPENSION_IN_PROGRESS && hr != CORPROF_E_RUNTIME_UNINITIALIZED)
			return hr;
		nanosleep (&(struct timespec) { .tv_nsec = PAUSE }, NULL);
	}
	return CORPROF_E_SUSPENSION_IN_PROGRESS;
}

/* --- showing ------------------------------------------------------------------------------------------------------ */

static void
show (const entries *all, const monocle_threads_visitor *v)
{
	v->begin (v->data);
	for (uint32_t i = 0; i < all->count; i++) {
		const entry *at = &all->list[i];
		monocle_frame frame = { .method = at->method, .ip = at->ip };
		if (!at->function) {
			v->thread (at->ip, v->data);
			continue;
		}
		monocle__clr_stack_place (&frame, at->function, !at[-1].function);
		v->frame (&frame, v->data);
	}
}

static const monocle_threads_visitor *visiting; /* of who asked: one at a time */

static void
visit (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	entries all = { NULL, 0, 0 };
	monocle__forks_hold ();
	HRESULT hr = suspend ();
	if (hr >= 0) {
		gather (&all);
		info->vtbl->ResumeRuntime (info);
	}
	monocle__forks_release ();
	if (hr >= 0)
		show (&all, visiting);
	else
		monocle__clr_complain_hr ("SuspendRuntime", hr);
	free (all.list);
}

/* On the service thread. */
static void
serve (void *data)
{
	visiting = data;
	monocle__service_run_apart (visit);
	atomic_store (&asked, false);
}

static int
visit_threads (void *host, const monocle_threads_visitor *visitor)
{
	if (monocle__clr_state.info_version < INFO_SUSPENDS)
		return MONOCLE_E_REFUSED;
	if (atomic_exchange (&asked, true))
		return MONOCLE_E_BUSY;
	if (monocle__service_post (serve, visitor, sizeof *visitor))
		return MONOCLE_OK;
	atomic_store (&asked, false);
	return MONOCLE_E_REFUSED;
}

void
monocle__clr_stacks_ops (monocle_host_ops *ops)
{
	ops->visit_threads = visit_threads;
}

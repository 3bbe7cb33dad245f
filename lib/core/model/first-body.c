/*
 * SPDX-License-Identifier: MIT
 *
 * first-body.c - code for modules that know one body of each method.
 *
 * On Mono a method has one body, and jit_done tells of it before it runs. Mono's own log profiler therefore writes one
 * range of addresses for each method, that of the jit_done which it heard first, or none if it met the method elsewhere
 * before; and what reads its file finds the methods of samples by their addresses alone. On other runtimes a method has
 * further bodies, in which most of the time is spent, and precompiled ones without a jit_done. So modules that were
 * written for Mono's internals, and no others, are told of one body, the first that was compiled or met:
 *
 *     a sample in another body    has the same place in the first one, or the end of that
 *     jit_done of another body    tells of the first one
 *     a precompiled body          has its jit_done when a stack is shown that it is in
 *
 * A handler cannot raise jit_done. It shows the frame without a method, by its address, as Mono does where it cannot
 * know more: the module asks mono_jit_info_table_find () on the thread that writes its samples, a tool's, and is told
 * there, once. So it writes the range before the sample, whichever of its buffers is written first.
 *
 * All but the callbacks themselves may run in any context.
 */
#include "first-body.h"
#include <stdatomic.h>
#include "arena.h"
#include "idmap.h"
#include "jit-info.h"
#include "sample/sampler.h"
#include "thread.h"

enum { LISTENERS = 4 };

typedef struct {
	_Atomic (monocle__handle *) handle; /* NULL: free */
	_Atomic (MonoProfilerJitDoneCallback) jit_done;
	_Atomic (MonoProfilerSampleHitCallback) sample_hit;
} listener;

/* Of a method. */
typedef struct {
	_Atomic (MonoJitInfo *) body;
	atomic_bool is_told; /* where samples are written */
} first_body;

static listener listeners[LISTENERS];
static monocle__idmap methods;
static atomic_bool is_wanted; /* somebody takes samples and knows one body */

/* --- bodies ------------------------------------------------------------------------------------------------------- */

/* NULL: no memory. */
static first_body *
first_of (MonoMethod *method)
{
	first_body *first = monocle__idmap_find (&methods, (uintptr_t) method);
	if (first || !(first = monocle__arena_alloc (sizeof *first)))
		return first;
	monocle__idmap_bind (&methods, (uintptr_t) method, first);
	return monocle__idmap_find (&methods, (uintptr_t) method); /* of threads that race one has won */
}

/* The method's first body, which is `info` if there was none. */
static MonoJitInfo *
settle (first_body *first, MonoJitInfo *info)
{
	MonoJitInfo *before = NULL;
	if (!first || !info || atomic_compare_exchange_strong (&first->body, &before, info))
		return info;
	return before;
}

static uintptr_t
place_in (MonoJitInfo *first, const MonoJitInfo *info, uintptr_t ip)
{
	uintptr_t offset = ip - (uintptr_t) mono_jit_info_get_code_start ((MonoJitInfo *) info);
	uintptr_t size = (uintptr_t) mono_jit_info_get_code_size (first);
	return (uintptr_t) mono_jit_info_get_code_start (first) + (offset < size ? offset : size - 1);
}

/* --- what stands in the slots ------------------------------------------------------------------------------------- */

static listener *
listener_of (const MonoProfiler *prof)
{
	for (int i = 0; i < LISTENERS; i++) {
		monocle__handle *handle = atomic_load (&listeners[i].handle);
		if (handle && handle->desc.prof == prof)
			return &listeners[i];
	}
	return NULL;
}

static void
on_jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	listener *own = listener_of (prof);
	MonoProfilerJitDoneCallback callback = own ? atomic_load (&own->jit_done) : NULL;
	if (callback)
		callback (prof, method, atomic_load (&is_wanted) ? settle (first_of (method), info) : info);
}

/* The calling thread's, which is being sampled. NULL: a host samples a thread that it has not announced. */
static monocle__sampled *
own_sampled (void)
{
	monocle__sampled *own = monocle__thread_sampled ();
	return own ? own : monocle__sampler_stranger ();
}

static void
on_sample (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	listener *own = listener_of (prof);
	MonoProfilerSampleHitCallback callback = own ? atomic_load (&own->sample_hit) : NULL;
	MonoJitInfo *info = monocle__jit_info_at (ip);
	MonoJitInfo *first = info ? settle (first_of (mono_jit_info_get_method (info)), info) : NULL;
	if (first != info)
		ip = (const mono_byte *) place_in (first, info, (uintptr_t) ip);
	monocle__sampled *thread = own_sampled ();
	if (thread)
		atomic_store_explicit (&thread->has_one_body, true, memory_order_relaxed);
	if (callback)
		callback (prof, ip, context);
	if (thread)
		atomic_store_explicit (&thread->has_one_body, false, memory_order_relaxed);
}

static listener *
claim (monocle__handle *handle)
{
	for (int i = 0; i < LISTENERS; i++) {
		monocle__handle *there = NULL;
		if (atomic_compare_exchange_strong (&listeners[i].handle, &there, handle) || there == handle)
			return &listeners[i];
	}
	return NULL;
}

void *
monocle__first_body_wrap (monocle__handle *handle, monocle_event event, void *callback)
{
	bool is_ours = event == MONOCLE_EVENT_jit_done || event == MONOCLE_EVENT_sample_hit;
	listener *own = callback && is_ours ? claim (handle) : NULL;
	if (!own)
		return callback;
	if (event == MONOCLE_EVENT_jit_done)
		atomic_store (&own->jit_done, (MonoProfilerJitDoneCallback) callback);
	else
		atomic_store (&own->sample_hit, (MonoProfilerSampleHitCallback) callback);
	if (atomic_load (&own->jit_done) && atomic_load (&own->sample_hit))
		atomic_store (&is_wanted, true);
	return event == MONOCLE_EVENT_jit_done ? (void *) on_jit_done : (void *) on_sample;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static void
tell (MonoMethod *method, MonoJitInfo *body)
{
	for (int i = 0; i < LISTENERS; i++) {
		monocle__handle *handle = atomic_load (&listeners[i].handle);
		MonoProfilerJitDoneCallback callback = atomic_load (&listeners[i].jit_done);
		if (handle && callback && atomic_load (&listeners[i].sample_hit))
			callback (handle->desc.prof, method, body);
	}
}

bool
monocle__first_body_is_sampled (void)
{
	const monocle__sampled *own = atomic_load_explicit (&is_wanted, memory_order_relaxed) ? own_sampled () : NULL;
	return own && atomic_load_explicit (&own->has_one_body, memory_order_relaxed);
}

MonoMethod *
monocle__first_body_method (const monocle_frame *frame)
{
	first_body *first = monocle__idmap_find (&methods, (uintptr_t) frame->method);
	return first && atomic_load (&first->is_told) ? frame->method : NULL;
}

void
monocle__first_body_asked (MonoJitInfo *info)
{
	if (!info || !atomic_load_explicit (&is_wanted, memory_order_relaxed) || !monocle__thread_is_tool ())
		return;
	MonoMethod *method = mono_jit_info_get_method (info);
	first_body *first = first_of (method);
	if (first && !atomic_exchange (&first->is_told, true))
		tell (method, settle (first, info));
}

void
monocle__first_body_met (MonoMethod *method, const void *start)
{
	if (!atomic_load_explicit (&is_wanted, memory_order_relaxed) || !method || !start)
		return;
	first_body *first = first_of (method);
	MonoJitInfo *info = first && !atomic_load (&first->body) ? monocle__jit_info_at (start) : NULL;
	if (info && settle (first, info) == info)
		tell (method, info);
}

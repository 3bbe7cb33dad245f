/*
 * SPDX-License-Identifier: MIT
 *
 * legacy.c - the eight functions of Mono's first profiler API that Mono still exports and no header declares.
 *
 * mono_profiler_install () makes a hidden handle that becomes the current one; the others act on it. Old callbacks
 * differ from today's in their arguments, so the handle's `prof` is a record of ours that holds them, and small
 * adapters on its slots translate. Nothing is ever freed. Normal context, one thread at a time, as the old API was
 * used.
 */
#include <stdlib.h>
#include "core.h"

typedef void (*profile_func) (MonoProfiler *prof);
typedef void (*thread_func) (MonoProfiler *prof, uintptr_t tid);
typedef void (*gc_func) (MonoProfiler *prof, MonoProfilerGCEvent event, int generation);
typedef void (*gc_resize_func) (MonoProfiler *prof, int64_t new_size);
typedef void (*jit_result_func) (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *jinfo, int result);
typedef void (*allocation_func) (MonoProfiler *prof, MonoObject *object, MonoClass *klass);
typedef void (*method_func) (MonoProfiler *prof, MonoMethod *method);
typedef void (*exception_func) (MonoProfiler *prof, MonoObject *object);
typedef void (*clause_func) (MonoProfiler *prof, MonoMethod *method, int clause_type, int clause_index);

/* The results that jit_result_func gets. */
enum { JIT_OK = 0, JIT_FAILED = 1 };

typedef struct {
	MonoProfilerHandle handle;
	MonoProfiler *prof;
	profile_func shutdown;
	thread_func thread_start, thread_end;
	gc_func gc;
	gc_resize_func gc_resize;
	jit_result_func jit_end;
	allocation_func allocation;
	method_func enter, leave, exception_leave;
	exception_func exception_throw;
	clause_func clause;
} legacy;

static legacy *current;

/* No header declares them, by design; these are for this file's own definitions. */
MONO_API void mono_profiler_install (MonoProfiler *prof, profile_func shutdown);
MONO_API void mono_profiler_install_thread (thread_func start, thread_func end);
MONO_API void mono_profiler_install_gc (gc_func event, gc_resize_func resize);
MONO_API void mono_profiler_install_jit_end (jit_result_func end);
MONO_API void mono_profiler_install_allocation (allocation_func allocation);
MONO_API void mono_profiler_install_enter_leave (method_func enter, method_func leave);
MONO_API void mono_profiler_install_exception (exception_func exception, method_func leave, clause_func clause);
MONO_API void mono_profiler_set_events (int flags);

/* --- today's callbacks, in the rows' order ------------------------------------------------------------------------ */

static legacy *
of (MonoProfiler *prof)
{
	return (legacy *) prof;
}

static void
on_shutdown_end (MonoProfiler *prof)
{
	of (prof)->shutdown (of (prof)->prof);
}

static void
on_jit_failed (MonoProfiler *prof, MonoMethod *method)
{
	of (prof)->jit_end (of (prof)->prof, method, NULL, JIT_FAILED);
}

static void
on_jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *jinfo)
{
	of (prof)->jit_end (of (prof)->prof, method, jinfo, JIT_OK);
}

static void
on_method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	of (prof)->enter (of (prof)->prof, method);
}

static void
on_method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	of (prof)->leave (of (prof)->prof, method);
}

static void
on_method_tail_call (MonoProfiler *prof, MonoMethod *method, MonoMethod *target)
{
	of (prof)->leave (of (prof)->prof, method);
}

static void
on_method_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	of (prof)->exception_leave (of (prof)->prof, method);
}

static void
on_exception_throw (MonoProfiler *prof, MonoObject *exception)
{
	of (prof)->exception_throw (of (prof)->prof, exception);
}

/* The old order is type, index. */
static void
on_exception_clause (MonoProfiler *prof, MonoMethod *method, uint32_t index, MonoExceptionEnum type,
                     MonoObject *exception)
{
	of (prof)->clause (of (prof)->prof, method, (int) type, (int) index);
}

static void
on_gc_event (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	of (prof)->gc (of (prof)->prof, event, (int) generation);
}

static void
on_gc_allocation (MonoProfiler *prof, MonoObject *object)
{
	const monocle_host_ops *host = monocle__host_ops ();
	MonoClass *klass = host->object_class ? host->object_class (host->host, object) : NULL;

	of (prof)->allocation (of (prof)->prof, object, klass);
}

static void
on_gc_resize (MonoProfiler *prof, uintptr_t size)
{
	of (prof)->gc_resize (of (prof)->prof, (int64_t) size);
}

static void
on_thread_started (MonoProfiler *prof, uintptr_t tid)
{
	of (prof)->thread_start (of (prof)->prof, tid);
}

static void
on_thread_stopped (MonoProfiler *prof, uintptr_t tid)
{
	of (prof)->thread_end (of (prof)->prof, tid);
}

/* --- the old functions -------------------------------------------------------------------------------------------- */

/* Stores the old callback, then sets or removes the adapter that reads it. */
#define INSTALL(field, callback, event, adapter) \
	do { \
		if (callback) \
			current->field = (callback); \
		mono_profiler_set_##event##_callback (current->handle, (callback) ? (adapter) : NULL); \
	} while (0)

/* Mono crashes without a current handle. */
static bool
has_current (const char *function)
{
	if (!current)
		monocle_log ("%s: there was no mono_profiler_install () before", function);
	return current;
}

void
mono_profiler_install (MonoProfiler *prof, profile_func shutdown)
{
	legacy *made = calloc (1, sizeof *made);

	current = NULL;
	if (made)
		made->handle = mono_profiler_create ((MonoProfiler *) made);
	if (!made || !made->handle) {
		free (made);
		monocle_log ("mono_profiler_install: out of memory");
		return;
	}
	made->prof = prof;
	current = made;
	INSTALL (shutdown, shutdown, runtime_shutdown_end, on_shutdown_end);
}

void
mono_profiler_install_thread (thread_func start, thread_func end)
{
	if (!has_current (__func__))
		return;
	INSTALL (thread_start, start, thread_started, on_thread_started);
	INSTALL (thread_end, end, thread_stopped, on_thread_stopped);
}

void
mono_profiler_install_gc (gc_func event, gc_resize_func resize)
{
	if (!has_current (__func__))
		return;
	INSTALL (gc, event, gc_event, on_gc_event);
	INSTALL (gc_resize, resize, gc_resize, on_gc_resize);
}

void
mono_profiler_install_jit_end (jit_result_func end)
{
	if (!has_current (__func__))
		return;
	INSTALL (jit_end, end, jit_done, on_jit_done);
	INSTALL (jit_end, end, jit_failed, on_jit_failed);
}

void
mono_profiler_install_allocation (allocation_func allocation)
{
	if (has_current (__func__))
		INSTALL (allocation, allocation, gc_allocation, on_gc_allocation);
}

/* As on Mono no filter is installed, so these are called only for what some filter of today's API asks. */
void
mono_profiler_install_enter_leave (method_func enter, method_func leave)
{
	if (!has_current (__func__))
		return;
	INSTALL (enter, enter, method_enter, on_method_enter);
	INSTALL (leave, leave, method_leave, on_method_leave);
	INSTALL (leave, leave, method_tail_call, on_method_tail_call);
}

void
mono_profiler_install_exception (exception_func exception, method_func leave, clause_func clause)
{
	if (!has_current (__func__))
		return;
	INSTALL (exception_throw, exception, exception_throw, on_exception_throw);
	INSTALL (exception_leave, leave, method_exception_leave, on_method_exception_leave);
	INSTALL (clause, clause, exception_clause, on_exception_clause);
}

/* What was chosen by flags then is chosen by callbacks now. */
void
mono_profiler_set_events (int flags)
{
}

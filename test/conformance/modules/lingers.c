/*
 * SPDX-License-Identifier: MIT
 *
 * lingers.c - a module that takes its time when a filter begins, so that collections come meanwhile: a millisecond, or
 * with "lingers:collected" until one has come. On Mono, which has no such event, it does nothing.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { PATIENCE = 30000 }; /* milliseconds after which a collection does not come */

struct _MonoProfiler {
	int waits;
	_Atomic (unsigned) collections;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_lingers (const char *desc);

static void
gc_event (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	prof->collections += event == MONO_GC_EVENT_END;
}

static void
on_phase (MonoProfiler *prof, MonocleExceptionPhase phase, MonoMethod *method, MonoObject *exception)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned before = prof->collections;
	if (phase != MONOCLE_EXCEPTION_FILTER_ENTER)
		return;
	for (int i = 0; i < (prof->waits ? PATIENCE : 1) && prof->collections == before; i++)
		nanosleep (&pause, NULL);
}

void
mono_profiler_init_lingers (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	profiler.waits = strstr (desc, ":collected") != NULL;
	if (profiler.waits)
		mono_profiler_set_gc_event_callback (handle, gc_event);
	if (monocle_event_support && monocle_event_support ("exception_phase"))
		monocle_profiler_set_exception_phase_callback (handle, on_phase);
}

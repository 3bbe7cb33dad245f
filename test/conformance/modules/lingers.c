/*
 * SPDX-License-Identifier: MIT
 *
 * lingers.c - a module that takes its time when a filter begins, so that collections come meanwhile. On Mono, which
 * has no such event, it does nothing.
 */
#include <stdint.h>
#include <time.h>
#include <monocle/ext.h>

struct _MonoProfiler {
	int nothing;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_lingers (const char *desc);

static void
on_phase (MonoProfiler *prof, MonocleExceptionPhase phase, MonoMethod *method, MonoObject *exception)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	if (phase == MONOCLE_EXCEPTION_FILTER_ENTER)
		nanosleep (&pause, NULL);
}

void
mono_profiler_init_lingers (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	if (monocle_event_support && monocle_event_support ("exception_phase"))
		monocle_profiler_set_exception_phase_callback (handle, on_phase);
}

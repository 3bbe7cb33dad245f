/*
 * SPDX-License-Identifier: MIT
 *
 * stopping.c - profiler module: before a collection stops the threads, this module holds the collecting thread up for
 * 50 ms, and the program can see that it does. It is named before other modules: Mono tells these first.
 */
#include <stdatomic.h>
#include <time.h>

#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	int unused;
};
static MonoProfiler stopping;
static atomic_int state; /* 1: no thread has been stopped yet */

MONO_API const void *stopping_state (void);

const void *
stopping_state (void)
{
	return &state;
}

static void
gc_event (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event != MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		return;
	struct timespec rest = { .tv_nsec = 50000000 };
	state = 1;
	while (nanosleep (&rest, &rest)) /* this thread is hit as well */
		;
	state = 0;
}

MONO_API void mono_profiler_init_stopping (const char *desc);

void
mono_profiler_init_stopping (const char *desc)
{
	mono_profiler_set_gc_event_callback (mono_profiler_create (&stopping), gc_event);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * late.c - profiler module: holds up each new thread for half a second before it runs its function. Mono's sampler
 * marks itself as one of Mono's own threads only there.
 */
#include <time.h>
#include <unistd.h>

#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	int unused;
};
static MonoProfiler late;

static void
thread_started (MonoProfiler *prof, uintptr_t tid)
{
	if (gettid () != getpid ())
		nanosleep (&(struct timespec) { .tv_nsec = 500000000 }, NULL);
}

MONO_API void mono_profiler_init_late (const char *desc);

void
mono_profiler_init_late (const char *desc)
{
	mono_profiler_set_thread_started_callback (mono_profiler_create (&late), thread_started);
}

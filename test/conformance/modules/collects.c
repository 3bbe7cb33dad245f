/*
 * SPDX-License-Identifier: MIT
 *
 * collects.c - a module that adds up the CPU time of collections by the runtime's own events: what the thread that
 * stopped the world used from there until the world is started again. "collects:FILE" writes
 *
 *     collections N nanoseconds N
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	const char *file;
	pthread_t owner;
	uint64_t began, used;
	unsigned long collections;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_collects (const char *desc);

static uint64_t
used_by_thread (void)
{
	struct timespec t;
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static void
on_event (struct _MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	if (event == MONO_GC_EVENT_POST_STOP_WORLD) {
		p->owner = pthread_self ();
		p->began = used_by_thread ();
	} else if (event == MONO_GC_EVENT_PRE_START_WORLD && p->began && pthread_equal (p->owner, pthread_self ())) {
		p->used += used_by_thread () - p->began;
		p->collections++;
	}
}

static void
on_end (struct _MonoProfiler *p)
{
	FILE *out = fopen (p->file, "w");
	if (!out)
		return;
	fprintf (out, "collections %lu nanoseconds %llu\n", p->collections, (unsigned long long) p->used);
	fclose (out);
}

void
mono_profiler_init_collects (const char *desc)
{
	profiler.file = strdup (strchr (desc, ':') + 1);
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_gc_event_callback (handle, on_event);
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
}

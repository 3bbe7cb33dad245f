/*
 * SPDX-License-Identifier: MIT
 *
 * walker.c - a module that walks the heap whenever all of it was collected, and says at the end what the walk took that
 * met most objects: "walker OBJECTS REFERENCES NANOSECONDS".
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/profiler.h>

typedef struct {
	uint64_t objects, references, nanoseconds;
} figures;

struct _MonoProfiler {
	figures best, now;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_walker (const char *desc);

static uint64_t
now (void)
{
	struct timespec t;
	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static int
on_object (MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
           uintptr_t *offsets, void *data)
{
	figures *f = data;
	f->objects += size != 0;
	f->references += count;
	return 0;
}

static void
on_event (struct _MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	if (event != MONO_GC_EVENT_PRE_START_WORLD || !serial || generation != (uint32_t) mono_gc_max_generation ())
		return;
	uint64_t began = now ();
	p->now = (figures) { .objects = 0 };
	if (mono_gc_walk_heap (0, on_object, &p->now))
		return;
	p->now.nanoseconds = now () - began;
	if (p->now.objects > p->best.objects)
		p->best = p->now;
}

static void
on_end (struct _MonoProfiler *p)
{
	fprintf (stderr, "walker %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", p->best.objects, p->best.references,
	         p->best.nanoseconds);
}

void
mono_profiler_init_walker (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_gc_event_callback (handle, on_event);
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
}

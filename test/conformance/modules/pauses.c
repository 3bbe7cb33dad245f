/*
 * SPDX-License-Identifier: MIT
 *
 * pauses.c - a module that takes a lock when the world is about to stop and gives it back when it runs again, as
 * modules written for Mono do: one thread tells of a pause, and of the collection in it. "pauses:FILE" writes what it
 * found:
 *
 *     pauses N strangers N unlocked N background N apart N held NANOSECONDS
 *
 * `strangers`: events of a pause on another thread than its first; `unlocked`: locks that another thread should have
 * given back; `apart`: collections in the background that ended on another thread than they began on. `held`: how long
 * the collections in the pauses took.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	const char *file;
	pthread_mutex_t collecting;
	pthread_t owner, behind; /* of the pause; of the collection in the background */
	int in_pause;
	long pauses, strangers, unlocked, background, apart;
	uint64_t began, held;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_pauses (const char *desc);

static uint64_t
now (void)
{
	struct timespec t;
	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static int
is_here (pthread_t thread)
{
	return pthread_equal (thread, pthread_self ());
}

/* In START and END the last argument says: an old generation, concurrently. */
static void
on_collection (struct _MonoProfiler *p, MonoProfilerGCEvent event, int in_background)
{
	if (event == MONO_GC_EVENT_START) {
		p->began = now ();
		if (in_background)
			p->behind = pthread_self ();
		return;
	}
	if (in_background) {
		p->background++;
		p->apart += !is_here (p->behind);
		return;
	}
	p->held += now () - p->began;
}

static void
on_event (struct _MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	int in_background = serial && event == MONO_GC_EVENT_END;
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD) {
		p->owner = pthread_self ();
		p->in_pause = 1;
		p->pauses++;
	}
	if (p->in_pause && !in_background)
		p->strangers += !is_here (p->owner);
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		pthread_mutex_trylock (&p->collecting);
	if (event == MONO_GC_EVENT_START || event == MONO_GC_EVENT_END)
		on_collection (p, event, serial);
	if (event == MONO_GC_EVENT_POST_START_WORLD_UNLOCKED) {
		p->unlocked += pthread_mutex_unlock (&p->collecting) != 0;
		p->in_pause = 0;
	}
}

static void
on_end (struct _MonoProfiler *p)
{
	FILE *out = fopen (p->file, "w");
	if (!out)
		return;
	fprintf (out, "pauses %ld strangers %ld unlocked %ld background %ld apart %ld held %llu\n", p->pauses, p->strangers,
	         p->unlocked, p->background, p->apart, (unsigned long long) p->held);
	fclose (out);
}

void
mono_profiler_init_pauses (const char *desc)
{
	pthread_mutexattr_t checked;
	pthread_mutexattr_init (&checked);
	pthread_mutexattr_settype (&checked, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init (&profiler.collecting, &checked);
	profiler.file = strdup (strchr (desc, ':') + 1);
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_gc_event_callback (handle, on_event);
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
}

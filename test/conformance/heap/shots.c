/*
 * SPDX-License-Identifier: MIT
 *
 * shots.c - takes shots of the heap as Mono's own log profiler does: it knows classes by what it was told of them when
 * they were loaded and set up, asks for a shot through the finalizer thread, and for another one when the runtime ends.
 * "shots:FILE" writes what it found:
 *
 *     shot NUMBER CLASS COUNT BYTES     of each class that the module was told of
 *     untold NUMBER COUNT               objects whose class had not been loaded and set up by then
 *     roots NUMBER COUNT                references from roots
 *     BAD-writing COUNT                 events inside of the description of an object
 *
 * A thread of the module waits until FILE.ready is there, has the first shot taken, and makes FILE.taken.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <mono/metadata/class.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>

enum { CLASSES = 1 << 14, SHOTS = 2, PATH = 4096 };

typedef struct {
	_Atomic (MonoClass *) klass;
	atomic_bool is_loaded, is_set_up;
	unsigned long count[SHOTS], bytes[SHOTS];
} known;

struct _MonoProfiler {
	char file[PATH];
	MonoProfilerHandle handle;
	known classes[CLASSES];
	atomic_int requested, taken;
	int is_walking;
	unsigned long untold[SHOTS], roots[SHOTS];
	atomic_ulong writing;
};

static struct _MonoProfiler profiler;
static _Thread_local int is_writing;

MONO_API void mono_profiler_init_shots (const char *desc);

static known *
known_of (struct _MonoProfiler *p, MonoClass *klass)
{
	size_t i = (uintptr_t) klass / 16 % CLASSES;
	for (;; i = (i + 1) % CLASSES) {
		MonoClass *there = NULL;
		if (atomic_compare_exchange_strong (&p->classes[i].klass, &there, klass) || there == klass)
			return &p->classes[i];
	}
}

/* --- what is told of classes -------------------------------------------------------------------------------------- */

static void
on_class (struct _MonoProfiler *p, MonoClass *klass)
{
	p->writing += is_writing != 0;
	atomic_store (&known_of (p, klass)->is_loaded, 1);
}

static void
on_vtable (struct _MonoProfiler *p, MonoVTable *vtable)
{
	p->writing += is_writing != 0;
	atomic_store (&known_of (p, mono_vtable_class (vtable))->is_set_up, 1);
}

/* --- shots -------------------------------------------------------------------------------------------------------- */

static int
on_object (MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
           uintptr_t *offsets, void *data)
{
	struct _MonoProfiler *p = data;
	int number = atomic_load (&p->taken);
	if (!size)
		return 0;
	is_writing = 1;
	known *k = known_of (p, mono_object_get_class (object));
	p->untold[number] += !atomic_load (&k->is_set_up) || !atomic_load (&k->is_loaded);
	k->count[number]++;
	k->bytes[number] += mono_object_get_size (object) + (uintptr_t) (mono_gc_get_generation (object) < -1);
	is_writing = 0;
	return 0;
}

static void
on_collection (struct _MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	int is_old = generation == (uint32_t) mono_gc_max_generation ();
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		p->is_walking = serial && is_old && atomic_load (&p->requested);
	if (event != MONO_GC_EVENT_PRE_START_WORLD || !p->is_walking)
		return;
	if (!serial || !is_old || mono_gc_walk_heap (0, on_object, p))
		return;
	atomic_store (&p->requested, 0);
	atomic_fetch_add (&p->taken, 1);
}

/* Asked for after the init window: in collections that are asked for they come all the same. */
static void
on_roots (struct _MonoProfiler *p, uint64_t count, const mono_byte *const *addresses, MonoObject *const *objects)
{
	int number = atomic_load (&p->taken);
	for (uint64_t i = 0; i < count && p->is_walking && number < SHOTS; i++)
		p->roots[number] += addresses[i] && objects[i];
}

static void
on_finalized (struct _MonoProfiler *p)
{
	if (atomic_load (&p->requested))
		mono_gc_collect (mono_gc_max_generation ());
}

static void
touch (const struct _MonoProfiler *p, const char *suffix)
{
	char path[PATH + 16];
	snprintf (path, sizeof path, "%s%s", p->file, suffix);
	FILE *out = fopen (path, "w");
	if (out)
		fclose (out);
}

static int
is_there (const struct _MonoProfiler *p, const char *suffix)
{
	char path[PATH + 16];
	snprintf (path, sizeof path, "%s%s", p->file, suffix);
	return access (path, F_OK) == 0;
}

static void *
ask (void *data)
{
	struct _MonoProfiler *p = data;
	struct timespec pause = { 0, 10000000 };
	while (!is_there (p, ".ready"))
		nanosleep (&pause, NULL);
	atomic_store (&p->requested, 1);
	mono_gc_finalize_notify ();
	while (!atomic_load (&p->taken))
		nanosleep (&pause, NULL);
	touch (p, ".taken");
	return NULL;
}

static void
on_initialized (struct _MonoProfiler *p)
{
	pthread_t thread;
	mono_profiler_set_gc_roots_callback (p->handle, on_roots);
	if (pthread_create (&thread, NULL, ask, p) == 0)
		pthread_detach (thread);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void
on_ending (struct _MonoProfiler *p)
{
	atomic_store (&p->requested, 1);
	mono_gc_collect (mono_gc_max_generation ());
}

static void
put_class (FILE *out, const known *k, int shot)
{
	char *name = mono_type_get_name (mono_class_get_type (atomic_load (&k->klass)));
	fprintf (out, "shot %d %s %lu %lu\n", shot, name, k->count[shot], k->bytes[shot]);
	mono_free (name);
}

static void
on_end (struct _MonoProfiler *p)
{
	FILE *out = fopen (p->file, "w");
	if (!out)
		return;
	for (int shot = 0; shot < atomic_load (&p->taken) && shot < SHOTS; shot++) {
		for (known *k = p->classes; k < p->classes + CLASSES; k++)
			if (k->count[shot] && k->is_loaded)
				put_class (out, k, shot);
		fprintf (out, "untold %d %lu\nroots %d %lu\n", shot, p->untold[shot], shot, p->roots[shot]);
	}
	fprintf (out, "BAD-writing %lu\n", p->writing);
	fclose (out);
}

void
mono_profiler_init_shots (const char *desc)
{
	struct _MonoProfiler *p = &profiler;
	snprintf (p->file, sizeof p->file, "%s", strchr (desc, ':') + 1);
	MonoProfilerHandle handle = p->handle = mono_profiler_create (p);
	mono_profiler_enable_allocations ();
	mono_profiler_set_runtime_initialized_callback (handle, on_initialized);
	mono_profiler_set_class_loaded_callback (handle, on_class);
	mono_profiler_set_vtable_loaded_callback (handle, on_vtable);
	mono_profiler_set_gc_event_callback (handle, on_collection);
	mono_profiler_set_gc_finalized_callback (handle, on_finalized);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, on_ending);
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * mover.c - profiler module of the tests: is what a collection says of its heap sound? Pairs come between START and
 * END, in batches of at most 64 addresses, from one place to another, to objects that have a class; roots lie where
 * one was registered. "mover:output=FILE[,roots]".
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { REGISTERED_MOST = 1 << 16 };

static char path[4096];
static atomic_int open_collections;
static atomic_ulong moved, tokens, batches, outside, odd, unmoved, nameless, roots, unregistered;
static struct {
	const mono_byte *start;
	uintptr_t size;
} registered[REGISTERED_MOST];
static atomic_uint registered_count;

static void
gc_event (MonoProfiler *profiler, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event == MONO_GC_EVENT_START)
		open_collections++;
	else if (event == MONO_GC_EVENT_END)
		open_collections--;
}

static void
gc_moves (MonoProfiler *profiler, MonoObject *const *objects, uint64_t count)
{
	batches++;
	odd += count % 2 || count > 64 || !count;
	outside += monocle_event_support && !open_collections; /* Mono tells the rest of them behind END */
	for (uint64_t i = 0; i + 1 < count; i += 2) {
		MonoClass *klass = mono_object_get_class (objects[i + 1]);
		const char *name = klass ? mono_class_get_name (klass) : NULL;
		moved++;
		unmoved += objects[i] == objects[i + 1];
		nameless += !name || !*name;
		tokens += name && !strcmp (name, "Token");
	}
}

static int
is_registered (const mono_byte *address)
{
	for (unsigned i = 0; i < registered_count; i++)
		if (address >= registered[i].start && address < registered[i].start + registered[i].size)
			return 1;
	return 0;
}

static void
gc_roots (MonoProfiler *profiler, uint64_t count, const mono_byte *const *addresses, MonoObject *const *objects)
{
	odd += !count || count > 32;
	outside += !open_collections;
	for (uint64_t i = 0; i < count; i++) {
		roots++;
		unregistered += !is_registered (addresses[i]);
		nameless += monocle_event_support && !mono_object_get_class (objects[i]); /* Mono's may be no objects */
	}
}

static void
root_register (MonoProfiler *profiler, const mono_byte *start, uintptr_t size, MonoGCRootSource source, const void *key,
               const char *name)
{
	unsigned i = registered_count++;
	if (i < REGISTERED_MOST) {
		registered[i].start = start;
		registered[i].size = size;
	}
}

static void
shutdown_end (MonoProfiler *profiler)
{
	FILE *file = fopen (path, "w");
	if (!file)
		return;
	fprintf (file,
	         "moved %lu\ntokens %lu\nbatches %lu\noutside %lu\nodd %lu\nunmoved %lu\nnameless %lu\nroots %lu\n"
	         "unregistered %lu\n",
	         moved, tokens, batches, outside, odd, unmoved, nameless, roots, unregistered);
	fclose (file);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_mover (const char *desc);

void
mono_profiler_init_mover (const char *desc)
{
	const char *output = strstr (desc, "output=");
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	snprintf (path, sizeof path, "%.*s", output ? (int) strcspn (output + 7, ",") : 0, output ? output + 7 : "");
	mono_profiler_set_gc_event_callback (handle, gc_event);
	mono_profiler_set_gc_moves_callback (handle, gc_moves);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	if (!strstr (desc, ",roots"))
		return;
	mono_profiler_set_gc_roots_callback (handle, gc_roots);
	mono_profiler_set_gc_root_register_callback (handle, root_register);
}

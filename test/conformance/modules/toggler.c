/*
 * SPDX-License-Identifier: MIT
 *
 * toggler.c - eight threads set and clear callbacks of three handles for as long as the program runs.
 *
 *   toggler:FILE          besides a handle that listens to the same events all the time
 *   toggler:FILE,alone    nobody else listens
 *
 * A handle is called at most once each time an event is raised, and the steady one every time: no count of the others
 * may be larger than its own. At the end of the runtime FILE gets a row per event, "NAME STEADY FIRST SECOND THIRD",
 * and one, "sets", of how often a callback was set or cleared.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { THREADS = 8, HANDLES = 4, STEADY = 0 };

/* clang-format off */

/* Each event's number, then its callback: `prof` points to the counts of its handle. */
enum {
#define MONOCLE_EVENT_ROW(name, ...) EVENT_##name,
#include <monocle/event-rows.h>
	EVENT_COUNT
};

struct _MonoProfiler {
	uint64_t counts[EVENT_COUNT];
};

#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, ...) \
	static void on_##name parameters { __atomic_fetch_add (&prof->counts[EVENT_##name], 1, __ATOMIC_RELAXED); }
#include <monocle/event-rows.h>

/* Mono 6.8 does not have these. */
extern __typeof__ (mono_profiler_set_inline_method_callback) mono_profiler_set_inline_method_callback
    __attribute__ ((weak));
extern __typeof__ (mono_profiler_set_method_samplepoint_callback) mono_profiler_set_method_samplepoint_callback
    __attribute__ ((weak));

typedef void (*setter) (MonoProfilerHandle handle, void *callback);

static const struct {
	const char *name;
	setter set;
	void *callback;
} events[] = {
#define MONOCLE_EVENT_ROW(name, set, ...) { #name, (setter) (void (*) (void)) set, (void *) on_##name },
#include <monocle/event-rows.h>
};

/* What can be listened to late and costs little. */
static const char *const groups[] = {
	"gc_event", "gc_resize", "gc_final", "gc_handle_", "monitor_", "jit_begin", "jit_done", "jit_failed",
	"jit_inlining", "jit_code", "exception_", "thread_", "class_", "image_", "assembly_", "suspension", "code_search",
	"inline_method",
};
/* clang-format on */

static char *output;
static unsigned chosen[EVENT_COUNT], chosen_count;
static MonoProfiler counts[HANDLES];
static MonoProfilerHandle handles[HANDLES];
static pthread_t threads[THREADS];
static bool stop;
static uint64_t sets;

static void
choose (void)
{
	for (unsigned event = 0; event < EVENT_COUNT; event++)
		for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
			if (events[event].set && strncmp (events[event].name, groups[i], strlen (groups[i])) == 0)
				chosen[chosen_count++] = event;
}

static void
set_one (unsigned handle, unsigned event, bool on)
{
	events[event].set (handles[handle], on ? events[event].callback : NULL);
	__atomic_fetch_add (&sets, 1, __ATOMIC_RELAXED);
}

static void *
toggle (void *seed)
{
	unsigned random = (unsigned) (uintptr_t) seed;
	for (unsigned i = 1; !__atomic_load_n (&stop, __ATOMIC_RELAXED); i++) {
		random = random * 1103515245 + 12345;
		set_one (STEADY + 1 + (random >> 16) % (HANDLES - 1), chosen[(random >> 8) % chosen_count], random >> 30 & 1);
		if (i % 16 == 0)
			usleep (50); /* the program is to do something, too */
	}
	return NULL;
}

static void
start_threads (MonoProfiler *prof)
{
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create (&threads[i], NULL, toggle, (void *) (i + 1)))
			abort ();
}

static void
stop_threads (MonoProfiler *prof)
{
	__atomic_store_n (&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	for (unsigned handle = STEADY + 1; handle < HANDLES; handle++)
		for (unsigned i = 0; i < chosen_count; i++)
			set_one (handle, chosen[i], false);
}

static void
write_counts (MonoProfiler *prof)
{
	FILE *file = fopen (output, "w");
	for (unsigned i = 0; file && i < chosen_count; i++) {
		fprintf (file, "%s", events[chosen[i]].name);
		/* The others first: what is told meanwhile is in the steady one's count at least. */
		uint64_t seen[HANDLES];
		for (int handle = HANDLES; handle-- > 0;)
			seen[handle] = __atomic_load_n (&counts[handle].counts[chosen[i]], __ATOMIC_SEQ_CST);
		for (int handle = 0; handle < HANDLES; handle++)
			fprintf (file, "\t%llu", (unsigned long long) seen[handle]);
		fprintf (file, "\n");
	}
	if (file) {
		fprintf (file, "sets\t%llu\n", (unsigned long long) sets);
		fclose (file);
	}
}

MONO_API void mono_profiler_init_toggler (const char *desc);

void
mono_profiler_init_toggler (const char *desc)
{
	const char *arguments = strchr (desc, ':');
	output = strdup (arguments ? arguments + 1 : "toggler.tsv");
	char *comma = strchr (output, ',');
	if (comma)
		*comma = 0;
	choose ();
	/* The steady handle is the oldest: it is called last, when the others were counted. */
	MonoProfilerHandle own = mono_profiler_create (NULL);
	for (int i = 0; i < HANDLES; i++)
		handles[i] = mono_profiler_create (&counts[i]);
	for (unsigned i = 0; i < chosen_count && !comma; i++)
		set_one (STEADY, chosen[i], true);
	mono_profiler_set_runtime_initialized_callback (own, start_threads);
	mono_profiler_set_runtime_shutdown_begin_callback (own, stop_threads);
	mono_profiler_set_runtime_shutdown_end_callback (own, write_counts);
}

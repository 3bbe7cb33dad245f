/*
 * SPDX-License-Identifier: MIT
 *
 * walks.c - walks the stack of every managed thread very often and writes down what it found.
 *
 * Every thread is sampled `freq` times a second, sleeping ones too; sample_hit walks with native frames, takes the CPU
 * time, and keeps frames in memory that was mapped before. When the program ends all is written: "F id kind name
 * image" for each frame that was met, then "W result nanoseconds id id ..." for each walk, innermost first, and "L lost
 * kept".
 *
 * Options: `output=FILE`, `freq=N` (default 1000), `megabytes=N` for the frames (default 512; walks that do not fit are
 * lost), `max=N` frames of a walk (default 4096).
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { IDS = 1 << 19, FRAMES_MAX = 4096, GATHERINGS = 64, UNNAMED = 3 };

/* A walk in memory: how long the record is, how it ended, its frames. */
typedef struct {
	uint32_t count;
	int32_t result;
	uint64_t nanoseconds;
	uint64_t frames[]; /* a method, or an address where there is none; shifted left by two, and its kind */
} walk;

struct _MonoProfiler {
	const char *output;
	unsigned freq, max;
	size_t size;
	uint8_t *memory;
	_Atomic size_t used;
	_Atomic uint64_t lost, kept;
	atomic_bool ended;
	atomic_int inside; /* handlers that run */
};

static struct _MonoProfiler profiler = { .freq = 1000, .max = FRAMES_MAX, .size = (size_t) 512 << 20 };

MONO_API void mono_profiler_init_walks (const char *desc);

/* --- in the handler ----------------------------------------------------------------------------------------------- */

static uint64_t
now (void)
{
	struct timespec t;
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

/* Frames are gathered here and not on the thread's stack, which may be nearly full. */
typedef struct {
	atomic_flag is_taken;
	uint32_t count;
	uint64_t frames[FRAMES_MAX];
} gathering;

static gathering gatherings[GATHERINGS];

static gathering *
take_gathering (void)
{
	for (int i = 0; i < GATHERINGS; i++)
		if (!atomic_flag_test_and_set (&gatherings[i].is_taken))
			return &gatherings[i];
	return NULL;
}

static int
gather (const monocle_frame *frame, void *data)
{
	gathering *g = data;
	bool is_unnamed = frame->kind == MONOCLE_FRAME_MANAGED && !frame->method;
	uint64_t what = frame->method ? (uint64_t) (uintptr_t) frame->method : frame->ip;
	g->frames[g->count++] = what << 2 | (is_unnamed ? UNNAMED : frame->kind);
	return g->count == profiler.max;
}

static void
keep (const gathering *g, int result, uint64_t took)
{
	size_t size = sizeof (walk) + g->count * sizeof *g->frames, at = atomic_fetch_add (&profiler.used, size);
	if (at + size > profiler.size) {
		atomic_fetch_sub (&profiler.used, size);
		atomic_fetch_add (&profiler.lost, 1);
		return;
	}
	walk *w = (walk *) (profiler.memory + at);
	memcpy (w->frames, g->frames, g->count * sizeof *g->frames);
	w->result = result;
	w->nanoseconds = took;
	w->count = g->count;
	atomic_fetch_add (&profiler.kept, 1);
}

static void
sample_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	atomic_fetch_add (&prof->inside, 1);
	gathering *g = atomic_load (&prof->ended) ? NULL : take_gathering ();
	if (g) {
		g->count = 0;
		uint64_t began = now ();
		int result = monocle_stack_walk_async_safe ((void *) context, MONOCLE_WALK_NATIVE, gather, g);
		keep (g, result, now () - began);
		atomic_flag_clear (&g->is_taken);
	}
	atomic_fetch_sub (&prof->inside, 1);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

typedef struct {
	uint64_t frame;
	unsigned id;
} named;

static named ids[IDS];
static unsigned next_id = 1;

static const char *
base_name (const char *path)
{
	const char *slash = strrchr (path, '/');
	return slash ? slash + 1 : path;
}

static void
write_method (FILE *file, MonoMethod *method, unsigned id)
{
	char *name = mono_method_full_name (method, 1);
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	fprintf (file, "F\t%u\tM\t%s\t%s\n", id, name, image ? mono_image_get_name (image) : "");
	free (name);
}

static void
write_frame (FILE *file, uint64_t frame, unsigned id)
{
	uintptr_t what = (uintptr_t) (frame >> 2);
	Dl_info info;
	switch (frame & 3) {
	case MONOCLE_FRAME_MANAGED: write_method (file, (MonoMethod *) what, id); break;
	case MONOCLE_FRAME_NATIVE:
		if (dladdr ((void *) what, &info) && info.dli_fname)
			fprintf (file, "F\t%u\tN\t%s+%" PRIxPTR "\t%s\n", id, info.dli_sname ? info.dli_sname : "",
			         what - (uintptr_t) info.dli_fbase, base_name (info.dli_fname));
		else
			fprintf (file, "F\t%u\tN\t%" PRIxPTR "\t\n", id, what);
		break;
	case MONOCLE_FRAME_STUB:
		fprintf (file, "F\t%u\tS\t%" PRIxPTR "\t%s\n", id, what,
		         dladdr ((void *) what, &info) && info.dli_fname ? base_name (info.dli_fname) : "");
		break;
	default:
		fprintf (file, "F\t%u\tU\t%" PRIxPTR "\t%s\n", id, what,
		         mono_jit_info_table_find (mono_get_root_domain (), (char *) what) ? "named by now" : "");
		break;
	}
}

static unsigned
id_of (FILE *file, uint64_t frame)
{
	uint64_t hash = frame * 0x9E3779B97F4A7C15u >> 40;
	for (unsigned i = 0; i < IDS; i++) {
		named *n = &ids[(hash + i) % IDS];
		if (n->id && n->frame == frame)
			return n->id;
		if (n->id)
			continue;
		*n = (named) { frame, next_id++ };
		write_frame (file, frame, n->id);
		return n->id;
	}
	return 0;
}

static void
write_walk (FILE *file, const walk *w)
{
	unsigned *list = malloc ((w->count + 1) * sizeof *list);
	for (uint32_t i = 0; list && i < w->count; i++)
		list[i] = id_of (file, w->frames[i]);
	fprintf (file, "W\t%d\t%" PRIu64 "\t", w->result, w->nanoseconds);
	for (uint32_t i = 0; list && i < w->count; i++)
		fprintf (file, i ? " %u" : "%u", list[i]);
	fputc ('\n', file);
	free (list);
}

static void
shutdown_end (MonoProfiler *prof)
{
	atomic_store (&prof->ended, true);
	while (atomic_load (&prof->inside))
		usleep (1000);
	FILE *file = fopen (prof->output, "w");
	if (!file)
		return;
	size_t at = 0;
	for (uint64_t i = 0; i < prof->kept; i++) {
		const walk *w = (const walk *) (prof->memory + at);
		write_walk (file, w);
		at += sizeof *w + w->count * sizeof *w->frames;
	}
	fprintf (file, "L\t%" PRIu64 "\t%" PRIu64 "\n", prof->lost, prof->kept);
	fclose (file);
}

static void
take_option (const char *word)
{
	if (strncmp (word, "output=", 7) == 0)
		profiler.output = strdup (word + 7);
	else if (strncmp (word, "freq=", 5) == 0)
		profiler.freq = (unsigned) atoi (word + 5);
	else if (strncmp (word, "megabytes=", 10) == 0)
		profiler.size = (size_t) atoi (word + 10) << 20;
	else if (strncmp (word, "max=", 4) == 0)
		profiler.max = (unsigned) atoi (word + 4);
}

MONO_API void
mono_profiler_init_walks (const char *desc)
{
	char *copy = strdup (strchr (desc, ':') ? strchr (desc, ':') + 1 : ""), *rest = copy;
	profiler.output = "walks.txt";
	for (char *word; (word = strsep (&rest, ","));)
		take_option (word);
	free (copy);
	profiler.max = profiler.max && profiler.max <= FRAMES_MAX ? profiler.max : FRAMES_MAX;
	profiler.freq = profiler.freq ? profiler.freq : 1;
	profiler.memory =
	    mmap (NULL, profiler.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	if (profiler.memory == MAP_FAILED || !monocle_stack_walk_async_safe || !mono_profiler_enable_sampling (handle)) {
		fprintf (stderr, "walks: no sampling here\n");
		return;
	}
	mono_profiler_set_sample_hit_callback (handle, sample_hit);
	mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, profiler.freq);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}

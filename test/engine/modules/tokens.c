/*
 * SPDX-License-Identifier: MIT
 *
 * tokens.c - counts every way into and out of each method definition, and proves on every thread that calls nest.
 *
 * Methods are added up by image and metadata token: instances of a generic method, which one engine names and another
 * does not, fall together. Beside the counts each thread keeps the methods it is in; an exit of anything but the
 * innermost is a mismatch. What the threads are in at the end makes the sum exact: enters = exits + open, per
 * definition.
 *
 * Options: `output=FILE`, `image=NAME` (methods of that image; repeatable), `every=N` with `phase=K` (only methods
 * whose token hashes to K modulo N: what is probed lies between what is not), `method=NAME` (those whose
 * names begin so), `only=enter` and `only=leave` (nothing nests then).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

/* A power of two, several times what the SDK's compiler has in methods. */
#define ROWS (1u << 17)

enum { ENTER, LEAVE, TAIL, EXCEPTION, KINDS, IMAGES_MAX = 8 };

typedef struct {
	_Atomic (MonoMethod *) method; /* set once, by whoever meets the method first */
	_Atomic uint64_t counts[KINDS];
	uint64_t open; /* summed up at the end */
} row;

/* The calls that one thread is in; written by that thread only, read at the end. Lives for ever. */
typedef struct frames {
	struct frames *_Atomic next;
	atomic_bool ended;
	_Atomic size_t depth;
	size_t capacity;
	MonoMethod **methods;
} frames;

struct _MonoProfiler {
	const char *output, *images[IMAGES_MAX], *method;
	unsigned image_count, every, phase;
	MonoProfilerCallInstrumentationFlags flags;
	_Atomic uint64_t lost;         /* events of methods that found no row */
	_Atomic uint64_t mismatches;   /* exits of what is not innermost */
	_Atomic uint64_t left_open;    /* calls that ended threads were in */
	_Atomic (MonoMethod *) odd[2]; /* the first mismatch: what was left, what was innermost */
	frames *_Atomic threads;
	atomic_bool ended; /* threads that still run are not counted while we write */
	pthread_key_t key;
	row rows[ROWS];
};

static struct _MonoProfiler profiler = {
	.flags = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	         MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE,
};
static __thread frames *own;

MONO_API void mono_profiler_init_tokens (const char *desc);

/* --- threads ------------------------------------------------------------------------------------------------------ */

static frames *
own_frames (void)
{
	if (own)
		return own;
	own = calloc (1, sizeof *own);
	if (!own)
		abort ();
	frames *head = atomic_load (&profiler.threads);
	do {
		atomic_store (&own->next, head);
	} while (!atomic_compare_exchange_weak (&profiler.threads, &head, own));
	pthread_setspecific (profiler.key, own);
	return own;
}

static void
thread_ended (void *data)
{
	frames *f = data;
	atomic_store (&f->ended, true);
	atomic_fetch_add (&profiler.left_open, atomic_load (&f->depth));
	own = NULL;
}

static void
push (MonoMethod *method)
{
	frames *f = own_frames ();
	size_t depth = atomic_load_explicit (&f->depth, memory_order_relaxed);
	if (depth == f->capacity) {
		f->capacity = f->capacity * 2 + 256;
		f->methods = realloc (f->methods, f->capacity * sizeof *f->methods);
		if (!f->methods)
			abort ();
	}
	f->methods[depth] = method;
	atomic_store_explicit (&f->depth, depth + 1, memory_order_relaxed);
}

static void
pop (MonoMethod *method)
{
	frames *f = own_frames ();
	size_t depth = atomic_load_explicit (&f->depth, memory_order_relaxed);
	if (depth && f->methods[depth - 1] == method) {
		atomic_store_explicit (&f->depth, depth - 1, memory_order_relaxed);
		return;
	}
	if (atomic_fetch_add (&profiler.mismatches, 1) == 0) {
		atomic_store (&profiler.odd[0], method);
		atomic_store (&profiler.odd[1], depth ? f->methods[depth - 1] : NULL);
	}
	for (size_t i = depth; i-- > 0;)
		if (f->methods[i] == method) {
			atomic_store (&f->depth, i);
			return;
		}
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* The method's row, made on first sight; NULL when the table is full. Lock-free: rows are only ever added. */
static row *
row_of (MonoMethod *method)
{
	uint32_t start = (uint32_t) (((uintptr_t) method * UINT64_C (0x9e3779b97f4a7c15)) >> 40);
	for (uint32_t i = 0; i < ROWS; i++) {
		row *r = &profiler.rows[(start + i) & (ROWS - 1)];
		MonoMethod *found = atomic_load_explicit (&r->method, memory_order_acquire);
		if (!found && atomic_compare_exchange_strong (&r->method, &found, method))
			return r;
		if (found == method)
			return r;
	}
	return NULL;
}

static void
count (MonoMethod *method, int kind)
{
	if (atomic_load_explicit (&profiler.ended, memory_order_relaxed))
		return;
	if (kind == ENTER && profiler.flags != MONO_PROFILER_CALL_INSTRUMENTATION_ENTER)
		push (method);
	else if (kind != ENTER && profiler.flags != MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE)
		pop (method);
	row *r = row_of (method);
	atomic_fetch_add_explicit (r ? &r->counts[kind] : &profiler.lost, 1, memory_order_relaxed);
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	count (method, ENTER);
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	count (method, LEAVE);
}

static void
method_tail_call (MonoProfiler *prof, MonoMethod *method, MonoMethod *target)
{
	count (method, TAIL);
}

static void
method_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	count (method, EXCEPTION);
}

/* --- which methods ------------------------------------------------------------------------------------------------ */

static const char *
image_name (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	return image ? mono_image_get_name (image) : "";
}

static bool
is_chosen (MonoProfiler *prof, MonoMethod *method)
{
	const char *name = image_name (method);
	bool chosen = prof->image_count == 0;
	for (unsigned i = 0; i < prof->image_count; i++)
		chosen |= strcmp (name, prof->images[i]) == 0;
	if (prof->method && strncmp (mono_method_get_name (method), prof->method, strlen (prof->method)))
		return false;
	uint32_t hash = mono_method_get_token (method) * 0x9e3779b1u >> 8;
	return chosen && (prof->every < 2 || hash % prof->every == prof->phase);
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	if (!is_chosen (prof, method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return prof->flags;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void
add_open_frames (FILE *file)
{
	unsigned number = 0;
	for (frames *f = atomic_load (&profiler.threads); f; f = atomic_load (&f->next)) {
		size_t depth = atomic_load (&f->depth);
		if (depth)
			fprintf (file, "#thread\t%u\t%s\t%zu\n", number, atomic_load (&f->ended) ? "ended" : "alive", depth);
		for (size_t i = 0; i < depth; i++) {
			row *r = row_of (f->methods[i]);
			if (r)
				r->open++;
		}
		number++;
	}
}

static void
write_row (FILE *file, row *r)
{
	MonoMethod *method = atomic_load (&r->method);
	char *name = mono_method_full_name (method, 1);
	fprintf (file, "%s\t0x%08x\t%s", image_name (method), mono_method_get_token (method), name);
	for (int kind = 0; kind < KINDS; kind++)
		fprintf (file, "\t%" PRIu64, atomic_load (&r->counts[kind]));
	fprintf (file, "\t%" PRIu64 "\n", r->open);
	free (name);
}

static void
write_odd (FILE *file)
{
	fprintf (file, "#mismatches\t%" PRIu64, atomic_load (&profiler.mismatches));
	for (int i = 0; i < 2; i++) {
		MonoMethod *method = atomic_load (&profiler.odd[i]);
		char *name = method ? mono_method_full_name (method, 1) : NULL;
		fprintf (file, "\t%s", name ? name : "-");
		free (name);
	}
	fprintf (file, "\n");
}

static void
shutdown_end (MonoProfiler *prof)
{
	const char *output = prof->output ? prof->output : "tokens.tsv";
	char part[4096];
	snprintf (part, sizeof part, "%s.part", output);
	FILE *file = fopen (part, "w");
	if (!file)
		return;
	/* Who is inside a callback now gets the time to come out of it. */
	atomic_store (&prof->ended, true);
	usleep (20000);
	fprintf (file, "image\ttoken\tmethod\tenter\tleave\ttail\texception\topen\n");
	add_open_frames (file);
	for (uint32_t i = 0; i < ROWS; i++)
		if (atomic_load (&prof->rows[i].method))
			write_row (file, &prof->rows[i]);
	write_odd (file);
	fprintf (file, "#lost\t%" PRIu64 "\n", atomic_load (&prof->lost));
	fprintf (file, "#left-open\t%" PRIu64 "\n", atomic_load (&prof->left_open));
	if (fclose (file) == 0)
		rename (part, output); /* whole, or not there */
}

static void
take_option (const char *word)
{
	if (strncmp (word, "output=", 7) == 0)
		profiler.output = strdup (word + 7);
	else if (strncmp (word, "image=", 6) == 0 && profiler.image_count < IMAGES_MAX)
		profiler.images[profiler.image_count++] = strdup (word + 6);
	else if (strncmp (word, "every=", 6) == 0)
		profiler.every = (unsigned) atoi (word + 6);
	else if (strncmp (word, "phase=", 6) == 0)
		profiler.phase = (unsigned) atoi (word + 6);
	else if (strncmp (word, "method=", 7) == 0)
		profiler.method = strdup (word + 7);
	else if (strcmp (word, "only=enter") == 0)
		profiler.flags = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
	else if (strcmp (word, "only=leave") == 0)
		profiler.flags = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE;
	else
		fprintf (stderr, "tokens: unknown option '%s'\n", word);
}

MONO_API void
mono_profiler_init_tokens (const char *desc)
{
	const char *colon = strchr (desc, ':');
	char *options = strdup (colon ? colon + 1 : ""), *state = NULL;
	for (char *word = strtok_r (options, ",", &state); word; word = strtok_r (NULL, ",", &state))
		take_option (word);
	free (options);
	pthread_key_create (&profiler.key, thread_ended);
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_tail_call_callback (handle, method_tail_call);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * counter.c - counts every way into and out of each method, by nothing but Mono's public API.
 *
 * The yardstick of the conformance tests: it shares no code with the toolkit, so that no error there can hide itself.
 * Options: `output=FILE` (a TSV, written at the end of the runtime), `image=NAME` (methods of that image; else all).
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

/* A power of two, several times what any test program (the SDK's compiler included) has in methods. */
#define ROWS (1u << 17)

enum { ENTER, LEAVE, TAIL, EXCEPTION, KINDS };

typedef struct {
	_Atomic (MonoMethod *) method; /* set once, by whoever meets the method first */
	_Atomic uint64_t counts[KINDS];
} row;

struct _MonoProfiler {
	char *output;
	char *image;
	_Atomic uint64_t lost; /* events of methods that found no row */
	row rows[ROWS];
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_counter (const char *desc);

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
	row *r = row_of (method);
	_Atomic uint64_t *cell = r ? &r->counts[kind] : &profiler.lost;

	atomic_fetch_add_explicit (cell, 1, memory_order_relaxed);
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

static MonoImage *
method_image (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);

	return klass ? mono_class_get_image (klass) : NULL;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoImage *image = method_image (method);

	if (prof->image && (!image || strcmp (mono_image_get_name (image), prof->image) != 0))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	       MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

static void
write_row (FILE *file, row *r)
{
	MonoMethod *method = atomic_load (&r->method);
	MonoImage *image = method_image (method);
	char *name = mono_method_full_name (method, 1);

	fprintf (file, "%s\t%s", image ? mono_image_get_name (image) : "", name);
	for (int kind = 0; kind < KINDS; kind++)
		fprintf (file, "\t%" PRIu64, atomic_load (&r->counts[kind]));
	fprintf (file, "\n");
	free (name);
}

static void
shutdown_end (MonoProfiler *prof)
{
	FILE *file = fopen (prof->output ? prof->output : "counter.tsv", "w");

	if (!file)
		return;
	fprintf (file, "image\tmethod\tenter\tleave\ttail\texception\n");
	for (uint32_t i = 0; i < ROWS; i++) {
		if (atomic_load (&prof->rows[i].method))
			write_row (file, &prof->rows[i]);
	}
	fprintf (file, "#lost\t%" PRIu64 "\n", atomic_load (&prof->lost));
	fclose (file);
}

static void
parse_options (const char *desc)
{
	const char *colon = strchr (desc, ':');
	char *options = strdup (colon ? colon + 1 : "");
	char *state = NULL;

	for (char *word = strtok_r (options, ",", &state); word; word = strtok_r (NULL, ",", &state)) {
		if (strncmp (word, "output=", 7) == 0)
			profiler.output = strdup (word + 7);
		else if (strncmp (word, "image=", 6) == 0)
			profiler.image = strdup (word + 6);
		else
			fprintf (stderr, "counter: unknown option '%s'\n", word);
	}
	free (options);
}

MONO_API void
mono_profiler_init_counter (const char *desc)
{
	parse_options (desc);
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_tail_call_callback (handle, method_tail_call);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
}

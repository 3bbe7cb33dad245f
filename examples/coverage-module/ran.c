/*
 * SPDX-License-Identifier: MIT
 *
 * ran.c - which methods of the program ran, and how much of them, with Mono's coverage functions only.
 *
 *   --profile=ran
 *
 * The filter picks methods when they are compiled. Counting costs no callback: the runtime's code counts by itself, and
 * the counters are read at the end. How many points a method has depends on the compiler and on symbols; what is the
 * same everywhere is how often the first one ran, and whether all did.
 */
#include <stdio.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>

enum { METHODS_MAX = 1000 };

struct _MonoProfiler {
	MonoProfilerHandle handle;
	MonoMethod *methods[METHODS_MAX]; /* that were compiled; those that were compiled again are there again */
	unsigned method_count;            /* taken by atomic addition: threads compile at the same time */
	unsigned points, hit, first;      /* of the method that is being looked at */
};

static MonoProfiler profiler;

static MonoImage *
program_image (void)
{
	MonoAssembly *program = mono_assembly_get_main ();
	return program ? mono_assembly_get_image (program) : NULL;
}

static mono_bool
filter (MonoProfiler *prof, MonoMethod *method)
{
	return mono_class_get_image (mono_method_get_class (method)) == program_image ();
}

static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *code)
{
	if (!filter (prof, method) || !mono_method_get_token (method))
		return;
	unsigned index = __atomic_fetch_add (&prof->method_count, 1, __ATOMIC_RELAXED);
	if (index < METHODS_MAX)
		prof->methods[index] = method;
}

static void
add_point (MonoProfiler *prof, const MonoProfilerCoverageData *data)
{
	if (prof->points++ == 0)
		prof->first = data->counter;
	prof->hit += data->counter != 0;
}

static int
was_shown (MonoProfiler *prof, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (prof->methods[i] == prof->methods[index])
			return 1;
	return 0;
}

static void
show_method (MonoProfiler *prof, MonoMethod *method)
{
	char *name = mono_method_full_name (method, 1);
	prof->points = prof->hit = prof->first = 0;
	/* 0: a method without a body. No points: one that nobody wrote, as a class's default constructor. */
	if (mono_profiler_get_coverage_data (prof->handle, method, add_point) && prof->points)
		fprintf (stderr, "ran: %s %u times, %s\n", name, prof->first,
		         prof->hit == prof->points ? "all of it" : "in part");
	mono_free (name);
}

static void
runtime_shutdown_begin (MonoProfiler *prof)
{
	for (unsigned i = 0; i < prof->method_count && i < METHODS_MAX; i++)
		if (!was_shown (prof, i))
			show_method (prof, prof->methods[i]);
	if (prof->method_count > METHODS_MAX)
		fprintf (stderr, "ran: %u further methods\n", prof->method_count - METHODS_MAX);
}

MONO_API void mono_profiler_init_ran (const char *desc);

void
mono_profiler_init_ran (const char *desc)
{
	profiler.handle = mono_profiler_create (&profiler);
	if (!mono_profiler_enable_coverage ())
		return; /* the runtime has said why */
	mono_profiler_set_coverage_filter_callback (profiler.handle, filter);
	mono_profiler_set_jit_done_callback (profiler.handle, jit_done);
	mono_profiler_set_runtime_shutdown_begin_callback (profiler.handle, runtime_shutdown_begin);
}

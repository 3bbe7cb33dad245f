/* SPDX-License-Identifier: MIT */
/* tally.c - a profiler module: how often are the program's own methods called, and how many assemblies has it? */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	atomic_uint calls, assemblies;
};
static MonoProfiler profiler;

/* Is it the program's, and not the framework's? */
static int
is_own (MonoImage *image)
{
	static const char *const framework[] = { "mscorlib", "netstandard", "System", "Microsoft.", "Mono." };
	const char *name = image ? mono_image_get_name (image) : NULL;

	for (size_t i = 0; name && i < sizeof framework / sizeof *framework; i++)
		if (strncmp (name, framework[i], strlen (framework[i])) == 0)
			return 0;
	return name != NULL;
}

/* Asked once for each method, when it is compiled. Mono also asks for glue code, which has no row in a table. */
static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	if ((mono_method_get_token (method) & 0xffffff) == 0)
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return is_own (mono_class_get_image (mono_method_get_class (method))) ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER
	                                                                      : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

/* Runs in the middle of the program's code: count and return, never wait. */
static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	atomic_fetch_add_explicit (&prof->calls, 1, memory_order_relaxed);
}

static void
assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	if (is_own (mono_assembly_get_image (assembly)))
		atomic_fetch_add_explicit (&prof->assemblies, 1, memory_order_relaxed);
}

static void
runtime_shutdown_end (MonoProfiler *prof)
{
	fprintf (stderr, "tally: calls %u, assemblies %u\n", prof->calls, prof->assemblies);
}

MONO_API void mono_profiler_init_tally (const char *desc);

/* `desc` is the text after --profile=, "tally" or "tally:ARGUMENTS". */
void
mono_profiler_init_tally (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}

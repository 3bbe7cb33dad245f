/*
 * SPDX-License-Identifier: MIT
 *
 * foreign.c - a module of somebody else's, which knows nothing of standing by: it tells what it is told, in a file that
 * TELL names, and cannot be closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	const char *right;
};

static MonoProfiler foreign = { "cleanup" };

MONO_API void mono_profiler_init_foreign (const char *desc);

static void
tell (const char *text)
{
	FILE *file = fopen (getenv ("TELL"), "a");
	fprintf (file, "%s\n", text);
	fclose (file);
}

static void
begin (MonoProfiler *prof)
{
	tell ("initialized");
}

static void
end (MonoProfiler *prof)
{
	tell ("end");
}

static void
cleanup (MonoProfiler *prof)
{
	tell (prof->right);
}

static void
enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	tell ("enter");
}

static MonoProfilerCallInstrumentationFlags
all (MonoProfiler *prof, MonoMethod *method)
{
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

MONO_API void
mono_profiler_init_foreign (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&foreign);
	tell (desc);
	tell (mono_profiler_enable_allocations () || mono_profiler_enable_clauses () ? "granted" : "refused");
	mono_profiler_set_call_instrumentation_filter_callback (handle, all);
	mono_profiler_set_method_enter_callback (handle, enter);
	mono_profiler_set_runtime_initialized_callback (handle, begin);
	mono_profiler_set_runtime_shutdown_end_callback (handle, end);
	mono_profiler_set_cleanup_callback (handle, cleanup);
}

/* SPDX-License-Identifier: MIT */
/* hello.c - the smallest useful module: how often are the methods of class Greeter called? */
#include <stdio.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	unsigned calls;
};
static MonoProfiler hello;

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	const char *name = mono_class_get_name (mono_method_get_class (method));
	return strcmp (name, "Greeter") == 0 ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : 0;
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	__atomic_fetch_add (&prof->calls, 1, __ATOMIC_RELAXED);
}

static void
runtime_shutdown_end (MonoProfiler *prof)
{
	fprintf (stderr, "hello: %u calls\n", prof->calls);
}

MONO_API void mono_profiler_init_hello (const char *desc);

void
mono_profiler_init_hello (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&hello);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}

/* SPDX-License-Identifier: MIT */
/* docsample.c - in the shape of the sample in Mono's documentation: counts calls, prints the number at the end. */
#include <mono/metadata/profiler.h>
#include <stdio.h>
#include <stdlib.h>

struct _MonoProfiler {
	unsigned long long calls;
};

static MonoProfiler sample;

static void
shutdown (MonoProfiler *prof)
{
	printf ("calls: %llu\n", prof->calls);
	fflush (stdout);
}

static void
enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	prof->calls++;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

void mono_profiler_init_docsample (const char *desc);

/* Exported as the documentation's sample is: by default visibility, for it knows no MONO_API. */
__attribute__ ((visibility ("default"))) void
mono_profiler_init_docsample (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&sample);

	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, enter);
}

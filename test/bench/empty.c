/*
 * SPDX-License-Identifier: MIT
 *
 * empty.c - the cheapest module that asks for calls: what a runtime charges for an enter and a leave.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	const char *image; /* methods of the image with this name */
};

static MonoProfiler profiler;

MONO_API void mono_profiler_init_empty (const char *desc);

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;

	bool all = strcmp (prof->image, "*") == 0;

	if (!all && (!image || strcmp (mono_image_get_name (image), prof->image) != 0))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE;
}

/* `empty:IMAGE`: calls of its methods. `empty:*`: all calls. `empty:`: nothing at all. */
MONO_API void
mono_profiler_init_empty (const char *desc)
{
	const char *colon = strchr (desc, ':');
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	profiler.image = strdup (colon ? colon + 1 : "loops");
	if (!*profiler.image)
		return;
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
}

/* What calli.cs calls: the cheapest probe there can be. */
MONO_API void bench_nothing (int64_t record);

MONO_API void
bench_nothing (int64_t record)
{
}

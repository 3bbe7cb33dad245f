/*
 * SPDX-License-Identifier: MIT
 *
 * contexts.c - the cheapest module that asks for call contexts: `contexts:IMAGE` has them and reads nothing,
 * `contexts:IMAGE,read` copies the first argument at the enter and the result at the leave.
 */
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	char *image; /* methods of the image with this name */
};

static MonoProfiler profiler;
static void *volatile nobody; /* the getters that are only imported: hosts keep what they can be asked for */

MONO_API void mono_profiler_init_contexts (const char *desc);

static void
look (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
}

static void
read_argument (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	mono_profiler_call_context_free_buffer (mono_profiler_call_context_get_argument (context, 0));
}

static void
read_result (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	mono_profiler_call_context_free_buffer (mono_profiler_call_context_get_result (context));
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;

	if (!image || strcmp (mono_image_get_name (image), prof->image) != 0)
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT |
	       MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
}

MONO_API void
mono_profiler_init_contexts (const char *desc)
{
	const char *colon = strchr (desc, ':');
	char *comma;
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	profiler.image = strdup (colon ? colon + 1 : "loops");
	comma = strchr (profiler.image, ',');
	if (comma)
		*comma = '\0';
	nobody = (void *) mono_profiler_call_context_get_this;
	mono_profiler_enable_call_context_introspection ();
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, comma ? read_argument : look);
	mono_profiler_set_method_leave_callback (handle, comma ? read_result : look);
}

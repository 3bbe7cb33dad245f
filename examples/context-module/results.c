/*
 * SPDX-License-Identifier: MIT
 *
 * results.c - what the methods of the program's own image return, those whose result is an `int`.
 *
 *   --profile=results
 *
 * A context is there when the filter asks for it; what it shows, when introspection was enabled. The getter's buffer is
 * a copy of the value, as long as its type.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	mono_bool introspects;
};

static MonoProfiler profiler;

static int
returns_int (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	MonoType *type = signature ? mono_signature_get_return_type (signature) : NULL;

	return type && !mono_type_is_byref (type) && mono_type_get_type (type) == MONO_TYPE_I4;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	MonoAssembly *program = mono_assembly_get_main ();

	if (!program || image != mono_assembly_get_image (program) || !returns_int (method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
}

/* With another module beside us, what only its filter asked for comes here as well. */
static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	int32_t *result = returns_int (method) ? mono_profiler_call_context_get_result (context) : NULL;
	char *name = result ? mono_method_full_name (method, 1) : NULL;

	if (name)
		fprintf (stderr, "results: %s = %d\n", name, (int) *result);
	mono_free (name);
	mono_profiler_call_context_free_buffer (result);
}

MONO_API void mono_profiler_init_results (const char *desc);

void
mono_profiler_init_results (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	profiler.introspects = mono_profiler_enable_call_context_introspection ();
	if (!profiler.introspects) {
		fprintf (stderr, "results: this host shows no values of calls\n");
		return;
	}
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
}

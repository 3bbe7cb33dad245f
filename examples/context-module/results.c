/*
 * SPDX-License-Identifier: MIT
 *
 * results.c - what the methods of the program's own image return, those whose result is an `int`.
 *
 *   --profile=results
 *
 * A context is there when the filter asks for it; what it shows, when introspection was enabled. The getter's buffer is
 * a copy of the value, as long as its type. Types are asked in the filter: in a call callback that is not allowed, so
 * the filter notes the methods. A module that does more than print a few lines would not print there either, but put
 * the value into memory of its own.
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

enum { SLOTS = 1 << 12 };

struct _MonoProfiler {
	MonoMethod *wanted[SLOTS]; /* NULL: free; taken once, by compare and swap */
};

static MonoProfiler profiler;

static int
returns_int (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	MonoType *type = signature ? mono_signature_get_return_type (signature) : NULL;

	return type && !mono_type_is_byref (type) && mono_type_get_type (type) == MONO_TYPE_I4;
}

/* Is the method noted? With `may_add` it is noted, unless the table is full. */
static int
is_noted (MonoProfiler *prof, MonoMethod *method, int may_add)
{
	size_t hash = ((uint64_t) (uintptr_t) method >> 3) * 0x9e3779b97f4a7c15u >> 40;

	for (size_t i = 0; i < SLOTS; i++) {
		MonoMethod **slot = &prof->wanted[(hash + i) % SLOTS];
		MonoMethod *owner = __atomic_load_n (slot, __ATOMIC_RELAXED);
		if (!owner && !may_add)
			return 0;
		if (!owner && __atomic_compare_exchange_n (slot, &owner, method, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return 1;
		if (owner == method)
			return 1;
	}
	return 0;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	MonoAssembly *program = mono_assembly_get_main ();

	if (!program || image != mono_assembly_get_image (program) || !returns_int (method) || !is_noted (prof, method, 1))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
}

/* With another module beside us, what only its filter asked for comes here as well. */
static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	int32_t *result = is_noted (prof, method, 0) ? mono_profiler_call_context_get_result (context) : NULL;
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

	if (!mono_profiler_enable_call_context_introspection ()) {
		fprintf (stderr, "results: this host shows no values of calls\n");
		return;
	}
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
}

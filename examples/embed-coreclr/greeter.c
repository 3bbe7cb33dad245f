/*
 * SPDX-License-Identifier: MIT
 *
 * greeter.c - a module that knows Mono's headers only, and says the same wherever it is loaded: what may be enabled,
 * and how many calls, objects and exception clauses of the class Greeter there were.
 *
 *   greeter[:all]
 *
 * `all` asks for coverage and call contexts, too, which not every runtime grants.
 */
#include <stdio.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	unsigned calls, objects, clauses;
};
static MonoProfiler greeter;

static int
is_greeter (MonoClass *klass)
{
	return strcmp (mono_class_get_name (klass), "Greeter") == 0;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	return is_greeter (mono_method_get_class (method)) ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : 0;
}

/* What another module asked for comes here as well. */
static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (is_greeter (mono_method_get_class (method)))
		__atomic_fetch_add (&prof->calls, 1, __ATOMIC_RELAXED);
}

static void
gc_allocation (MonoProfiler *prof, MonoObject *object)
{
	if (is_greeter (mono_object_get_class (object)))
		__atomic_fetch_add (&prof->objects, 1, __ATOMIC_RELAXED);
}

static void
exception_clause (MonoProfiler *prof, MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	if (is_greeter (mono_method_get_class (method)))
		__atomic_fetch_add (&prof->clauses, 1, __ATOMIC_RELAXED);
}

static void
runtime_shutdown_end (MonoProfiler *prof)
{
	fprintf (stderr, "greeter: %u calls, %u objects, %u clauses\n", prof->calls, prof->objects, prof->clauses);
}

MONO_API void mono_profiler_init_greeter (const char *desc);

void
mono_profiler_init_greeter (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&greeter);

	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_gc_allocation_callback (handle, gc_allocation);
	mono_profiler_set_exception_clause_callback (handle, exception_clause);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
	fprintf (stderr, "greeter: allocations %d, clauses %d, sampling %d\n", mono_profiler_enable_allocations (),
	         mono_profiler_enable_clauses (), mono_profiler_enable_sampling (handle));
	if (strstr (desc, ":all"))
		fprintf (stderr, "greeter: coverage %d, call contexts %d\n", mono_profiler_enable_coverage (),
		         mono_profiler_enable_call_context_introspection ());
}

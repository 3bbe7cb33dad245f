/*
 * SPDX-License-Identifier: MIT
 *
 * asker.c - a module that asks for what only the main profiler of a process may have, and says what it was told.
 */
#include <stdio.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

struct _MonoProfiler {
	int unused;
};
static MonoProfiler asker;

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

static void
entered (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	fprintf (stderr, "asker: entered\n");
}

static void
invoked (MonoProfiler *prof, MonoMethod *method)
{
	fprintf (stderr, "asker: invoked\n");
}

static void
roots (MonoProfiler *prof, uint64_t count, const mono_byte *const *addresses, MonoObject *const *objects)
{
	fprintf (stderr, "asker: roots\n");
}

static void
clause (MonoProfiler *prof, MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	fprintf (stderr, "asker: clause\n");
}

MONO_API void mono_profiler_init_asker (const char *desc);

void
mono_profiler_init_asker (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&asker);
	int clauses = mono_profiler_enable_clauses (), again = mono_profiler_enable_clauses ();
	int allocations = mono_profiler_enable_allocations (), sampling = mono_profiler_enable_sampling (handle);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, entered);
	mono_profiler_set_method_begin_invoke_callback (handle, invoked);
	mono_profiler_set_gc_roots_callback (handle, roots);
	mono_profiler_set_exception_clause_callback (handle, clause);
	fprintf (stderr, "asker: clauses %d %d, allocations %d, sampling %d\n", clauses, again, allocations, sampling);
}

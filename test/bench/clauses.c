/*
 * SPDX-License-Identifier: MIT
 *
 * clauses.c - the cheapest module that listens to handlers: what a runtime charges for an exception_clause.
 */
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_clauses (const char *desc);

static void
exception_clause (MonoProfiler *prof, MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *object)
{
}

MONO_API void
mono_profiler_init_clauses (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	if (mono_profiler_enable_clauses ())
		mono_profiler_set_exception_clause_callback (handle, exception_clause);
}

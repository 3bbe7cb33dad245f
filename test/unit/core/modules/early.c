/*
 * SPDX-License-Identifier: MIT
 *
 * early.c - a module that enables what it can and says what it was told, when it starts and when the runtime is up.
 */
#include <stdio.h>
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_early (const char *desc);

static void
enable (const char *when)
{
	fprintf (stderr, "early: %s: allocations %d, clauses %d\n", when, mono_profiler_enable_allocations (),
	         mono_profiler_enable_clauses ());
}

static void
on_initialized (MonoProfiler *prof)
{
	enable ("initialized");
}

static void
on_cleanup (MonoProfiler *prof)
{
	fprintf (stderr, "early: cleanup\n");
}

void
mono_profiler_init_early (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);

	mono_profiler_set_runtime_initialized_callback (handle, on_initialized);
	mono_profiler_set_cleanup_callback (handle, on_cleanup);
	enable ("init");
}

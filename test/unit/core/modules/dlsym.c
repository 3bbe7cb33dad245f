/*
 * SPDX-License-Identifier: MIT
 *
 * dlsym.c - a module that needs no symbol of Mono's: it asks the dynamic linker for each.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_dlsym (const char *desc);

static void
on_initialized (MonoProfiler *prof)
{
	fprintf (stderr, "dlsym: initialized\n");
}

void
mono_profiler_init_dlsym (const char *desc)
{
	MonoProfilerHandle (*create) (MonoProfiler *) =
	    (MonoProfilerHandle (*) (MonoProfiler *)) dlsym (RTLD_DEFAULT, "mono_profiler_create");
	void (*set) (MonoProfilerHandle, MonoProfilerRuntimeInitializedCallback) =
	    (void (*) (MonoProfilerHandle, MonoProfilerRuntimeInitializedCallback)) dlsym (
	        RTLD_DEFAULT, "mono_profiler_set_runtime_initialized_callback");

	if (create && set)
		set (create (NULL), on_initialized);
}

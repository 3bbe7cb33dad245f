// SPDX-License-Identifier: MIT
// tally.cpp - a profiler module: how often are the program's own methods called, and how many assemblies has it?
//
// No exception may leave a callback. This file is compiled without exceptions and needs no C++ library at run time.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	std::atomic<unsigned> calls, assemblies;
};

namespace
{
MonoProfiler profiler;

// Is it the program's, and not the framework's?
bool is_own (MonoImage *image)
{
	const char *name = image ? mono_image_get_name (image) : nullptr;
	if (!name)
		return false;
	for (const char *framework : { "mscorlib", "netstandard", "System", "Microsoft.", "Mono." })
		if (std::strncmp (name, framework, std::strlen (framework)) == 0)
			return false;
	return true;
}

// Asked once for each method, when it is compiled. Mono also asks for glue code, which has no row in a table.
MonoProfilerCallInstrumentationFlags filter (MonoProfiler *, MonoMethod *method)
{
	bool glue = (mono_method_get_token (method) & 0xffffff) == 0;
	bool wanted = !glue && is_own (mono_class_get_image (mono_method_get_class (method)));
	return wanted ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

// Runs in the middle of the program's code: count and return, never wait.
void method_enter (MonoProfiler *prof, MonoMethod *, MonoProfilerCallContext *)
{
	prof->calls.fetch_add (1, std::memory_order_relaxed);
}

void assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	if (is_own (mono_assembly_get_image (assembly)))
		prof->assemblies.fetch_add (1, std::memory_order_relaxed);
}

void runtime_shutdown_end (MonoProfiler *prof)
{
	std::fprintf (stderr, "tally: calls %u, assemblies %u\n", prof->calls.load (), prof->assemblies.load ());
}
}

// `desc` is the text after --profile=, "tally" or "tally:ARGUMENTS".
extern "C" MONO_API void mono_profiler_init_tally (const char *)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * parts.c - modules that use a part of call contexts, compiled once for each: what they get is what they import.
 *
 * RESULTS: imports one getter. LOOKUP: imports none and looks them up. UNGRANTED: asks for contexts and not for what
 * shows them. Each writes how often each getter had something to show for methods of classes C*, and how often the
 * context was there. Option: `output=FILE`.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

enum { THIS, ARGUMENT, RESULT, LOCAL, GETTERS };

struct _MonoProfiler {
	FILE *out;
	bool reads_locals;
	void *(*own) (MonoProfilerCallContext *), *(*result) (MonoProfilerCallContext *);
	void *(*argument) (MonoProfilerCallContext *, uint32_t), *(*local) (MonoProfilerCallContext *, uint32_t);
	_Atomic uint64_t calls, contexts, shown[GETTERS];
};

static struct _MonoProfiler profiler;

MONO_API void PARTS_INIT (const char *desc);

static void
note (MonoProfiler *prof, int getter, void *buffer)
{
	prof->shown[getter] += buffer != NULL;
	free (buffer);
}

static void
method_event (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	prof->calls++;
	if (!context)
		return;
	prof->contexts++;
	if (prof->own)
		note (prof, THIS, prof->own (context));
	if (prof->argument)
		note (prof, ARGUMENT, prof->argument (context, 1));
	if (prof->result)
		note (prof, RESULT, prof->result (context));
	if (prof->local && prof->reads_locals)
		note (prof, LOCAL, prof->local (context, 0));
}

/* Contexts for some methods only: those that are called Instance. */
static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	int flags = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE;
	const char *name = mono_method_get_name (method);
	if (!image || strcmp (mono_image_get_name (image), "contexts") || *mono_class_get_name (klass) != 'C')
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	if (strcmp (name, "Instance") == 0)
		flags |= MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
	return strcmp (name, "Instance") == 0 || strcmp (name, "Static") == 0 ? flags
	                                                                      : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static void
shutdown_end (MonoProfiler *prof)
{
	fprintf (prof->out, "%" PRIu64 " calls %" PRIu64 " contexts", prof->calls, prof->contexts);
	for (int i = 0; i < GETTERS; i++)
		fprintf (prof->out, " %" PRIu64, prof->shown[i]);
	fprintf (prof->out, "\n");
	fclose (prof->out);
}

static void
find_getters (void)
{
#ifdef RESULTS
	profiler.result = mono_profiler_call_context_get_result;
#else
	profiler.own = dlsym (RTLD_DEFAULT, "mono_profiler_call_context_get_this");
	profiler.argument = dlsym (RTLD_DEFAULT, "mono_profiler_call_context_get_argument");
	profiler.result = dlsym (RTLD_DEFAULT, "mono_profiler_call_context_get_result");
	profiler.local = dlsym (RTLD_DEFAULT, "mono_profiler_call_context_get_local");
#endif
}

MONO_API void
PARTS_INIT (const char *desc)
{
	const char *path = strstr (desc, "output=");
	profiler.out = fopen (path ? path + strlen ("output=") : "/dev/null", "w");
	profiler.reads_locals = strstr (desc, "locals") != NULL;
	if (!profiler.out) {
		perror (desc);
		exit (1);
	}
	find_getters ();
#ifndef UNGRANTED
	mono_profiler_enable_call_context_introspection ();
#endif
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_event);
	mono_profiler_set_method_leave_callback (handle, method_event);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}

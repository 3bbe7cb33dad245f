/*
 * SPDX-License-Identifier: MIT
 *
 * again.c - a module whose filter changes while the program runs: it begins without any probe. The program gives
 * threads names, which are orders:
 *
 *   on       all methods of Again are wanted from now on: monocle_reinstrument ()
 *   off      none is
 *   seen     makes the file `seen` if any event has come since the last such order
 *   count    begins to count; what came before is forgotten
 *   NAME     any other: what was counted, one line per method, in the file NAME: NAME ENTERS LEAVES EXCEPTIONS
 *
 * With `again:on` everything is wanted from the beginning.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { METHODS = 64 };

typedef struct {
	_Atomic (MonoMethod *) method;
	atomic_ulong enters, leaves, exceptions;
} counter;

struct _MonoProfiler {
	atomic_bool on, seen;
	counter counters[METHODS];
};

static MonoProfiler profiler;

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	if (!atomic_load (&prof->on) || strcmp (mono_class_get_name (mono_method_get_class (method)), "Again") != 0)
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	       MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

static counter *
find (MonoProfiler *prof, MonoMethod *method)
{
	atomic_store (&prof->seen, true);
	for (size_t i = 0; i < METHODS; i++) {
		MonoMethod *owner = NULL;
		if (atomic_compare_exchange_strong (&prof->counters[i].method, &owner, method) || owner == method)
			return &prof->counters[i];
	}
	abort ();
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	atomic_fetch_add (&find (prof, method)->enters, 1);
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	atomic_fetch_add (&find (prof, method)->leaves, 1);
}

static void
method_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	atomic_fetch_add (&find (prof, method)->exceptions, 1);
}

static void
forget (MonoProfiler *prof)
{
	for (size_t i = 0; i < METHODS; i++) {
		atomic_store (&prof->counters[i].enters, 0);
		atomic_store (&prof->counters[i].leaves, 0);
		atomic_store (&prof->counters[i].exceptions, 0);
	}
}

/* The program waits for the file, so it comes into being when it is whole. */
static void
write_file (MonoProfiler *prof, const char *name)
{
	char partial[200];
	snprintf (partial, sizeof partial, "%s.partial", name);
	FILE *file = fopen (partial, "w");
	for (size_t i = 0; file && i < METHODS; i++) {
		counter *c = &prof->counters[i];
		MonoMethod *method = atomic_load (&c->method);
		char *text = method && (c->enters || c->leaves || c->exceptions) ? mono_method_full_name (method, 1) : NULL;
		if (text)
			fprintf (file, "%s\t%lu\t%lu\t%lu\n", text, c->enters, c->leaves, c->exceptions);
		mono_free (text);
	}
	if (!file || fclose (file) != 0 || rename (partial, name) != 0)
		abort ();
}

static void
thread_name (MonoProfiler *prof, uintptr_t tid, const char *name)
{
	if (strncmp (name, "order ", 6) != 0)
		return;
	name += 6;
	if (strcmp (name, "on") == 0 || strcmp (name, "off") == 0) {
		atomic_store (&prof->on, name[1] == 'n');
		if (!monocle_reinstrument || !monocle_reinstrument ())
			abort ();
	} else if (strcmp (name, "seen") == 0) {
		if (atomic_exchange (&prof->seen, false))
			write_file (prof, "seen");
	} else if (strcmp (name, "count") == 0) {
		forget (prof);
	} else {
		write_file (prof, name);
	}
}

MONO_API void mono_profiler_init_again (const char *desc);

void
mono_profiler_init_again (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	atomic_store (&profiler.on, strstr (desc, ":on") != NULL);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
	mono_profiler_set_thread_name_callback (handle, thread_name);
}

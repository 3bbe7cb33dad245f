/*
 * SPDX-License-Identifier: MIT
 *
 * everything.c - asks for the contexts of all calls and imports all getters; counts how calls begin and end.
 *
 * Options: `output=FILE`, `image=NAME+NAME` (methods of these images; else all), `enter` (no contexts at the leave),
 * `unread` (no getter is called).
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

enum { ENTER, LEAVE, TAIL, EXCEPTION, BARE, READ, KINDS };

struct _MonoProfiler {
	FILE *out;
	char images[256]; /* each between two signs */
	bool enter_only, is_unread;
	_Atomic uint64_t counts[KINDS];
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_everything (const char *desc);

static void
count (MonoProfiler *prof, int kind)
{
	atomic_fetch_add_explicit (&prof->counts[kind], 1, memory_order_relaxed);
}

static void
read_buffer (MonoProfiler *prof, void *buffer)
{
	if (buffer)
		count (prof, READ);
	mono_profiler_call_context_free_buffer (buffer);
}

static void
read_context (MonoProfiler *prof, MonoProfilerCallContext *context)
{
	if (!context)
		count (prof, BARE);
	if (!context || prof->is_unread)
		return;
	read_buffer (prof, mono_profiler_call_context_get_this (context));
	read_buffer (prof, mono_profiler_call_context_get_result (context));
	for (uint32_t i = 0; i < 3; i++) {
		read_buffer (prof, mono_profiler_call_context_get_argument (context, i));
		read_buffer (prof, mono_profiler_call_context_get_local (context, i));
	}
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	count (prof, ENTER);
	read_context (prof, context);
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	count (prof, LEAVE);
	if (!prof->enter_only)
		read_context (prof, context);
}

static void
method_tail_call (MonoProfiler *prof, MonoMethod *method, MonoMethod *target)
{
	count (prof, TAIL);
}

static void
method_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	count (prof, EXCEPTION);
}

static bool
is_wanted (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	char name[sizeof prof->images];
	if (!*prof->images)
		return true;
	snprintf (name, sizeof name, "+%s+", image ? mono_image_get_name (image) : "");
	return strstr (prof->images, name) != NULL;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	if (!is_wanted (prof, method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT |
	       MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE | MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |
	       MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE |
	       (prof->enter_only ? 0 : MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT);
}

/* The thread that ended an asynchronous Main is still on its way out of what resumed it. */
static void
await_leaves (MonoProfiler *prof)
{
	enum { TRIES = 1000, PAUSE_NS = 2000000 };
	struct timespec pause = { 0, PAUSE_NS };
	for (int i = 0; i < TRIES; i++) {
		if (prof->counts[ENTER] == prof->counts[LEAVE] + prof->counts[TAIL] + prof->counts[EXCEPTION])
			return;
		nanosleep (&pause, NULL);
	}
}

static void
shutdown_end (MonoProfiler *prof)
{
	await_leaves (prof);
	for (int i = 0; i < KINDS; i++)
		fprintf (prof->out, "%" PRIu64 "%s", prof->counts[i], i < KINDS - 1 ? " " : "\n");
	fclose (prof->out);
}

MONO_API void
mono_profiler_init_everything (const char *desc)
{
	const char *output = strstr (desc, "output="), *image = strstr (desc, "image=");
	int length = image ? (int) strcspn (image, ",") : 0;
	if (image)
		snprintf (profiler.images, sizeof profiler.images, "+%.*s+", length - (int) strlen ("image="),
		          image + strlen ("image="));
	profiler.enter_only = strstr (desc, "enter,");
	profiler.is_unread = strstr (desc, "unread,");
	profiler.out = fopen (output ? output + strlen ("output=") : "/dev/null", "w");
	if (!profiler.out) {
		perror (desc);
		exit (1);
	}
	mono_profiler_enable_call_context_introspection ();
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_tail_call_callback (handle, method_tail_call);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
}

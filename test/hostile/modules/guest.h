/*
 * SPDX-License-Identifier: MIT
 *
 * guest.h - what the guest modules do, written once: each of them gets Mono's functions in a way of its own.
 *
 * Includer defines PROFILER_NAME and CALL (function), the way to call a function of Mono.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>

struct _MonoProfiler {
	_Atomic uint64_t enters, leaves;
	const char *output;
};

static struct _MonoProfiler guest;

static int
is_wanted (MonoMethod *method)
{
	return strcmp (CALL (mono_method_get_name) (method), "Leaf") == 0;
}

/* Events are broadcast: beside another module there are calls that only its filter asked for. */
static void
guest_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	prof->enters += is_wanted (method);
}

static void
guest_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	prof->leaves += is_wanted (method);
}

static MonoProfilerCallInstrumentationFlags
guest_filter (MonoProfiler *prof, MonoMethod *method)
{
	if (!is_wanted (method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE;
}

static void
guest_end (MonoProfiler *prof)
{
	FILE *file = fopen (prof->output, "w");

	if (!file)
		return;
	fprintf (file, "%" PRIu64 " %" PRIu64 "\n", (uint64_t) prof->enters, (uint64_t) prof->leaves);
	fclose (file);
}

static void
guest_start (const char *desc)
{
	const char *colon = strchr (desc, ':');
	MonoProfilerHandle handle = CALL (mono_profiler_create) (&guest);

	guest.output = strdup (colon ? colon + 1 : "guest.txt");
	CALL (mono_profiler_set_runtime_shutdown_end_callback) (handle, guest_end);
	CALL (mono_profiler_set_call_instrumentation_filter_callback) (handle, guest_filter);
	CALL (mono_profiler_set_method_enter_callback) (handle, guest_enter);
	CALL (mono_profiler_set_method_leave_callback) (handle, guest_leave);
}

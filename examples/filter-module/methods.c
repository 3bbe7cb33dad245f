/*
 * SPDX-License-Identifier: MIT
 *
 * methods.c - calls per method of the program's own image, with Mono's API and the C library only.
 *
 *   --profile=methods[:IMAGE]      IMAGE: an assembly's name; without it, the program's own
 *
 * The filter picks methods when they are compiled, so what is not wanted costs nothing. method_enter finds the method's
 * counter in a table without a lock: on CoreCLR it runs inside managed code, where waiting can stop the whole program.
 * Names are asked for at the end, once per method.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>

enum { SLOTS = 1 << 14 };

typedef struct {
	MonoMethod *method; /* NULL: free; taken once, by compare and swap */
	uint64_t calls;
} counter;

struct _MonoProfiler {
	char *image; /* NULL: the program's own */
	counter counters[SLOTS];
	uint64_t lost; /* calls of methods that found the table full */
};

static MonoProfiler profiler;

/* The program's assembly is not known while the runtime starts; nothing of that time is the program's. */
static int
is_wanted (MonoProfiler *prof, MonoMethod *method)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	MonoAssembly *program = mono_assembly_get_main ();

	if (prof->image)
		return image && strcmp (mono_image_get_name (image), prof->image) == 0;
	return image && program && image == mono_assembly_get_image (program);
}

/* Mono compiles glue between native and managed code as methods of their own, with no row in a method table. */
static int
is_wrapper (MonoMethod *method)
{
	return (mono_method_get_token (method) & 0xffffff) == 0;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	if (is_wrapper (method) || !is_wanted (prof, method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

/* Whose counter it is; a free one becomes the method's. */
static MonoMethod *
owner_of (counter *slot, MonoMethod *method)
{
	MonoMethod *owner = __atomic_load_n (&slot->method, __ATOMIC_ACQUIRE);

	if (owner)
		return owner;
	if (__atomic_compare_exchange_n (&slot->method, &owner, method, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return method;
	return owner;
}

/* The method's counter. NULL: the table is full. */
static counter *
find (MonoProfiler *prof, MonoMethod *method)
{
	uint64_t hash = ((uint64_t) (uintptr_t) method >> 3) * 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < SLOTS; i++) {
		counter *slot = &prof->counters[((hash >> 40) + i) % SLOTS];
		if (owner_of (slot, method) == method)
			return slot;
	}
	return NULL;
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	counter *slot = find (prof, method);

	__atomic_fetch_add (slot ? &slot->calls : &prof->lost, 1, __ATOMIC_RELAXED);
}

static int
by_calls (const void *left, const void *right)
{
	uint64_t a = ((const counter *) left)->calls, b = ((const counter *) right)->calls;

	return (a < b) - (a > b);
}

/* With another module beside us the table also holds methods that only its filter asked for. */
static void
runtime_shutdown_end (MonoProfiler *prof)
{
	qsort (prof->counters, SLOTS, sizeof *prof->counters, by_calls);
	for (counter *slot = prof->counters; slot < prof->counters + SLOTS && slot->method; slot++) {
		char *name = is_wanted (prof, slot->method) ? mono_method_full_name (slot->method, 1) : NULL;
		if (name)
			fprintf (stderr, "methods: %8llu %s\n", (unsigned long long) slot->calls, name);
		mono_free (name);
	}
	if (prof->lost)
		fprintf (stderr, "methods: %llu calls of further methods\n", (unsigned long long) prof->lost);
}

MONO_API void mono_profiler_init_methods (const char *desc);

void
mono_profiler_init_methods (const char *desc)
{
	const char *colon = strchr (desc, ':');
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	profiler.image = colon ? strdup (colon + 1) : NULL;
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}

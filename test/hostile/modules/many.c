/* SPDX-License-Identifier: MIT */
/*
 * many.c - linked forty times, each time with another name for many_init (), it is forty modules.
 *
 * `manyN:FILE` counts throws of Boom and writes their number at the end.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	_Atomic uint64_t throws;
	char output[4096];
};

static struct _MonoProfiler one;

static void
count_throw (MonoProfiler *prof, MonoObject *exception)
{
	prof->throws += strcmp (mono_class_get_name (mono_object_get_class (exception)), "Boom") == 0;
}

static void
write_count (MonoProfiler *prof)
{
	FILE *file = fopen (prof->output, "w");
	if (!file)
		return;
	fprintf (file, "%" PRIu64 "\n", prof->throws);
	fclose (file);
}

MONO_API void many_init (const char *desc);

MONO_API void
many_init (const char *desc)
{
	const char *colon = strchr (desc, ':');
	MonoProfilerHandle handle = mono_profiler_create (&one);
	snprintf (one.output, sizeof one.output, "%s", colon ? colon + 1 : "many.txt");
	mono_profiler_set_exception_throw_callback (handle, count_throw);
	mono_profiler_set_runtime_shutdown_end_callback (handle, write_count);
}

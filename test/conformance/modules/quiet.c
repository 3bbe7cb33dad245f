/*
 * SPDX-License-Identifier: MIT
 *
 * quiet.c - a module that listens to nothing. With `sampling` it is granted samples, and takes none: what being ready
 * for them costs.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	int nothing;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_quiet (const char *desc);

void
mono_profiler_init_quiet (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	if (desc && strcmp (desc, "quiet:sampling") == 0 && !mono_profiler_enable_sampling (handle))
		fputs ("quiet: sampling was refused\n", stderr);
}

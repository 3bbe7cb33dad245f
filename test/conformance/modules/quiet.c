/*
 * SPDX-License-Identifier: MIT
 *
 * quiet.c - a module that listens to nothing.
 */
#include <stdint.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	int nothing;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_quiet (const char *desc);

void
mono_profiler_init_quiet (const char *desc)
{
	mono_profiler_create (&profiler);
}

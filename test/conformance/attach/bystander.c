/*
 * SPDX-License-Identifier: MIT
 *
 * bystander.c - a module of somebody else's that may be hit, and wants no samples: each hit of which it is told is a
 * byte in the file that it is given the name of.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_bystander (const char *desc);

static int file;

static void
hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	if (write (file, "x", 1) != 1)
		_exit (9);
}

MONO_API void
mono_profiler_init_bystander (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	file = open (strchr (desc, ':') + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (!mono_profiler_enable_sampling (handle) ||
	    !mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 100))
		_exit (8);
	mono_profiler_set_sample_hit_callback (handle, hit);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * interrupts.c - a module whose beginning sends SIGINT to a process: `interrupts:FILE`, as soon as FILE has its number.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	int nothing;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_interrupts (const char *desc);

void
mono_profiler_init_interrupts (const char *desc)
{
	const char *path = desc ? strchr (desc, ':') : NULL;
	int pid = 0;
	mono_profiler_create (&profiler);
	while (path && !pid) {
		FILE *file = fopen (path + 1, "re");
		if (file && fscanf (file, "%d\n", &pid) == 1)
			kill (pid, SIGINT);
		if (file)
			fclose (file);
		nanosleep (&(struct timespec) { 0, 1000000 }, NULL);
	}
}

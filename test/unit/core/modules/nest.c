/*
 * SPDX-License-Identifier: MIT
 *
 * nest.c - a module that loads another one from its init function, and itself.
 */
#include <stdio.h>
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_nest (const char *desc);

void
mono_profiler_init_nest (const char *desc)
{
	fprintf (stderr, "nest: init %s\n", desc);
	mono_profiler_load ("nest:again");
	mono_profiler_load ("plain:nested");
}

/*
 * SPDX-License-Identifier: MIT
 *
 * needy.c - a module that needs functions which nobody has, and one that it can do without.
 */
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_needy (const char *desc);

extern void mono_nobody_has_this (void);
extern void mono_nor_this (void);
extern void mono_not_even_needed (void) __attribute__ ((weak));

void
mono_profiler_init_needy (const char *desc)
{
	mono_profiler_create (NULL);
	mono_nobody_has_this ();
	mono_nor_this ();
	if (mono_not_even_needed)
		mono_not_even_needed ();
}

/*
 * SPDX-License-Identifier: MIT
 *
 * needs-other.c - a module that needs a function of some other library, which is not there.
 */
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_other (const char *desc);

extern void somebody_elses_function (void);

void
mono_profiler_init_other (const char *desc)
{
	somebody_elses_function ();
}

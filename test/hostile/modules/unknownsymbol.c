/* SPDX-License-Identifier: MIT */
/* unknownsymbol.c - needs a function that nobody has: it cannot be loaded, and the program must not notice. */
#define CALL(function) function
#include "guest.h"

MONO_API void mono_profiler_init_unknownsymbol (const char *desc);
extern void mono_profiler_function_that_nobody_has (MonoProfilerHandle handle);

MONO_API void
mono_profiler_init_unknownsymbol (const char *desc)
{
	guest_start (desc);
	mono_profiler_function_that_nobody_has (NULL);
}

/* SPDX-License-Identifier: MIT */
/* linkmono.c - is linked with -lmonosgen-2.0, as many makefiles do: it must not drag a dead Mono into the process. */
#define CALL(function) function
#include "guest.h"

MONO_API void mono_profiler_init_linkmono (const char *desc);

MONO_API void
mono_profiler_init_linkmono (const char *desc)
{
	guest_start (desc);
}

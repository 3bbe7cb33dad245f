/* SPDX-License-Identifier: MIT */
/* linknone.c - links nothing: its Mono functions are bound to whatever the process has. */
#define CALL(function) function
#include "guest.h"

MONO_API void mono_profiler_init_linknone (const char *desc);

MONO_API void
mono_profiler_init_linknone (const char *desc)
{
	guest_start (desc);
}

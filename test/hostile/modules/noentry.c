/* SPDX-License-Identifier: MIT */
/* noentry.c - has no entry point of the name it is loaded by. */
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_init_anothername (const char *desc);

MONO_API void
mono_profiler_init_anothername (const char *desc)
{
}

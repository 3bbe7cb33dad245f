/*
 * SPDX-License-Identifier: MIT
 *
 * old.c - a module with the entry point of Mono's first profiler API.
 */
#include <mono/metadata/profiler.h>

MONO_API void mono_profiler_startup (const char *desc);

void
mono_profiler_startup (const char *desc)
{
}

/*
 * SPDX-License-Identifier: MIT
 *
 * plain.c - a module that says what it was given. NAME is its name; linked with nothing, or with a real Mono's library.
 */
#include <stdio.h>
#include <mono/metadata/profiler.h>

#define PASTE(a, b)  a##b
#define INIT(name)   PASTE (mono_profiler_init_, name)
#define QUOTE(text)  #text
#define STRING(text) QUOTE (text)

MONO_API void INIT (NAME) (const char *desc);

static void
on_initialized (MonoProfiler *prof)
{
	fprintf (stderr, STRING (NAME) ": initialized\n");
}

void
INIT (NAME) (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);

	fprintf (stderr, STRING (NAME) ": init %s\n", desc);
	mono_profiler_set_runtime_initialized_callback (handle, on_initialized);
}

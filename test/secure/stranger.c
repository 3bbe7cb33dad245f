/*
 * SPDX-License-Identifier: MIT
 *
 * stranger.c - a module that says that it runs, and makes one call too early. NAME is its name.
 */
#include <stdio.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

#define PASTE(a, b) a##b
#define INIT(name)  PASTE (mono_profiler_init_, name)

MONO_API void INIT (NAME) (const char *desc);

void
INIT (NAME) (const char *desc)
{
	printf ("the stranger runs\n");
	fflush (stdout);
	mono_image_loaded ("nothing");
}

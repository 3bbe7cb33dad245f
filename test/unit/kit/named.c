/*
 * SPDX-License-Identifier: MIT
 *
 * named.c - "named LIBRARY" prints how a function is called that the library hides, and which file it is said to be in.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <monocle/kit.h>

int
main (int argc, char **argv)
{
	char text[600];
	void *library = argc == 2 ? dlopen (argv[1], RTLD_NOW) : NULL;
	uintptr_t (*where) (void) = library ? (uintptr_t (*) (void)) dlsym (library, "hiding_place") : NULL;
	uintptr_t function = where ? monocle_kit_native_function (where () + 1) : 0;
	if (!function || monocle_kit_native_name (function, text, sizeof text) > sizeof text)
		return 1;
	printf ("%s\n%s\n", text, text + strlen (text) + 1);
	return 0;
}

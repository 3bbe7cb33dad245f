/*
 * SPDX-License-Identifier: MIT
 *
 * no-entry.c - a library that is no module.
 */
#include <mono/metadata/profiler.h>

MONO_API int not_an_entry_point (void);

int
not_an_entry_point (void)
{
	return 1;
}

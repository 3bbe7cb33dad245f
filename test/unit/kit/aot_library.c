/*
 * SPDX-License-Identifier: MIT
 *
 * aot_library.c - a library that looks like code which Mono compiled ahead of time. With NOT_MONOS it has only the
 * symbol's name in common with that, and with NESTED its constructor calls what the test has put into its environment.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__ ((visibility ("default")))

const uint32_t *aot_library_info (void);
const uint32_t *aot_library_needs (void);
int aot_library_call (int (*function) (void));
#ifdef NOT_MONOS
int mono_aot_file_info (void);
#endif

#ifdef NESTED

static __attribute__ ((constructor)) void
begin (void)
{
	void *function = NULL;
	const char *address = getenv ("AOT_LIBRARY_CALLS");
	if (address && sscanf (address, "%p", &function) == 1)
		((void (*) (void)) function) ();
}

#elif defined NOT_MONOS

/* Its code begins with what is no version, whatever the compiler makes of it. */
EXPORTED int
mono_aot_file_info (void)
{
	return -1;
}

#elif defined NEEDS_ONE

EXPORTED const uint32_t *
aot_library_needs (void)
{
	return aot_library_info ();
}

#else

EXPORTED const uint32_t mono_aot_file_info[] = { 147, 0 };

EXPORTED const uint32_t *
aot_library_info (void)
{
	return mono_aot_file_info;
}

#endif

/* Returns to here, an address after a call, are looked for on stacks. */
EXPORTED int
aot_library_call (int (*function) (void))
{
	return function () + 1;
}

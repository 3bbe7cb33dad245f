/*
 * SPDX-License-Identifier: MIT
 *
 * call.c - what this CPU's call instructions look like. Any context; the code around the address must be mapped.
 */
#include <string.h>
#include "clr.h"

enum { CALL_REL32 = 0xE8, CALL_REL32_SIZE = 5 };

uintptr_t
monocle__arch_call_target (uintptr_t return_address)
{
	const uint8_t *call = (const uint8_t *) return_address - CALL_REL32_SIZE;
	int32_t distance;
	if (*call != CALL_REL32)
		return 0;
	memcpy (&distance, call + 1, sizeof distance);
	return return_address + (intptr_t) distance;
}

uintptr_t
monocle__arch_return_address (uintptr_t caller_sp)
{
	uintptr_t address;
	memcpy (&address, (const void *) (caller_sp - sizeof address), sizeof address);
	return address;
}

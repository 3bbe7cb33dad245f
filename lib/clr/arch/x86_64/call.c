/*
 * SPDX-License-Identifier: MIT
 *
 * call.c - what this CPU's call instructions look like. Any context; the code around the address must be mapped.
 */
#include <string.h>
#include "arch/arch.h"

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

/* FF /2, an indirect call, with and without REX prefix; ModRM says how long it is: D0 to D7 through a register. */
static bool
is_indirect_call (const uint8_t *end, size_t room)
{
	static const uint8_t lengths[] = { 2, 3, 4, 6, 7 };
	for (size_t i = 0; i < sizeof lengths && lengths[i] <= room; i++)
		if (end[-lengths[i]] == 0xFF && (end[1 - lengths[i]] & 0x38) == 0x10)
			return true;
	return false;
}

bool
monocle__arch_follows_call (uintptr_t address, uintptr_t start)
{
	const uint8_t *end = (const uint8_t *) address;
	size_t room = address - start;
	return (room >= CALL_REL32_SIZE && end[-CALL_REL32_SIZE] == CALL_REL32) || is_indirect_call (end, room);
}

uintptr_t
monocle__arch_return_address (uintptr_t caller_sp)
{
	uintptr_t address;
	memcpy (&address, (const void *) (caller_sp - sizeof address), sizeof address);
	return address;
}

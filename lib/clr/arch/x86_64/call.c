/*
 * SPDX-License-Identifier: MIT
 *
 * call.c - what this CPU's call instructions look like, and where they leave the return address. Any context.
 *
 *      E8 id             call, relative to the next instruction
 *      FF /2             call through a register or memory; ModRM and SIB say how long it is, a REX prefix aside
 */
#include <string.h>
#include "arch/arch.h"

enum { CALL_REL32 = 0xE8, CALL_REL32_SIZE = 5, CALL_INDIRECT_MAX = 7 };

/* How long FF /2 is by the bytes after FF, prefixes aside; 0: it is not a call. */
static size_t
indirect_size (uint8_t modrm, uint8_t sib)
{
	unsigned mode = modrm >> 6, base = modrm & 7;
	bool has_sib = mode != 3 && base == 4;
	if ((modrm >> 3 & 7) != 2)
		return 0;
	if (mode == 3)
		return 2;
	size_t displacement = mode == 1 ? 1 : mode == 2 || (has_sib ? sib & 7 : base) == 5 ? 4 : 0;
	return 2 + has_sib + displacement;
}

bool
monocle__arch_ends_with_call (const uint8_t *code, size_t size)
{
	if (size >= CALL_REL32_SIZE && code[size - CALL_REL32_SIZE] == CALL_REL32)
		return true;
	for (size_t length = 2; length <= CALL_INDIRECT_MAX && length <= size; length++) {
		const uint8_t *call = code + size - length;
		if (call[0] == 0xFF && indirect_size (call[1], length > 2 ? call[2] : 0) == length)
			return true;
	}
	return false;
}

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

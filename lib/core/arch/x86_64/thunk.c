/*
 * SPDX-License-Identifier: MIT
 *
 * thunk.c - the few bytes that a checked module's slot leads to.
 *
 *     f3 0f 1e fa            endbr64
 *     49 bb IMPORT           movabs $import, %r11
 *     41 ff 23               jmp *(%r11)          the import's first word is the gate
 */
#include "arch/arch.h"

#include <elf.h>
#include <string.h>

extern char monocle__arch_gate[] __attribute__ ((visibility ("hidden")));

bool
monocle__arch_has_thunks (void)
{
	return true;
}

bool
monocle__arch_is_address (unsigned type)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}

void *
monocle__arch_write_thunk (uint8_t code[MONOCLE__THUNK_SIZE], const void *import)
{
	static const uint8_t shape[] = {
		0xF3, 0x0F, 0x1E, 0xFA, 0x49, 0xBB, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xFF, 0x23,
	};
	_Static_assert(sizeof shape <= MONOCLE__THUNK_SIZE, "a thunk fits");

	memcpy (code, shape, sizeof shape);
	memcpy (code + 6, &import, sizeof import);
	return monocle__arch_gate;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * cpu.h - a CPU that nobody has ported to: nothing is known of its registers and its code.
 */
#ifndef MONOCLE_CLR_CPU_H
#define MONOCLE_CLR_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MONOCLE__ARCH_WALKS = 0,
	MONOCLE__ARCH_CONTEXT_PC = 0,
	MONOCLE__ARCH_CONTEXT_SP = 0,
	MONOCLE__ARCH_CONTEXT_FP = 0,
	/* Three numbers that no compiler uses: every row comes out unknown. */
	MONOCLE__ARCH_DWARF_FP = 141,
	MONOCLE__ARCH_DWARF_SP = 142,
	MONOCLE__ARCH_DWARF_RA = 143,
	MONOCLE__ARCH_ADDRESS_BITS = 47,
	MONOCLE__ARCH_PROLOGUE_MAX = 8,
	MONOCLE__ARCH_EPILOGUE_BEFORE = 8,
	MONOCLE__ARCH_EPILOGUE_AFTER = 8,
	MONOCLE__ARCH_INSTRUCTION_MAX = 8,
	MONOCLE__ARCH_CALL_MAX = 8,
};

static inline bool
monocle__arch_is_plt (const uint8_t *expression, size_t size)
{
	return false;
}

static inline uintptr_t
monocle__arch_plt_pushed (uintptr_t pc)
{
	return 0;
}

#endif

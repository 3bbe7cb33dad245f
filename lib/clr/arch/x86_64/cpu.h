/*
 * SPDX-License-Identifier: MIT
 *
 * cpu.h - x86-64: what arch.h wants to be constant.
 */
#ifndef MONOCLE_CLR_CPU_H
#define MONOCLE_CLR_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum {
	MONOCLE__ARCH_WALKS = 1,
	MONOCLE__ARCH_CONTEXT_PC = offsetof (ucontext_t, uc_mcontext.gregs[REG_RIP]),
	MONOCLE__ARCH_CONTEXT_SP = offsetof (ucontext_t, uc_mcontext.gregs[REG_RSP]),
	MONOCLE__ARCH_CONTEXT_FP = offsetof (ucontext_t, uc_mcontext.gregs[REG_RBP]),
	MONOCLE__ARCH_DWARF_FP = 6, /* System V psABI for AMD64, figure 3.36 */
	MONOCLE__ARCH_DWARF_SP = 7,
	MONOCLE__ARCH_DWARF_RA = 16,
	MONOCLE__ARCH_ADDRESS_BITS = 47,
	MONOCLE__ARCH_PROLOGUE_MAX = 192,
	MONOCLE__ARCH_EPILOGUE_BEFORE = 8,
	MONOCLE__ARCH_EPILOGUE_AFTER = 40,
	MONOCLE__ARCH_INSTRUCTION_MAX = 8,
	MONOCLE__ARCH_CALL_MAX = 8,
};

/* rsp + 8, and 8 more when (rip & 15) >= 11: the entry has pushed the number of its symbol. */
static inline bool
monocle__arch_is_plt (const uint8_t *expression, size_t size)
{
	static const uint8_t plt[] = { 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	return size == sizeof plt && memcmp (expression, plt, sizeof plt) == 0;
}

static inline uintptr_t
monocle__arch_plt_pushed (uintptr_t pc)
{
	return (pc & 15) >= 11 ? 8 : 0;
}

#endif

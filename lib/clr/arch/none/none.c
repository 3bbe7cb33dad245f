/*
 * SPDX-License-Identifier: MIT
 *
 * none.c - every question of arch.h, answered for a CPU that nobody has ported to: unknown.
 */
#include "arch/arch.h"

bool
monocle__arch_prologue (const uint8_t *code, size_t size, size_t limit, monocle__shape *ret)
{
	return false;
}

bool
monocle__arch_native_prologue (const uint8_t *code, size_t size, monocle__shape *ret)
{
	return false;
}

bool
monocle__arch_unwind_data (const uint8_t *data, size_t size, size_t limit, monocle__shape *ret)
{
	return false;
}

bool
monocle__arch_epilogue (const uint8_t *code, size_t size, size_t at, intptr_t start, intptr_t end,
                        monocle__epilogue *ret)
{
	return false;
}

bool
monocle__arch_ends_with_call (const uint8_t *code, size_t size)
{
	return false;
}

uintptr_t
monocle__arch_call_target (uintptr_t return_address)
{
	return 0;
}

uintptr_t
monocle__arch_return_address (uintptr_t caller_sp)
{
	return 0;
}

void
monocle__arch_snapshot_registers (const uint8_t *context, uintptr_t *ret_sp, uintptr_t *ret_fp)
{
	*ret_sp = *ret_fp = 0;
}

uintptr_t
monocle__arch_frame_caller (uintptr_t fp, uintptr_t *ret_sp, uintptr_t *ret_fp)
{
	*ret_sp = *ret_fp = 0;
	return 0;
}

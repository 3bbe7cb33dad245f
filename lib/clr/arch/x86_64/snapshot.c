/*
 * SPDX-License-Identifier: MIT
 *
 * snapshot.c - the registers of a frame, in the order that the runtime shows them in, and what they lead to.
 *
 *      fp ---> | caller's fp    |   how code of methods begins its frame: push rbp; mov rbp, rsp
 *              | return address |
 *              | caller's sp    |
 */
#include "arch/arch.h"

enum { SP = 152, FP = 160 }; /* Rsp and Rbp in the runtime's CONTEXT, however long it is */

void
monocle__arch_snapshot_registers (const uint8_t *context, uintptr_t *ret_sp, uintptr_t *ret_fp)
{
	*ret_sp = *(const uintptr_t *) (context + SP);
	*ret_fp = *(const uintptr_t *) (context + FP);
}

uintptr_t
monocle__arch_frame_caller (uintptr_t fp, uintptr_t *ret_sp, uintptr_t *ret_fp)
{
	const uintptr_t *at = (const uintptr_t *) fp;
	*ret_fp = at[0];
	*ret_sp = fp + 2 * sizeof *at;
	return at[1];
}

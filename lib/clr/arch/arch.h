/*
 * SPDX-License-Identifier: MIT
 *
 * arch.h - what the adapter asks of a CPU.
 */
#ifndef MONOCLE_CLR_ARCH_H
#define MONOCLE_CLR_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include "corprof.h"

/* Where the direct call goes that returns to this address; 0: no direct call is there. */
uintptr_t monocle__arch_call_target (uintptr_t return_address);
/* Could the instruction before this address be a call? The code begins at `start`. */
bool monocle__arch_follows_call (uintptr_t address, uintptr_t start);
/* Where the last call returns to that was made with this stack pointer and has not been overwritten yet. */
uintptr_t monocle__arch_return_address (uintptr_t caller_sp);
/* The stack and frame pointers in a frame's registers, as DoStackSnapshot shows them. */
void monocle__arch_snapshot_registers (const BYTE *context, uintptr_t *ret_sp, uintptr_t *ret_fp);
/* Where code that keeps a frame pointer returns to, and both pointers then. Reads two words at `fp`. */
uintptr_t monocle__arch_frame_caller (uintptr_t fp, uintptr_t *ret_sp, uintptr_t *ret_fp);

#endif

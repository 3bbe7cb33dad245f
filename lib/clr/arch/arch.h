/*
 * SPDX-License-Identifier: MIT
 *
 * arch.h - all that the adapter asks of a CPU. A port is a folder beside this file with a cpu.h, which has what must be
 * constant, and the functions below; nothing outside of these folders names a CPU. A port may answer any question with
 * "unknown" (arch/none answers all of them so): then less is seen, and nothing breaks.
 *
 * What every port may count on, and what the code above it assumes of a CPU:
 *
 *   - words of 8 bytes, and a stack that grows down
 *   - fp, where code keeps one, points to the caller's fp, and the return address is the word above that
 *   - a call leaves its return address in memory, and the caller's sp is the word after it. A CPU whose calls leave it
 *     in a register has to give the rules of code/eh-frame.h one more kind, and the shapes below one more field
 *   - the functions run in any context: no lock, no allocation, no call of the runtime
 *
 * What cpu.h has:
 *
 *   MONOCLE__ARCH_WALKS             1: an interrupted thread's stack can be walked; 0: walks and samples are refused
 *   MONOCLE__ARCH_CONTEXT_PC SP FP  where the registers are in a ucontext_t: bytes from its beginning. A signal's frame
 *                                   is one that has a ucontext_t at its sp
 *   MONOCLE__ARCH_DWARF_FP SP RA    the registers' numbers in .eh_frame (the platform's ABI supplement to DWARF); of
 *                                   any other register nothing is kept
 *   MONOCLE__ARCH_ADDRESS_BITS      bits of an address that differ between two places of one process
 *   MONOCLE__ARCH_PROLOGUE_MAX      bytes of a method's code that hold every prologue worth decoding
 *   MONOCLE__ARCH_EPILOGUE_BEFORE   bytes before an instruction that say whether an epilogue is under way
 *   MONOCLE__ARCH_EPILOGUE_AFTER    bytes from that instruction on that hold the rest of any epilogue
 *   MONOCLE__ARCH_INSTRUCTION_MAX   bytes of an instruction that a prologue's decoder looks at
 *   MONOCLE__ARCH_CALL_MAX          bytes before a return address that say whether a call is there
 *   monocle__arch_is_plt ()         is this DWARF expression the CFA by which linkers describe a PLT?
 *   monocle__arch_plt_pushed ()     bytes that an entry of such a PLT has pushed when the instruction at pc is next
 */
#ifndef MONOCLE_CLR_ARCH_H
#define MONOCLE_CLR_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cpu.h"

/* --- shapes of managed code --------------------------------------------------------------------------------------- */

typedef enum {
	MONOCLE__SHAPE_NONE, /* not known */
	MONOCLE__SHAPE_SP,   /* the return address is at sp + depth */
	MONOCLE__SHAPE_FP,   /* it is at fp + depth */
	/*
	 * A body that took over the frame of a tier-0 body of the same method: at fp + depth is an address in that body, as
	 * if it had called this one, then comes its frame, and then the return address of both.
	 */
	MONOCLE__SHAPE_OSR,
	/*
	 * The same without that address: how much was taken over does not say the code itself. The unwind data of the body
	 * does, as if it had made the whole frame. `depth` is to where the taken frame begins.
	 */
	MONOCLE__SHAPE_OSR_BARE,
} monocle__shape_kind;

/* What a piece of managed code does to the stack. All in bytes; multiples of 8. */
typedef struct {
	monocle__shape_kind kind;
	uint32_t length; /* of the prologue; where its last instruction that matters ends */
	uint32_t depth;
	uint32_t saved; /* the caller's fp is so far below the return address; 0: in fp still */
	uint32_t frame; /* from sp to the return address, whatever the kind, where nothing was allocated since */
} monocle__shape;

/*
 * Decodes the prologue at `code`, as far as instructions begin before `limit`: SIZE_MAX for the shape of the body, an
 * offset for the shape at that instruction. Reads `size` bytes at most. False: it cannot be told.
 */
bool monocle__arch_prologue (const uint8_t *code, size_t size, size_t limit, monocle__shape *ret);

/*
 * The same of a native function, which may push more registers once fp is set. For its body only. False, too: it does
 * not keep fp.
 */
bool monocle__arch_native_prologue (const uint8_t *code, size_t size, monocle__shape *ret);

/*
 * The same from the unwind data of precompiled code, as the CPU's ReadyToRun images have it. `size` bounds the reading;
 * SIZE_MAX: the data is known to be whole. False: of another version, a continued one, or one with codes that such code
 * does not have.
 */
bool monocle__arch_unwind_data (const uint8_t *data, size_t size, size_t limit, monocle__shape *ret);

/* Where an epilogue is that is under way. */
typedef struct {
	uint32_t depth;   /* the return address is at sp + depth */
	uint32_t saved;   /* as above */
	bool is_restored; /* the instruction before this one has put the caller's fp back */
} monocle__epilogue;

/*
 * `code` has `size` bytes; `at` is the offset of the instruction that runs next. `start` and `end` are the offsets in
 * the same sense (they may lie outside) of the piece of code: a jump out of it is a call that replaces the frame.
 * False: no epilogue is under way, or it cannot be told.
 */
bool monocle__arch_epilogue (const uint8_t *code, size_t size, size_t at, intptr_t start, intptr_t end,
                             monocle__epilogue *ret);

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* Do these bytes end with a call? `size` are before the return address; at most MONOCLE__ARCH_CALL_MAX matter. */
bool monocle__arch_ends_with_call (const uint8_t *code, size_t size);
/* Where the direct call goes that returns to this address, in code that is mapped; 0: no direct call is there. */
uintptr_t monocle__arch_call_target (uintptr_t return_address);
/*
 * Where the last call returns to that was made with this stack pointer and has not been overwritten yet. Reads the
 * stack just below it. 0: unknown.
 */
uintptr_t monocle__arch_return_address (uintptr_t caller_sp);

/* --- frames that the runtime shows -------------------------------------------------------------------------------- */

/* The stack and frame pointers in the runtime's CONTEXT of a frame, as DoStackSnapshot shows it. 0: unknown. */
void monocle__arch_snapshot_registers (const uint8_t *context, uintptr_t *ret_sp, uintptr_t *ret_fp);
/* Where code that keeps a frame pointer returns to, and both pointers then. Reads two words at `fp`. 0: unknown. */
uintptr_t monocle__arch_frame_caller (uintptr_t fp, uintptr_t *ret_sp, uintptr_t *ret_fp);

#endif

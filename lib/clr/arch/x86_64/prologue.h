/*
 * SPDX-License-Identifier: MIT
 *
 * prologue.h - what a piece of managed code does to the stack: read from its instructions, or from its unwind codes.
 */
#ifndef MONOCLE_CLR_PROLOGUE_H
#define MONOCLE_CLR_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
	MONOCLE__SHAPE_NONE, /* not known */
	MONOCLE__SHAPE_SP,   /* the return address is at sp + depth */
	MONOCLE__SHAPE_FP,   /* it is at fp + depth */
	/*
	 * A body that took over the frame of a tier-0 body of the same method: at fp + depth stands an address in that
	 * body, as if it had called this one, then comes its frame, and then the return address of both.
	 */
	MONOCLE__SHAPE_OSR,
} monocle__shape_kind;

/* All in bytes; multiples of 8. */
typedef struct {
	monocle__shape_kind kind;
	uint32_t length; /* of the prologue; where its last instruction that matters ends */
	uint32_t depth;
	uint32_t saved; /* the caller's fp stands so far below the return address; 0: in fp still */
	uint32_t frame; /* from sp to the return address, whatever the kind, where nothing was allocated since */
} monocle__shape;

/*
 * Decodes the prologue at `code`, as far as instructions begin before `limit`: SIZE_MAX for the shape of the body, an
 * offset for the shape at that instruction. A compiler's prologue pushes, lowers sp (touching pages on the way), sets
 * fp; the first instruction that does something else ends it. Reads `size` bytes at most. False: it cannot be told.
 */
bool monocle__prologue_decode (const uint8_t *code, size_t size, size_t limit, monocle__shape *ret);

/*
 * The same from x64 UNWIND_INFO as it stands in images with ReadyToRun code. `size` bounds the reading. False: of
 * another version, a continued one, or one with codes that such code does not have.
 */
bool monocle__unwind_info_decode (const uint8_t *info, size_t size, size_t limit, monocle__shape *ret);

/*
 * Where an epilogue stands that is under way.
 *
 * `code` has `size` bytes; `at` is the offset of the instruction that runs next. `start` and `end` are the offsets in
 * the same sense (they may lie outside) of the piece of code: a jump out of it is a call that replaces the frame.
 */
typedef struct {
	uint32_t depth;   /* the return address is at sp + depth */
	uint32_t saved;   /* as above */
	bool is_restored; /* the instruction before this one was `pop rbp` */
} monocle__epilogue;

bool monocle__epilogue_decode (const uint8_t *code, size_t size, size_t at, intptr_t start, intptr_t end,
                               monocle__epilogue *ret);

/* Do these bytes end with a call? `size` are before the return address. */
bool monocle__is_behind_call (const uint8_t *code, size_t size);

/* The shape in a word that is never 0, and back. False: it does not fit. */
bool monocle__shape_pack (const monocle__shape *shape, uint64_t *ret);
monocle__shape monocle__shape_unpack (uint64_t word);

#endif

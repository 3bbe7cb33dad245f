/*
 * SPDX-License-Identifier: MIT
 *
 * il.h - method bodies (ECMA-335 II.25.4, III): reading, editing, writing.
 *
 * A body is decoded into one array of instructions. Branch targets, switch targets and clause borders become
 * instruction indexes, so inserting code is inserting instructions; the writer lays everything out again with long
 * branches, a fat header and fat sections, recomputes maxstack where asked, and yields the map from old to new offsets.
 *
 * Memory: a body owns one arena (monocle__il_free). Reading hostile bytes yields a negative code, never a crash.
 */
#ifndef MONOCLE_IL_H
#define MONOCLE_IL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opcodes are their encoded value: one byte 0x00..0xE0, two bytes 0xFE00 | second. Names: MONOCLE__IL_NOP ... from opcodes.def */
#include "il-opcodes.h"

enum { MONOCLE__IL_NONE = UINT32_MAX };

typedef struct {
	uint16_t opcode;              /* short forms are normalised by the reader: br.s -> br, leave.s -> leave */
	uint16_t original_opcode;     /* what stood there, so that an untouched body can be written back byte for byte */
	uint32_t offset;              /* in the original code; MONOCLE__IL_NONE for inserted ones */
	union {
		int64_t i;                /* integers, tokens, variable numbers; floats as their bits */
		uint32_t target;          /* branches: index of the target instruction in `code` (may be == count: the end) */
		uint32_t switch_index;    /* switch: index of its table in `switches` */
	} operand;
} monocle__il_instruction;

typedef struct { uint32_t count; uint32_t *targets; /* instruction indexes */ } monocle__il_switch;

typedef struct {
	uint32_t flags;               /* 0 catch, 1 filter, 2 finally, 4 fault */
	uint32_t try_begin, try_end, handler_begin, handler_end; /* instruction indexes, ends exclusive */
	uint32_t class_token;         /* catch */
	uint32_t filter_begin;        /* filter: instruction index */
} monocle__il_clause;

typedef struct {
	monocle__il_instruction *code; uint32_t count, capacity;
	monocle__il_switch *switches;  uint32_t switch_count;
	monocle__il_clause *clauses;   uint32_t clause_count, clause_capacity;
	uint32_t max_stack, local_signature_token;
	bool init_locals, was_tiny;
	uint32_t original_code_size;
	void *arena;
} monocle__il_body;

/* Reads the body at `data` (header first). `size`: bytes that may be read. *ret_size: how long the body is. 0 or negative (ecma.h). */
int monocle__il_read (monocle__il_body *ret_body, const uint8_t *data, size_t size, size_t *ret_size);
void monocle__il_free (monocle__il_body *body);

/*
 * Editing. An edit list collects insertions by original index and applies them in one pass, O(n).
 * `before`: the instruction in front of which the code goes. Where control that *jumps* to `before` must land is said per
 * insertion: MONOCLE__IL_JUMPS_SKIP (an entry probe: loops to the first instruction do not run it, try regions that begin
 * there do not cover it) or MONOCLE__IL_JUMPS_HIT (an exit probe before `ret`: branches to the ret run it; a region that
 * begins or ends at `before` begins or ends in front of the inserted code).
 * `before` == count appends at the end. Several insertions at one place keep the order in which they were made.
 */
typedef enum { MONOCLE__IL_JUMPS_SKIP, MONOCLE__IL_JUMPS_HIT } monocle__il_jumps;

typedef struct monocle__il_edit monocle__il_edit;
monocle__il_edit *monocle__il_edit_new (monocle__il_body *body);
/* Copies `count` instructions (operands as above; branch targets are *original* indexes, or
   MONOCLE__IL_INSERTED (n) for the n-th instruction of this same insertion). 0 or negative. */
int monocle__il_insert (monocle__il_edit *edit, uint32_t before, monocle__il_jumps jumps, const monocle__il_instruction *code, uint32_t count);
#define MONOCLE__IL_INSERTED(n) (0x80000000u | (n))
/* Applies all insertions to the body and frees the edit. 0 or negative (the body is then unchanged). */
int monocle__il_edit_apply (monocle__il_edit *edit);
void monocle__il_edit_free (monocle__il_edit *edit);

/* A clause appended last (outermost); indexes as in the body now. */
int monocle__il_add_clause (monocle__il_body *body, const monocle__il_clause *clause);

typedef struct { uint32_t old_offset, new_offset; } monocle__il_map;

/*
 * Lays the body out: fat header, long branches. `allocate (context, size)` gives the memory of the result (4-aligned, kept as
 * long as the runtime wants). *ret_map: malloc'd array of one entry per original instruction, ascending; may be NULL.
 * When nothing was edited and `verbatim` is set, the bytes are those that were read. 0 or negative.
 */
typedef void *(*monocle__il_allocate) (void *context, size_t size);
int monocle__il_write (const monocle__il_body *body, bool verbatim, monocle__il_allocate allocate, void *context,
                       uint8_t **ret_data, size_t *ret_size, monocle__il_map **ret_map, uint32_t *ret_map_count);

/* Instruction facts, from the opcode table. */
const char *monocle__il_name (uint16_t opcode);
bool monocle__il_is_branch (uint16_t opcode);  /* br family and leave, not switch */
bool monocle__il_is_prefix (uint16_t opcode);  /* tail. volatile. unaligned. constrained. readonly. no. */

static inline monocle__il_instruction
monocle__il_op (uint16_t opcode, int64_t operand)
{
	monocle__il_instruction i = { opcode, opcode, MONOCLE__IL_NONE, { .i = operand } };
	return i;
}

#endif

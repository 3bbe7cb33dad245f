/*
 * SPDX-License-Identifier: MIT
 *
 * il.h - method bodies (ECMA-335 II.25.4, III): reading, editing, writing.
 *
 * A body is decoded into one array of instructions. Branch targets, switch targets and clause borders become
 * instruction indexes, so inserting code is inserting instructions; the writer lays everything out again with long
 * branches, a fat header and a fat section, and yields the map from old to new offsets. The caller who inserts code
 * that needs more stack raises max_stack itself.
 *
 * Memory: a body owns one arena (monocle__il_free). Reading hostile bytes yields a negative code, never a crash.
 */
#ifndef MONOCLE_IL_H
#define MONOCLE_IL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MONOCLE__IL_NOP ..., from opcodes.tsv: the encoded value, of one byte 0x00..0xE0, of two bytes 0xFE00 | second. */
#include "il-opcodes.h"

#define MONOCLE__IL_NONE UINT32_MAX

/* Negative codes are those of ecma.h, and one more. */
enum { MONOCLE__IL_E_NO_MEMORY = -4 };

/* Flags of a clause (II.25.4.6). */
enum {
	MONOCLE__IL_CLAUSE_CATCH = 0,
	MONOCLE__IL_CLAUSE_FILTER = 1,
	MONOCLE__IL_CLAUSE_FINALLY = 2,
	MONOCLE__IL_CLAUSE_FAULT = 4,
};

typedef struct {
	uint16_t opcode;          /* short branches are read as long ones: br.s -> br; ldloc.s, ldc.i4.s stay */
	uint16_t original_opcode; /* what was there, so that an untouched body can be written back byte for byte */
	uint32_t offset;          /* in the original code; MONOCLE__IL_NONE for inserted ones */
	union {
		int64_t i;             /* integers, tokens, variable numbers; floats as their bits */
		uint32_t target;       /* branches: index of the target instruction in `code` (may be == count: the end) */
		uint32_t switch_index; /* switch: index of its table in `switches` */
	} operand;
} monocle__il_instruction;

typedef struct {
	uint32_t count;
	uint32_t *targets; /* instruction indexes */
} monocle__il_switch;

typedef struct {
	uint32_t flags;                                          /* MONOCLE__IL_CLAUSE_* */
	uint32_t try_begin, try_end, handler_begin, handler_end; /* instruction indexes, ends exclusive */
	uint32_t class_token;                                    /* catch */
	uint32_t filter_begin;                                   /* filter: instruction index */
} monocle__il_clause;

typedef struct {
	monocle__il_instruction *code;
	uint32_t count, capacity;
	monocle__il_switch *switches;
	uint32_t switch_count;
	monocle__il_clause *clauses;
	uint32_t clause_count, clause_capacity;
	uint32_t max_stack, local_signature_token;
	bool init_locals, was_tiny;
	uint32_t original_code_size;
	void *arena;

	/* For the writer alone: the forms in which the body was read, and whether they still say anything. */
	bool edited;
	uint8_t padding[3]; /* between code and sections */
	uint16_t header_flags;
	uint32_t section_count;
	struct monocle__il_section *sections;
} monocle__il_body;

/*
 * Reads the body at `data` (header first). `size`: bytes that may be read. *ret_size: how long the body is, exception
 * sections included; may be NULL. *ret_body is the caller's to free on 0, untouched otherwise. Nothing of `data` is
 * kept.
 *
 * Refused as FORMAT: branches, switch targets and clause borders that are not instruction borders of this body, opcodes
 * that do not exist, sections and clauses of an unknown kind. Code that falls off its end, and a branch to the end, are
 * accepted.
 */
int monocle__il_read (monocle__il_body *ret_body, const uint8_t *data, size_t size, size_t *ret_size);
/* Frees what a body owns and zeroes it; a zeroed body may be freed again. */
void monocle__il_free (monocle__il_body *body);
/* Does a handler or a filter begin with this instruction? */
bool monocle__il_begins_handler (const monocle__il_body *body, uint32_t index);

/*
 * What a body says of itself, read without memory: async-safe. Instructions are not looked at, nor are the borders of
 * clauses.
 */
typedef struct {
	const uint8_t *code; /* in `data` */
	uint32_t code_size, max_stack, local_signature_token, clause_count;
	bool init_locals;
	size_t size; /* of the body, exception sections included */
} monocle__il_header;

/* Fields of II.25.4.6. */
typedef struct {
	uint32_t flags, try_offset, try_length, handler_offset, handler_length, token_or_filter;
} monocle__il_raw_clause;

int monocle__il_read_header (const uint8_t *data, size_t size, monocle__il_header *ret_header);
/* RANGE: there is no such clause. */
int monocle__il_read_clause (const uint8_t *data, size_t size, uint32_t index, monocle__il_raw_clause *ret_clause);

/*
 * Editing. An edit list collects insertions by original index and applies them in one pass, O(n).
 * `before`: the instruction before which the code goes; `before` == count appends at the end. Where control that
 * *jumps* to `before` must land is said per insertion:
 *
 *   MONOCLE__IL_JUMPS_SKIP  an entry probe: a loop to the first instruction does not run it, regions that begin there
 *                           do not cover it.
 *   MONOCLE__IL_JUMPS_HIT   an exit probe before `ret`: branches to the ret run it, a region that begins there covers
 *                           it.
 *   MONOCLE__IL_JUMPS_ENTRY the entry of the handler or filter that begins at `before`, which runs it once each time it
 *                           is entered: a loop to its first instruction does not, nor does a try that begins there
 *                           cover it.
 *
 * A region that *ends* at `before` never grows: it ends before either kind. So with `leave L; } L: ret` a probe to
 * be hit before the ret is outside of the try, and the leave lands on it.
 *
 * Several insertions of one kind at one place keep the order in which they were made; those to be skipped (or an entry)
 * come before those to be hit, since otherwise a jump could not run the one without the other.
 */
typedef enum { MONOCLE__IL_JUMPS_SKIP, MONOCLE__IL_JUMPS_HIT, MONOCLE__IL_JUMPS_ENTRY } monocle__il_jumps;

typedef struct monocle__il_edit monocle__il_edit;
/* NULL without memory. The body must not be changed until the edit is applied or freed. */
monocle__il_edit *monocle__il_edit_new (monocle__il_body *body);
/*
 * Copies `count` instructions (operands as above; branch targets are *original* indexes, or MONOCLE__IL_INSERTED (n)
 * for the n-th instruction of this same insertion, n == count for what follows it). A branch to `before` itself is a
 * jump like any other and runs what is to be hit there: code that wants past itself names MONOCLE__IL_INSERTED (count).
 *
 * RANGE: no such index, an operand that does not fit its encoding; `before` comes after a prefix, which would be torn
 * from its instruction (see monocle__il_first_prefix); or code to be skipped goes where a handler or a filter begins,
 * which control never falls into; or an entry goes where none does. FORMAT: no such opcode, or a switch. After a
 * refusal the edit goes on without that insertion.
 */
int monocle__il_insert (monocle__il_edit *edit, uint32_t before, monocle__il_jumps jumps,
                        const monocle__il_instruction *code, uint32_t count);
#define MONOCLE__IL_INSERTED(n) (0x80000000u | (n))
/*
 * The jump of a branch (`arm` 0), or of a switch's case `arm`, goes to the n-th instruction of the insertion that was
 * made last. `branch` is its original index. RANGE: there is no such jump, instruction or insertion.
 */
int monocle__il_redirect (monocle__il_edit *edit, uint32_t branch, uint32_t arm, uint32_t n);
/*
 * Applies all insertions to the body and frees the edit in any case. 0 or negative (the body is then unchanged): RANGE
 * when the body has been changed meanwhile. Pointers into the old body->code stay readable until monocle__il_free.
 */
int monocle__il_edit_apply (monocle__il_edit *edit);
void monocle__il_edit_free (monocle__il_edit *edit);

/* A clause appended last (outermost); indexes as in the body now. 0, RANGE for empty or inverted regions, NO_MEMORY. */
int monocle__il_add_clause (monocle__il_body *body, const monocle__il_clause *clause);

typedef struct {
	uint32_t old_offset, new_offset;
} monocle__il_map;

/*
 * Lays the body out: fat header, long branches. `allocate (context, size)` gives the memory of the result (4-aligned,
 * kept as long as the runtime wants); it is asked once, last, and only when nothing else can fail. *ret_map: malloc'd
 * array of one entry per original instruction, ascending: where that instruction itself went, not what was inserted
 * before it, but for the entry of a handler or filter, which belongs to its first instruction; may be NULL.
 *
 * When nothing was edited and `verbatim` is set, the bytes are those that were read: they are encoded anew in the forms
 * that the reader met. An instruction changed in place is then written as it is now. 0 or negative: RANGE when the body
 * is too large, max_stack exceeds 16 bits, or an index points nowhere.
 */
typedef void *(*monocle__il_allocate) (void *context, size_t size);
int monocle__il_write (const monocle__il_body *body, bool verbatim, monocle__il_allocate allocate, void *context,
                       uint8_t **ret_data, size_t *ret_size, monocle__il_map **ret_map, uint32_t *ret_map_count);

/* Instruction facts, from the opcode table. Opcodes that do not exist have the name "unknown" and the flow NEXT. */
typedef enum {
	MONOCLE__IL_FLOW_NEXT,
	MONOCLE__IL_FLOW_BREAK,
	MONOCLE__IL_FLOW_CALL,        /* call, callvirt, calli, newobj and also jmp, which does not come back */
	MONOCLE__IL_FLOW_RETURN,      /* ret, endfinally, endfilter */
	MONOCLE__IL_FLOW_BRANCH,      /* br, leave */
	MONOCLE__IL_FLOW_COND_BRANCH, /* switch included */
	MONOCLE__IL_FLOW_THROW,
	MONOCLE__IL_FLOW_META, /* prefixes */
} monocle__il_flow;

const char *monocle__il_name (uint16_t opcode);
bool monocle__il_is_branch (uint16_t opcode); /* br family and leave, not switch */
bool monocle__il_is_prefix (uint16_t opcode); /* tail. volatile. unaligned. constrained. readonly. no. */
monocle__il_flow monocle__il_flow_of (uint16_t opcode);
/* Stack slots taken and left; -1: a signature decides (calls, newobj takes, ret). */
int monocle__il_pops (uint16_t opcode);
int monocle__il_pushes (uint16_t opcode);

/* Jumps of the instruction at `index`, falling through not counted: 0, 1, or the cases of a switch. */
uint32_t monocle__il_jump_count (const monocle__il_body *body, uint32_t index);
/* Where one of them leads: an instruction index. */
uint32_t monocle__il_jump_target (const monocle__il_body *body, uint32_t index, uint32_t jump);

/* The first prefix of the instruction at `index`, or `index`: where code that goes before that instruction must go. */
uint32_t monocle__il_first_prefix (const monocle__il_body *body, uint32_t index);

static inline monocle__il_instruction
monocle__il_op (uint16_t opcode, int64_t operand)
{
	monocle__il_instruction i = { opcode, opcode, MONOCLE__IL_NONE, { .i = operand } };
	return i;
}

#endif

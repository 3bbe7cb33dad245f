/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-priv.h - one method while it is planned.
 */
#ifndef MONOCLE_DESCRIBE_COVERAGE_PRIV_H
#define MONOCLE_DESCRIBE_COVERAGE_PRIV_H

#include "coverage.h"
#include "source.h"

/* What is known of an instruction. */
typedef struct {
	uint32_t point;                     /* index of the first point that begins there, or NONE */
	uint32_t predecessor;               /* jumps that lead here, falling through from before not counted */
	uint32_t first_source, last_source; /* of these */
	bool is_border;                     /* a protected region or a handler begins or ends here */
	bool owns;                          /* the point that begins there has a counter of its own */
} monocle__coverage_place;

typedef struct {
	monocle__describe_image *image;
	const monocle__il_body *body;
	bool hits;                       /* what is hit together may share a counter, else what runs equally often */
	monocle__coverage_place *places; /* body->count + 1 */
	MonocleCoveragePoint *all;       /* hidden ones too */
	uint32_t all_count;
	uint32_t *at; /* the instruction of each point that is kept */
	monocle__describe_await *awaits;
	uint32_t await_count;
	bool is_machine; /* a MoveNext that a compiler made of what a person wrote */
	monocle__describe_coverage *out;
	uint32_t arm_capacity, site_capacity;
} monocle__coverage_work;

/* The local that an instruction loads or stores, MONOCLE__IL_NONE for others. */
static inline uint32_t
monocle__coverage_local_of (const monocle__il_instruction *at, uint16_t first_short, uint16_t short_form,
                            uint16_t long_form)
{
	if (at->opcode >= first_short && at->opcode < first_short + 4)
		return at->opcode - first_short;
	return at->opcode == short_form || at->opcode == long_form ? (uint32_t) at->operand.i : MONOCLE__IL_NONE;
}

static inline uint32_t
monocle__coverage_loaded_local (const monocle__il_instruction *at)
{
	return monocle__coverage_local_of (at, MONOCLE__IL_LDLOC_0, MONOCLE__IL_LDLOC_S, MONOCLE__IL_LDLOC);
}

static inline uint32_t
monocle__coverage_stored_local (const monocle__il_instruction *at)
{
	return monocle__coverage_local_of (at, MONOCLE__IL_STLOC_0, MONOCLE__IL_STLOC_S, MONOCLE__IL_STLOC);
}

/* The instruction at an offset, MONOCLE__IL_NONE when none begins there. */
uint32_t monocle__coverage_instruction_at (const monocle__il_body *body, uint32_t offset);
/* The last point at or before an offset, hidden ones too; MONOCLE__IL_NONE: there is none. */
uint32_t monocle__coverage_last_of_all (const monocle__coverage_work *w, uint32_t offset);
static inline bool
monocle__coverage_is_conditional (uint16_t opcode)
{
	return monocle__il_flow_of (opcode) == MONOCLE__IL_FLOW_COND_BRANCH;
}

/* Says of each point that is kept whether it is `beyond`. False: no memory. */
bool monocle__coverage_mark_beyond (monocle__coverage_work *w);
/*
 * Where the last operand of a condition has its value on the stack, of which the outcome is stored in front of
 * `loaded` and branched on: MONOCLE__IL_NONE where no operand before it decides alone. *ret_negated: the outcome is the
 * opposite of the value.
 */
uint32_t monocle__coverage_last_operand (const monocle__coverage_work *w, uint32_t loaded, bool *ret_negated);
/* Is the branch none of a person's? */
bool monocle__coverage_branch_is_of_compiler (const monocle__coverage_work *w, uint32_t branch);
/* The same, for what the compilers of F# and Visual Basic add. */
bool monocle__coverage_branch_is_of_language (const monocle__coverage_work *w, uint32_t branch);
/* Does F# ask there for the outcome of a condition of several operands, with no visible point of its own? */
bool monocle__coverage_branch_is_of_joined (const monocle__coverage_work *w, uint32_t branch);
/* The name that a field or method token has; "" for others. */
const char *monocle__coverage_name_of_token (const monocle__coverage_work *w, uint32_t token);
/* mcs says in names alone which methods were a person's. */
bool monocle__coverage_branch_is_machine (MonoMethod *method);

#endif

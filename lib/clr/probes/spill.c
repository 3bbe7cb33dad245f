/*
 * SPDX-License-Identifier: MIT
 *
 * spill.c - values that a probe would push out of their registers, for as long as the method runs.
 *
 * No vector register survives a call in the System V convention. A floating-point argument that lives across the enter
 * probe, and a result that lives across the leave probe, are spilled there; and the JIT's allocator then leaves such a
 * variable in memory in each loop that it lives in, on either side of the call: a loop of a multiplication and an
 * addition takes 2.5 times as long. So in a method that has a loop these values pass the probes in memory that is not
 * theirs, and the variables of the program are free to live in registers:
 *
 *   enter:  ldarg A; stloc COPY                  for each argument in question
 *           ldc.i4.0; stloc GUARD
 *           probe (..., &GUARD, &COPY...)
 *           ldloc GUARD; brfalse L; ldnull; throw
 *        L: ldloc COPY; starg A                  the rest of the method has another A, as the JIT sees it
 *   leave:  stloc RESULT; probe (..., &RESULT); ldloc RESULT
 *
 * The probes look at none of these addresses. They are passed so that the JIT must believe that memory may change, and
 * neither reads the old variable after the call instead of the copy nor knows that GUARD is zero. GUARD is what ends
 * the block: the poll for the collector, a call as well, is at the end of the probe's block (rewrite.c), and what
 * the program computes before its first loop must not come before it.
 *
 * A copy that may hold references is cleared after the call: the JIT reports such memory until the method ends. What
 * holds integers and references alone is left where it is: there are registers for them that survive. A result of that
 * kind is computed before the probe, since the floating-point variables of its expression would live across it.
 */
#include "spill.h"
#include <string.h>
#include <monocle/host.h>
#include "invariant.h"
#include "rewrite.h"
#include "tokens.h"
#include "value.h"

typedef monocle__rewriting job;

/* --- what a method has -------------------------------------------------------------------------------------------- */

/* Only there is a variable in memory paid for again and again. */
static bool
has_loop (const monocle__il_body *body)
{
	for (uint32_t i = 0; i < body->count; i++) {
		if (monocle__il_is_branch (body->code[i].opcode) && body->code[i].operand.target <= i)
			return true;
		if (body->code[i].opcode != MONOCLE__IL_SWITCH)
			continue;
		const monocle__il_switch *table = &body->switches[body->code[i].operand.switch_index];
		for (uint32_t t = 0; t < table->count; t++)
			if (table->targets[t] <= i)
				return true;
	}
	return false;
}

/* The result comes first. */
typedef struct {
	monocle__value result, arguments[MONOCLE__SPILLS_MAX];
	uint32_t first, count; /* the number of the first argument: `this` is not among them */
} slots;

/* False: it is malformed. */
static bool
read_signature (job *j, slots *ret)
{
	monocle__ecma_cursor cursor;
	uint32_t count;
	if (!monocle__value_open_signature (j, &cursor, &ret->first, &count))
		return false;
	ret->count = count < MONOCLE__SPILLS_MAX ? count : MONOCLE__SPILLS_MAX;
	ret->result = monocle__value_read (j, &cursor);
	for (uint32_t i = 0; i < ret->count; i++)
		ret->arguments[i] = monocle__value_read (j, &cursor);
	return !cursor.error;
}

static bool
locals_have_floats (job *j)
{
	if (!monocle__tokens_open_locals (j))
		return false;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (j->locals.types, j->locals.size);
	for (uint32_t i = 0; i < j->locals.count && !cursor.error; i++)
		if (monocle__value_read (j, &cursor).parts & MONOCLE__VALUE_FLOATS)
			return true;
	return false;
}

static bool
has_floats (job *j, const slots *s)
{
	unsigned parts = s->result.parts;
	for (uint32_t i = 0; i < s->count; i++)
		parts |= s->arguments[i].parts;
	return parts & MONOCLE__VALUE_FLOATS || locals_have_floats (j);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* A local of that type. False: there can be none, and the value stays where it is. */
static bool
add_copy (job *j, const monocle__value *s, bool clears, monocle__spill *ret_copy)
{
	ret_copy->clear = clears ? monocle__value_token (j, s) : 0;
	if (!s->type || (clears && !ret_copy->clear))
		return false;
	ret_copy->local = monocle__tokens_add_locals (j, s->type, s->size, 1);
	return ret_copy->local != MONOCLE__IL_NONE;
}

static void
plan_result (job *j, const monocle__value *s)
{
	bool in_memory = s->parts & MONOCLE__VALUE_FLOATS;
	if (add_copy (j, s, in_memory && s->parts & MONOCLE__VALUE_REFERENCES, &j->spills.result))
		j->spills.result_in_memory = in_memory;
	else
		j->spills.result.local = MONOCLE__IL_NONE;
}

static void
plan_arguments (job *j, const slots *s)
{
	static const uint8_t guard = MONOCLE__ET_I4;
	monocle__spills *own = &j->spills;
	for (uint32_t i = 0; i < s->count; i++) {
		monocle__spill *copy = &own->arguments[own->count];
		copy->argument = s->first + i;
		if (s->arguments[i].parts & MONOCLE__VALUE_FLOATS)
			own->count += add_copy (j, &s->arguments[i], s->arguments[i].parts & MONOCLE__VALUE_REFERENCES, copy);
	}
	MONOCLE__INVARIANT (own->count <= s->count && own->count <= MONOCLE__SPILLS_MAX);
	own->guard = monocle__tokens_add_locals (j, &guard, 1, 1);
}

void
monocle__spill_plan (job *j)
{
	slots s;
	if (j->invoke || !has_loop (&j->body) || !read_signature (j, &s) || !has_floats (j, &s))
		return;
	plan_result (j, &s.result);
	plan_arguments (j, &s);
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

/* The address of a local, as what a probe is passed. */
static uint32_t
push_address (uint32_t local, monocle__il_instruction *out)
{
	out[0] = monocle__il_op (MONOCLE__IL_LDLOCA, local);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	return 2;
}

static uint32_t
clear (const monocle__spill *copy, monocle__il_instruction *out)
{
	if (!copy->clear)
		return 0;
	out[0] = monocle__il_op (MONOCLE__IL_LDLOCA, copy->local);
	out[1] = monocle__il_op (MONOCLE__IL_INITOBJ, copy->clear);
	return 2;
}

static bool
guards (const job *j)
{
	return j->spills.guard != MONOCLE__IL_NONE;
}

uint32_t
monocle__spill_before_enter (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!guards (j))
		return 0;
	for (uint32_t i = 0; i < j->spills.count; i++) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDARG, j->spills.arguments[i].argument);
		out[n++] = monocle__il_op (MONOCLE__IL_STLOC, j->spills.arguments[i].local);
	}
	out[n++] = monocle__il_op (MONOCLE__IL_LDC_I4_0, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_STLOC, j->spills.guard);
	return n;
}

uint32_t
monocle__spill_enter_addresses (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!guards (j))
		return 0;
	n += push_address (j->spills.guard, out);
	for (uint32_t i = 0; i < j->spills.count; i++)
		n += push_address (j->spills.arguments[i].local, out + n);
	return n;
}

uint32_t
monocle__spill_enter_count (const job *j)
{
	return guards (j) ? 1 + j->spills.count : 0;
}

uint32_t
monocle__spill_after_enter (const job *j, uint32_t at, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!guards (j))
		return 0;
	out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, j->spills.guard);
	out[n] = monocle__il_op (MONOCLE__IL_BRFALSE, 0);
	out[n++].operand.target = MONOCLE__IL_INSERTED (at + 4);
	out[n++] = monocle__il_op (MONOCLE__IL_LDNULL, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_THROW, 0);
	for (uint32_t i = 0; i < j->spills.count; i++) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, j->spills.arguments[i].local);
		out[n++] = monocle__il_op (MONOCLE__IL_STARG, j->spills.arguments[i].argument);
		n += clear (&j->spills.arguments[i], out + n);
	}
	return n;
}

bool
monocle__spill_has_result (const job *j)
{
	return j->spills.result.local != MONOCLE__IL_NONE;
}

uint32_t
monocle__spill_result_address (const job *j, monocle__il_instruction *out)
{
	return j->spills.result_in_memory ? push_address (j->spills.result.local, out) : 0;
}

uint32_t
monocle__spill_load_result (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!monocle__spill_has_result (j))
		return 0;
	out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, j->spills.result.local);
	return n + clear (&j->spills.result, out + n);
}

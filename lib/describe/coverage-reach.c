/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-reach.c - points that control reaches only if a method returns that is said not to: the closing brace
 * behind `ThrowHelper.Throw ();`. And those that a compiler made for a debugger, where nothing ever comes. What nothing
 * reaches in any other way is as compilers left it.
 */
#include "coverage-priv.h"

#include "describe-priv.h"

#include <stdlib.h>
#include <string.h>

typedef monocle__coverage_work work;

typedef struct {
	const monocle__il_body *body;
	const bool *ends; /* by instruction: the next one never follows; NULL: it may anywhere */
	bool *reached;    /* by instruction */
	bool *entered;    /* by clause */
	uint32_t *todo;   /* instructions that are reached, not gone on from */
	uint32_t todo_count;
} walk;

static void
reach (walk *w, uint32_t i)
{
	if (i >= w->body->count || w->reached[i])
		return;
	w->reached[i] = true;
	w->todo[w->todo_count++] = i;
}

/* Whatever is in a protected region may throw. */
static void
reach_handlers (walk *w, uint32_t i)
{
	for (uint32_t k = 0; k < w->body->clause_count; k++) {
		const monocle__il_clause *c = &w->body->clauses[k];
		if (w->entered[k] || i < c->try_begin || i >= c->try_end)
			continue;
		w->entered[k] = true;
		reach (w, c->handler_begin);
		if (c->flags == MONOCLE__IL_CLAUSE_FILTER)
			reach (w, c->filter_begin);
	}
}

static bool
goes_on (uint16_t opcode)
{
	monocle__il_flow flow = monocle__il_flow_of (opcode);
	return flow != MONOCLE__IL_FLOW_RETURN && flow != MONOCLE__IL_FLOW_BRANCH && flow != MONOCLE__IL_FLOW_THROW &&
	       opcode != MONOCLE__IL_JMP;
}

static void
walk_all (walk *w)
{
	memset (w->reached, 0, w->body->count * sizeof *w->reached);
	memset (w->entered, 0, w->body->clause_count * sizeof *w->entered);
	reach (w, 0);
	while (w->todo_count) {
		uint32_t i = w->todo[--w->todo_count];
		reach_handlers (w, i);
		for (uint32_t j = 0, count = monocle__il_jump_count (w->body, i); j < count; j++)
			reach (w, monocle__il_jump_target (w->body, i, j));
		if (goes_on (w->body->code[i].opcode) && !(w->ends && w->ends[i]))
			reach (w, i + 1);
	}
}

/* `ldc.i4.1; brtrue PAST; nop; PAST:` is a place for a debugger to stop at, in code that is not optimised. */
static bool
is_stop (const work *w, uint32_t i)
{
	const monocle__il_instruction *code = w->body->code;
	return i && i + 2 < w->body->count && code[i].opcode == MONOCLE__IL_BRTRUE && code[i].operand.target == i + 2 &&
	       code[i - 1].opcode == MONOCLE__IL_LDC_I4_1 && code[i + 1].opcode == MONOCLE__IL_NOP &&
	       !w->places[i].predecessor;
}

/* How many instructions are never followed by the next one. */
static uint32_t
find_ends (const work *w, bool *ends)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < w->body->count; i++) {
		const monocle__il_instruction *at = &w->body->code[i];
		bool calls = at->opcode == MONOCLE__IL_CALL || at->opcode == MONOCLE__IL_CALLVIRT;
		ends[i] = calls ? !monocle__describe_returns (w->image, (uint32_t) at->operand.i) : is_stop (w, i);
		found += ends[i];
	}
	return found;
}

static void
mark (work *w, walk *all, walk *some)
{
	walk_all (all);
	walk_all (some);
	for (uint32_t i = 0; i < w->out->plan.point_count; i++)
		w->out->points[i].beyond = all->reached[w->at[i]] && !some->reached[w->at[i]];
}

bool
monocle__coverage_mark_beyond (work *w)
{
	uint32_t count = w->body->count + 1, clauses = w->body->clause_count + 1;
	bool *flags = calloc ((size_t) count * 3 + clauses, sizeof *flags);
	uint32_t *todo = malloc (count * sizeof *todo);
	if (flags && todo && find_ends (w, flags)) {
		walk all = { .body = w->body, .reached = flags + count, .entered = flags + (size_t) count * 3, .todo = todo };
		walk some = all;
		some.ends = flags;
		some.reached = flags + (size_t) count * 2;
		mark (w, &all, &some);
	}
	bool done = flags && todo;
	free (flags);
	free (todo);
	return done;
}

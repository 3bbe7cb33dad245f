/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-branch.c - which branches a compiler added to a line that a person wrote: a cached delegate is made on first
 * use, an awaited task has ended already, a state machine goes on where it stopped. How a `switch` finds its arm is a
 * compiler's as well: it depends on the build, and each arm is a statement that is counted.
 */
#include "coverage-priv.h"

#include <string.h>

typedef monocle__coverage_work work;

const char *
monocle__coverage_name_of_token (const work *w, uint32_t token)
{
	const monocle__ecma_image *ecma = &w->image->ecma;
	uint32_t row = token & 0xFFFFFF, name = 0;
	int error = MONOCLE__ECMA_E_RANGE;
	if (token >> 24 == MONOCLE__TABLE_Field)
		error = monocle__ecma_column (ecma, MONOCLE__TABLE_Field, row, MONOCLE__COL_Field_Name, &name);
	else if (token >> 24 == MONOCLE__TABLE_MemberRef)
		error = monocle__ecma_column (ecma, MONOCLE__TABLE_MemberRef, row, MONOCLE__COL_MemberRef_Name, &name);
	else if (token >> 24 == MONOCLE__TABLE_MethodDef)
		error = monocle__ecma_column (ecma, MONOCLE__TABLE_MethodDef, row, MONOCLE__COL_MethodDef_Name, &name);
	const char *text = error ? NULL : monocle__ecma_string (ecma, name);
	return text ? text : "";
}

/*
 * `<>9__0_0` keeps a lambda, `<0>__Name` a method group, `<>f__am$cache0` is mcs's, and so is `$PC`; `<x>5__1` is
 * somebody's, and `<>s__1` and `<>7__wrap1` keep what a person's condition has come to while it waits.
 */
static bool
is_of_no_person (const char *name)
{
	if (strncmp (name, "<>s__", 5) == 0 || strncmp (name, "<>7__wrap", 9) == 0)
		return false;
	return name[0] == '$' || (name[0] == '<' && (name[1] == '>' || (name[1] >= '0' && name[1] <= '9')));
}

/*
 * Is it where mcs keeps the state of a method that goes on later, or whether it gives way? Such a method begins with
 * `ldarg.0; ldfld $PC; stloc STATE; ldarg.0; ldc.i4.m1; stfld $PC; ldc.i4.0; stloc GIVES_WAY`, the last two as needed.
 */
static bool
is_state (const work *w, uint32_t local)
{
	const monocle__il_instruction *code = w->body->code;
	if (!w->is_machine || local == MONOCLE__IL_NONE || w->body->count < 8 || code[1].opcode != MONOCLE__IL_LDFLD)
		return false;
	const char *field = monocle__coverage_name_of_token (w, (uint32_t) code[1].operand.i);
	if (field[0] != '$')
		return strcmp (field, "<>1__state") == 0 && monocle__coverage_stored_local (&code[2]) == local;
	return monocle__coverage_stored_local (&code[2]) == local ||
	       (code[6].opcode == MONOCLE__IL_LDC_I4_0 && monocle__coverage_stored_local (&code[7]) == local);
}

/* What decides a branch: what comes before it, or before `dup`. */
static const monocle__il_instruction *
decides (const work *w, uint32_t branch)
{
	const monocle__il_instruction *code = w->body->code;
	uint32_t before = branch;
	if (before && code[before - 1].opcode == MONOCLE__IL_DUP)
		before--;
	return before ? &code[before - 1] : NULL;
}

/* The test of the type in front of what a person wrote behind `when`: its result may be stored first. */
static bool
begins_filter (const work *w, uint32_t branch)
{
	for (uint32_t i = 0; i < w->body->clause_count; i++) {
		const monocle__il_clause *c = &w->body->clauses[i];
		if (c->flags == MONOCLE__IL_CLAUSE_FILTER && w->body->code[c->filter_begin].opcode == MONOCLE__IL_ISINST &&
		    (branch == c->filter_begin + 2 || branch == c->filter_begin + 3))
			return true;
	}
	return false;
}

/* `ldc.i4.1; brtrue`: a place for breakpoints, in code that is not optimised. */
static bool
is_constant (const work *w, uint32_t branch)
{
	uint16_t opcode = w->body->code[branch].opcode;
	uint16_t before = branch ? w->body->code[branch - 1].opcode : MONOCLE__IL_NOP;
	return !w->places[branch].predecessor && before >= MONOCLE__IL_LDC_I4_M1 && before <= MONOCLE__IL_LDC_I4 &&
	       (opcode == MONOCLE__IL_BRTRUE || opcode == MONOCLE__IL_BRFALSE);
}

/*
 * What comes from here on comes together again before anything leaves the instructions up to `end`: it is part of a
 * value. Where that is, or MONOCLE__IL_NONE.
 */
static uint32_t
joins_before (const work *w, uint32_t from, uint32_t end)
{
	uint32_t join = from + 1;
	for (uint32_t i = from; i < join && join < end; i++)
		for (uint32_t j = 0, count = monocle__il_jump_count (w->body, i); j < count; j++) {
			uint32_t target = monocle__il_jump_target (w->body, i, j);
			if (target <= from || target >= end)
				return MONOCLE__IL_NONE;
			join = target > join ? target : join;
		}
	return join < end ? join : MONOCLE__IL_NONE;
}

static bool
is_truth (const monocle__il_instruction *at)
{
	return at->opcode == MONOCLE__IL_LDC_I4_0 || at->opcode == MONOCLE__IL_LDC_I4_1;
}

/*
 * `a && b` is `a; brfalse F; b; br X; F: ldc.i4.0; X: stloc`, and conditions in conditions have their X at the `br` of
 * another one.
 */
uint32_t
monocle__coverage_last_operand (const work *w, uint32_t loaded, bool *ret_negated)
{
	const monocle__il_instruction *code = w->body->code;
	uint32_t store = loaded;
	while (store && code[store - 1].opcode == MONOCLE__IL_NOP)
		store--;
	uint32_t join = store ? store - 1 : 0;
	*ret_negated = join > 2 && code[join - 1].opcode == MONOCLE__IL_CEQ &&
	               code[join - 2].opcode == MONOCLE__IL_LDC_I4_0 && !w->places[join].predecessor &&
	               w->places[join - 2].predecessor == 1;
	join -= *ret_negated ? 2 : 0;
	bool any = false;
	while (join && w->places[join].predecessor == 1 && is_truth (&code[join - 1])) {
		uint32_t from = w->places[join].first_source;
		if (from == 0 || from >= join || code[from].opcode != MONOCLE__IL_BR || w->places[join].is_border)
			return MONOCLE__IL_NONE;
		join = from;
		any = true;
	}
	return any && !w->places[join].is_border && !is_truth (&code[join - 1]) ? join : MONOCLE__IL_NONE;
}

/* Are both visible, and is the second inside the first? */
static bool
is_nested (const MonocleCoveragePoint *outer, const MonocleCoveragePoint *inner)
{
	if (!outer->document || outer->document != inner->document || !outer->end_line)
		return false;
	bool begins = inner->start_line > outer->start_line ||
	              (inner->start_line == outer->start_line && inner->start_column > outer->start_column);
	return begins && (inner->end_line < outer->end_line ||
	                  (inner->end_line == outer->end_line && inner->end_column <= outer->end_column));
}

/*
 * Does it choose an arm of a switch expression? The arms have points inside that of the statement, and come next. With
 * optimisation no hidden point separates the choice from the conditions in the value that is chosen by.
 */
static bool
is_of_choice (const work *w, uint32_t branch)
{
	uint32_t last = monocle__coverage_last_of_all (w, w->body->code[branch].offset), next = last + 1;
	while (next && next < w->all_count && !w->all[next].document)
		next++;
	if (!next || next >= w->all_count || !is_nested (&w->all[last], &w->all[next]))
		return false;
	uint32_t at = monocle__coverage_instruction_at (w->body, w->all[last].il_offset);
	uint32_t end = monocle__coverage_instruction_at (w->body, w->all[next].il_offset);
	while (at < branch && end != MONOCLE__IL_NONE) {
		uint32_t join =
		    monocle__coverage_is_conditional (w->body->code[at].opcode) ? joins_before (w, at, end) : at + 1;
		if (join == MONOCLE__IL_NONE)
			return true;
		at = join;
	}
	return at == branch && joins_before (w, branch, end) == MONOCLE__IL_NONE;
}

bool
monocle__coverage_branch_is_of_compiler (const work *w, uint32_t branch)
{
	const monocle__il_instruction *i = decides (w, branch);
	if (!i)
		return false;
	if (w->body->code[branch].opcode == MONOCLE__IL_SWITCH || is_of_choice (w, branch) ||
	    monocle__coverage_branch_is_of_language (w, branch))
		return true;
	uint32_t token = (uint32_t) i->operand.i;
	if (i->opcode == MONOCLE__IL_LDSFLD || i->opcode == MONOCLE__IL_LDFLD)
		return is_of_no_person (monocle__coverage_name_of_token (w, token));
	if (w->is_machine && (i->opcode == MONOCLE__IL_CALL || i->opcode == MONOCLE__IL_CALLVIRT))
		return strcmp (monocle__coverage_name_of_token (w, token), "get_IsCompleted") == 0;
	return begins_filter (w, branch) || is_constant (w, branch) || is_state (w, monocle__coverage_loaded_local (i));
}

/* mcs says in names alone which methods were a person's: `<Run>c__async0:MoveNext`, `<Run>c__Iterator0:MoveNext`. */
bool
monocle__coverage_branch_is_machine (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *name = klass ? mono_class_get_name (klass) : "";
	return name[0] == '<' && strstr (name, ">c__") && strcmp (mono_method_get_name (method), "MoveNext") == 0;
}

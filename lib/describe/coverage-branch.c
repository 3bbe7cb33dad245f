/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-branch.c - which branches a compiler added to a line that a person wrote: a cached delegate is made on first
 * use, an awaited task has ended already, a state machine goes on where it stopped.
 */
#include "coverage-priv.h"

#include <string.h>

typedef monocle__coverage_work work;

/* The name that a field or method token has; "" for others. */
static const char *
name_of_token (const work *w, uint32_t token)
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
	const char *field = name_of_token (w, (uint32_t) code[1].operand.i);
	if (field[0] != '$')
		return strcmp (field, "<>1__state") == 0 && monocle__coverage_stored_local (&code[2]) == local;
	return monocle__coverage_stored_local (&code[2]) == local ||
	       (code[6].opcode == MONOCLE__IL_LDC_I4_0 && monocle__coverage_stored_local (&code[7]) == local);
}

/* What decides a branch: what comes before it, or before `dup`, or before the `ldc; sub` of a switch's lowest case. */
static const monocle__il_instruction *
decides (const work *w, uint32_t branch)
{
	const monocle__il_instruction *code = w->body->code;
	uint32_t before = branch;
	if (before && code[before - 1].opcode == MONOCLE__IL_DUP)
		before--;
	if (before > 2 && code[branch].opcode == MONOCLE__IL_SWITCH && code[before - 1].opcode == MONOCLE__IL_SUB)
		before -= 2;
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

bool
monocle__coverage_branch_is_of_compiler (const work *w, uint32_t branch)
{
	const monocle__il_instruction *i = decides (w, branch);
	if (!i)
		return false;
	uint32_t token = (uint32_t) i->operand.i;
	if (i->opcode == MONOCLE__IL_LDSFLD || i->opcode == MONOCLE__IL_LDFLD)
		return is_of_no_person (name_of_token (w, token));
	if (w->is_machine && (i->opcode == MONOCLE__IL_CALL || i->opcode == MONOCLE__IL_CALLVIRT))
		return strcmp (name_of_token (w, token), "get_IsCompleted") == 0;
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

/*
 * SPDX-License-Identifier: MIT
 *
 * il-stack.c - see il-stack.h.
 */
#include "il-stack.h"

#include <stdlib.h>
#include "tables.h"

/* What a call takes and leaves, as its signature has it. */
typedef struct {
	uint32_t parameters; /* `this` not counted, unless the signature lists it */
	bool has_this, has_result;
} effect;

/* The blob of a method's signature, whatever token names the method; 0: none does. */
static uint32_t
signature_of (const monocle__ecma_image *image, uint32_t token)
{
	uint32_t row = token & 0xFFFFFF, blob = 0, generic;
	switch (token >> 24) {
	case MONOCLE__TABLE_MethodDef:
		monocle__ecma_column (image, MONOCLE__TABLE_MethodDef, row, MONOCLE__COL_MethodDef_Signature, &blob);
		return blob;
	case MONOCLE__TABLE_MemberRef:
		monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, row, MONOCLE__COL_MemberRef_Signature, &blob);
		return blob;
	case MONOCLE__TABLE_StandAloneSig:
		monocle__ecma_column (image, MONOCLE__TABLE_StandAloneSig, row, MONOCLE__COL_StandAloneSig_Signature, &blob);
		return blob;
	case MONOCLE__TABLE_MethodSpec:
		if (monocle__ecma_column (image, MONOCLE__TABLE_MethodSpec, row, MONOCLE__COL_MethodSpec_Method, &generic))
			return 0;
		generic = monocle__ecma_coded_token (MONOCLE__CODED_MethodDefOrRef, generic);
		return generic >> 24 == MONOCLE__TABLE_MethodSpec ? 0 : signature_of (image, generic);
	default: return 0;
	}
}

static int
read_effect (const monocle__ecma_image *image, uint32_t token, effect *ret)
{
	const uint8_t *data;
	uint32_t size, blob = signature_of (image, token);
	if (!blob || monocle__ecma_blob (image, blob, &data, &size))
		return MONOCLE__ECMA_E_FORMAT;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	uint8_t first = monocle__ecma_read_byte (&cursor);
	if (first & MONOCLE__SIG_GENERIC)
		monocle__ecma_read_u (&cursor);
	ret->parameters = monocle__ecma_read_u (&cursor);
	ret->has_this = first & MONOCLE__SIG_HASTHIS && !(first & MONOCLE__SIG_EXPLICITTHIS);
	monocle__ecma_skip_modifiers (&cursor);
	ret->has_result = monocle__ecma_peek_byte (&cursor) != MONOCLE__ET_VOID;
	return cursor.error ? MONOCLE__ECMA_E_FORMAT : 0;
}

/* The depth after a call, negative when it is not what the code says. */
static int64_t
after_call (const monocle__ecma_image *image, const monocle__il_instruction *call, int64_t depth)
{
	effect e;
	if (read_effect (image, (uint32_t) call->operand.i, &e))
		return -1;
	bool makes = call->opcode == MONOCLE__IL_NEWOBJ;
	depth -= (int64_t) e.parameters + (e.has_this && !makes) + (call->opcode == MONOCLE__IL_CALLI);
	return depth < 0 ? -1 : depth + (makes || e.has_result);
}

static bool
is_call (uint16_t opcode)
{
	return opcode == MONOCLE__IL_CALL || opcode == MONOCLE__IL_CALLVIRT || opcode == MONOCLE__IL_CALLI ||
	       opcode == MONOCLE__IL_NEWOBJ;
}

static int64_t
after (const monocle__ecma_image *image, const monocle__il_instruction *at, int64_t depth)
{
	if (is_call (at->opcode))
		return after_call (image, at, depth);
	int pops = monocle__il_pops (at->opcode), pushes = monocle__il_pushes (at->opcode);
	depth -= pops < 0 ? 0 : pops; /* a ret takes what there is */
	return depth < 0 ? -1 : depth + (pushes < 0 ? 0 : pushes);
}

static bool
goes_on (uint16_t opcode)
{
	switch (monocle__il_flow_of (opcode)) {
	case MONOCLE__IL_FLOW_RETURN:
	case MONOCLE__IL_FLOW_BRANCH:
	case MONOCLE__IL_FLOW_THROW: return false;
	default: return opcode != MONOCLE__IL_JMP;
	}
}

/* Branches say how deep it is where they lead, those back lead where it is known. */
static void
tell_targets (const monocle__il_body *body, uint32_t i, int64_t depth, int64_t *depths)
{
	const monocle__il_instruction *at = &body->code[i];
	if (at->opcode == MONOCLE__IL_SWITCH) {
		const monocle__il_switch *table = &body->switches[at->operand.switch_index];
		for (uint32_t j = 0; j < table->count; j++)
			if (depths[table->targets[j]] < 0)
				depths[table->targets[j]] = depth;
	} else if (monocle__il_is_branch (at->opcode) && depths[at->operand.target] < 0) {
		depths[at->operand.target] = at->opcode == MONOCLE__IL_LEAVE ? 0 : depth;
	}
}

static void
tell_handlers (const monocle__il_body *body, int64_t *depths)
{
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];
		bool given = c->flags == MONOCLE__IL_CLAUSE_CATCH || c->flags == MONOCLE__IL_CLAUSE_FILTER;
		depths[c->try_begin] = depths[c->try_begin] < 0 ? 0 : depths[c->try_begin];
		depths[c->handler_begin] = given;
		if (c->flags == MONOCLE__IL_CLAUSE_FILTER)
			depths[c->filter_begin] = 1;
	}
}

int
monocle__il_stack_empty (const monocle__ecma_image *image, const monocle__il_body *body, bool *ret_empty)
{
	int64_t depth = 0, *depths = malloc (((size_t) body->count + 1) * sizeof *depths);
	if (!depths)
		return MONOCLE__IL_E_NO_MEMORY;
	for (uint32_t i = 0; i <= body->count; i++)
		depths[i] = -1;
	tell_handlers (body, depths);
	for (uint32_t i = 0; i < body->count && depth >= 0; i++) {
		depth = depths[i] < 0 ? depth : depths[i];
		depths[i] = depth;
		ret_empty[i] = depth == 0;
		depth = after (image, &body->code[i], depth);
		if (depth >= 0)
			tell_targets (body, i, depth, depths);
		if (depth >= 0 && !goes_on (body->code[i].opcode))
			depth = 0;
	}
	free (depths);
	return depth < 0 ? MONOCLE__ECMA_E_FORMAT : 0;
}

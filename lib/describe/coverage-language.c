/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-language.c - which branches the compilers of F# and Visual Basic added to a line that a person wrote.
 *
 * F# puts code of its library in where it is used: slices, sums, what awaits a task. Nothing says so, but a person's
 * decision leads to something that has a point of its own, since each arm of an `if`, each case of a `match`, each body
 * of a loop and each operand of `&&` has one. Where all ways come to the same points it was none of a person's.
 */
#include "coverage-priv.h"

#include <stdlib.h>
#include <string.h>

#include <mono/metadata/attrdefs.h>

#include "tables.h"

typedef monocle__coverage_work work;

/* Instructions of a body in which ways are followed, and of a way that is looked at for a failure. */
enum { LARGEST = 1 << 16, STEPS = 256 };

static bool
is_source_of (const work *w, const char *ending)
{
	const MonocleCoverageDocument *document = w->out->plan.point_count ? w->out->points[0].document : NULL;
	size_t length = document ? strlen (document->path) : 0;
	return length > strlen (ending) && strcmp (document->path + length - strlen (ending), ending) == 0;
}

static bool
goes_on (uint16_t opcode)
{
	monocle__il_flow flow = monocle__il_flow_of (opcode);
	return flow != MONOCLE__IL_FLOW_RETURN && flow != MONOCLE__IL_FLOW_BRANCH && flow != MONOCLE__IL_FLOW_THROW &&
	       opcode != MONOCLE__IL_JMP;
}

/* --- ways in F# --------------------------------------------------------------------------------------------------- */

typedef struct {
	const work *w;
	bool *seen, *comes_to; /* by instruction: points that are come to first */
	uint32_t *todo;
	uint32_t todo_count;
} path;

static void
visit (path *p, uint32_t i)
{
	if (i >= p->w->body->count || p->seen[i])
		return;
	p->seen[i] = true;
	if (p->w->places[i].point != MONOCLE__IL_NONE)
		p->comes_to[i] = true;
	else
		p->todo[p->todo_count++] = i;
}

static void
follow (path *p, uint32_t from)
{
	const monocle__il_body *body = p->w->body;
	visit (p, from);
	while (p->todo_count) {
		uint32_t i = p->todo[--p->todo_count];
		for (uint32_t j = 0, count = monocle__il_jump_count (body, i); j < count; j++)
			visit (p, monocle__il_jump_target (body, i, j));
		if (goes_on (body->code[i].opcode))
			visit (p, i + 1);
	}
}

/* Does control come there from one place alone? */
static bool
has_one_entrance (const work *w, uint32_t i)
{
	bool falls = i && goes_on (w->body->code[i - 1].opcode);
	return w->places[i].predecessor + falls == 1;
}

/* Where one way comes to no point, the points of the other one are of a decision if nothing else leads there. */
static bool
decide_alike (const work *w, const bool *first, const bool *second)
{
	bool is_first_none = true, is_second_none = true, is_own = false;
	for (uint32_t i = 0; i < w->body->count; i++) {
		is_first_none = is_first_none && !first[i];
		is_second_none = is_second_none && !second[i];
		is_own = is_own || ((first[i] || second[i]) && has_one_entrance (w, i));
	}
	if (is_first_none || is_second_none)
		return !is_own;
	return memcmp (first, second, w->body->count) == 0;
}

/* Without memory it is a person's. */
static bool
comes_together (const work *w, uint32_t branch)
{
	size_t count = w->body->count;
	bool *marks = count <= LARGEST ? calloc (count, 3 * sizeof *marks) : NULL;
	uint32_t *todo = marks ? malloc (count * sizeof *todo) : NULL;
	bool is_alike = false;
	if (todo) {
		path first = { .w = w, .seen = marks, .comes_to = marks + count, .todo = todo };
		path second = { .w = w, .seen = marks, .comes_to = marks + 2 * count, .todo = todo };
		follow (&first, branch + 1);
		memset (marks, 0, count * sizeof *marks);
		follow (&second, monocle__il_jump_target (w->body, branch, 0));
		is_alike = decide_alike (w, first.comes_to, second.comes_to);
	}
	free (todo);
	free (marks);
	return is_alike;
}

/* --- patterns of F# ----------------------------------------------------------------------------------------------- */

/* The class around a nested one; 0: it is none of this image. */
static uint32_t
outer_class (const work *w, uint32_t row)
{
	const monocle__ecma_image *ecma = &w->image->ecma;
	uint32_t at = monocle__table_find (ecma, MONOCLE__TABLE_NestedClass, MONOCLE__COL_NestedClass_NestedClass, row, 1);
	return at ? monocle__table_cell (&ecma->tables[MONOCLE__TABLE_NestedClass], at,
	                                 MONOCLE__COL_NestedClass_EnclosingClass)
	          : 0;
}

/* A case is a class in that of its union, which is no module. */
static bool
is_case (const work *w, uint32_t token)
{
	enum { STATIC = MONO_TYPE_ATTR_ABSTRACT | MONO_TYPE_ATTR_SEALED };
	uint32_t flags = STATIC, outer = token >> 24 == MONOCLE__TABLE_TypeDef ? outer_class (w, token & 0xFFFFFF) : 0;
	if (!outer ||
	    monocle__ecma_column (&w->image->ecma, MONOCLE__TABLE_TypeDef, outer, MONOCLE__COL_TypeDef_Flags, &flags))
		return false;
	return (flags & STATIC) != STATIC;
}

/* Is it asked which case of a union a value is? */
static bool
is_of_union (const work *w, uint32_t branch)
{
	const monocle__il_instruction *i = &w->body->code[branch - 1];
	if (i->opcode == MONOCLE__IL_ISINST)
		return is_case (w, (uint32_t) i->operand.i);
	if (i->opcode >= MONOCLE__IL_LDC_I4_M1 && i->opcode <= MONOCLE__IL_LDC_I4 && branch > 1)
		i--;
	return (i->opcode == MONOCLE__IL_CALL || i->opcode == MONOCLE__IL_CALLVIRT) &&
	       strcmp (monocle__coverage_name_of_token (w, (uint32_t) i->operand.i), "get_Tag") == 0;
}

/* `for i in 1..n`: a loop is asked for its end before it begins, too. */
static bool
is_of_entry (const work *w, uint32_t branch)
{
	uint32_t end = monocle__il_jump_target (w->body, branch, 0), last = end - 1;
	return end > branch + 1 && end < w->body->count && monocle__coverage_is_conditional (w->body->code[last].opcode) &&
	       monocle__il_jump_count (w->body, last) == 1 && monocle__il_jump_target (w->body, last, 0) == branch + 1;
}

/* Is the field or method one of that class, which is in another assembly? */
static bool
is_member_of (const work *w, uint32_t token, const char *name_space, const char *name)
{
	const monocle__ecma_image *ecma = &w->image->ecma;
	const char *found, *found_space;
	uint32_t parent, scope;
	if (token >> 24 != MONOCLE__TABLE_MemberRef ||
	    monocle__ecma_column (ecma, MONOCLE__TABLE_MemberRef, token & 0xFFFFFF, MONOCLE__COL_MemberRef_Class, &parent))
		return false;
	parent = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	return !monocle__ecma_get_typeref (ecma, parent, &found, &found_space, &scope) && !strcmp (found, name) &&
	       !strcmp (found_space, name_space);
}

/* A filter that says no: `ldc.i4.0; endfilter`. */
static bool
refuses (const work *w, uint32_t at)
{
	const monocle__il_instruction *code = w->body->code;
	if (code[at++].opcode != MONOCLE__IL_LDC_I4_0)
		return false;
	while (at < w->body->count && code[at].opcode == MONOCLE__IL_NOP)
		at++;
	return at < w->body->count && code[at].opcode == MONOCLE__IL_ENDFILTER;
}

/* Where no case fits: `newobj MatchFailureException`, or what was caught is thrown again. */
static bool
fails (const work *w, uint32_t at)
{
	const monocle__il_instruction *i = &w->body->code[at];
	uint32_t token = (uint32_t) i->operand.i;
	switch (i->opcode) {
	case MONOCLE__IL_RETHROW: return true;
	case MONOCLE__IL_NEWOBJ: return is_member_of (w, token, "Microsoft.FSharp.Core", "MatchFailureException");
	case MONOCLE__IL_CALL: /* in a computation expression: `ExceptionDispatchInfo.Capture (e).Throw ()` */
		return is_member_of (w, token, "System.Runtime.ExceptionServices", "ExceptionDispatchInfo");
	default: return refuses (w, at);
	}
}

/* Does the code that begins there fail before it decides anything or comes to a point? */
static bool
leads_to_failure (const work *w, uint32_t at)
{
	for (uint32_t step = 0; step < STEPS && at < w->body->count && w->places[at].point == MONOCLE__IL_NONE; step++) {
		uint16_t opcode = w->body->code[at].opcode;
		if (fails (w, at))
			return true;
		if (opcode == MONOCLE__IL_BR || opcode == MONOCLE__IL_BR_S)
			at = monocle__il_jump_target (w->body, at, 0);
		else if (!goes_on (opcode) || monocle__coverage_is_conditional (opcode))
			return false;
		else
			at++;
	}
	return false;
}

/* The last case of a `match` or `with` is tried, and the way on is in no source. */
static bool
is_of_last_case (const work *w, uint32_t branch)
{
	return leads_to_failure (w, branch + 1) || leads_to_failure (w, monocle__il_jump_target (w->body, branch, 0));
}

/*
 * Without optimisation `a && b` is `a; brfalse F; b; nop; br X; F: ldc.i4.0; nop; X: brfalse`, with points at all but
 * the two operands hidden.
 */
bool
monocle__coverage_branch_is_of_joined (const work *w, uint32_t branch)
{
	uint32_t before = branch;
	if (!w->places[branch].predecessor || !is_source_of (w, ".fs"))
		return false;
	while (before && w->body->code[before - 1].opcode == MONOCLE__IL_NOP)
		before--;
	return before && (w->body->code[before - 1].opcode == MONOCLE__IL_LDC_I4_0 ||
	                  w->body->code[before - 1].opcode == MONOCLE__IL_LDC_I4_1);
}

/* --- Visual Basic ------------------------------------------------------------------------------------------------- */

static bool
loads_field (const monocle__il_instruction *i)
{
	return i->opcode == MONOCLE__IL_LDFLD || i->opcode == MONOCLE__IL_LDSFLD;
}

/* `RaiseEvent Changed`: are there handlers? `ldfld ChangedEvent; stloc X; ldloc X; brfalse`. */
static bool
is_of_event (const work *w, uint32_t branch)
{
	static const char ending[] = "Event";
	const monocle__il_instruction *code = w->body->code;
	if (branch < 3 || !loads_field (&code[branch - 3]))
		return false;
	const char *name = monocle__coverage_name_of_token (w, (uint32_t) code[branch - 3].operand.i);
	uint32_t local = monocle__coverage_loaded_local (&code[branch - 1]);
	size_t length = strlen (name);
	return local != MONOCLE__IL_NONE && monocle__coverage_stored_local (&code[branch - 2]) == local &&
	       length >= sizeof ending && strcmp (name + length - (sizeof ending - 1), ending) == 0;
}

/* `Static x As Integer = 0`: has it been made? `ldfld $STATIC$...$Init; ldfld State; brtrue`, or compared with 2. */
static bool
is_of_static (const work *w, uint32_t branch)
{
	const monocle__il_instruction *code = w->body->code;
	uint32_t at = branch - 1;
	if (at && code[at].opcode == MONOCLE__IL_LDC_I4_2)
		at--;
	if (!at || code[at].opcode != MONOCLE__IL_LDFLD || !loads_field (&code[at - 1]))
		return false;
	return strncmp (monocle__coverage_name_of_token (w, (uint32_t) code[at - 1].operand.i), "$STATIC$", 8) == 0;
}

bool
monocle__coverage_branch_is_of_language (const work *w, uint32_t branch)
{
	if (branch == 0 || monocle__il_jump_count (w->body, branch) != 1)
		return false;
	if (is_source_of (w, ".fs"))
		return is_of_union (w, branch) || is_of_entry (w, branch) || is_of_last_case (w, branch) ||
		       comes_together (w, branch);
	return is_source_of (w, ".vb") && (is_of_event (w, branch) || is_of_static (w, branch));
}

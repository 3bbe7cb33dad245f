/*
 * SPDX-License-Identifier: MIT
 *
 * il-edit.c - inserting instructions into a decoded body.
 *
 * At an original index b the new code reads
 *
 *      b-1 | skip insertions, or an entry | hit insertions | b
 *          ^ border                        ^ label
 *
 * and every reference to b becomes one of two new indexes:
 *
 *   label   jumps to b, and the start of a region at b. They run (cover) what was inserted to be hit, never what was
 *           inserted to be skipped.
 *   border  the end of a region at b, and the start of a handler or filter that has an entry there. A region keeps
 *           exactly the original instructions it had and gains nothing at its end: in `leave L; } L: ret` a probe in
 *           front of the ret is outside the try, and the leave lands on it.
 *
 * This is why insertions to be skipped come before those to be hit, whatever order they were made in: any other order
 * would let a jump that must run a hit insertion fall into a skip insertion after it.
 */
#include <stdlib.h>
#include <string.h>

#include "il-priv.h"
#include "invariant.h"

typedef struct {
	uint32_t before;
	uint32_t first, count; /* its instructions in edit->code */
	uint32_t next;         /* of the same kind at the same place, MONOCLE__IL_NONE ends the list */
	uint32_t start;        /* new index of its first instruction */
	monocle__il_jumps jumps;
} insertion;

/* A jump of the original code that goes to inserted code. */
typedef struct {
	uint32_t branch, arm, insertion, n;
} redirect;

struct monocle__il_edit {
	monocle__il_body *body;
	uint32_t body_count; /* as it was when the edit was begun */
	insertion *insertions;
	uint32_t insertion_count, insertion_capacity;
	monocle__il_instruction *code;
	uint32_t code_count, code_capacity;
	redirect *redirects;
	uint32_t redirect_count, redirect_capacity;
};

/* Where everything goes: four arrays of body->count + 1, in one piece of memory that starts at `skip`. */
typedef struct {
	uint32_t *skip, *hit;     /* first insertion of each kind at an index; entries are among those to be skipped */
	uint32_t *border, *label; /* see the head of this file */
	uint32_t count;           /* instructions afterwards */
} plan;

/* --- collecting ------------------------------------------------------------------------------------------------- */

monocle__il_edit *
monocle__il_edit_new (monocle__il_body *body)
{
	monocle__il_edit *edit = calloc (1, sizeof *edit);
	if (!edit)
		return NULL;
	edit->body = body;
	edit->body_count = body->count;
	return edit;
}

void
monocle__il_edit_free (monocle__il_edit *edit)
{
	if (!edit)
		return;
	free (edit->insertions);
	free (edit->code);
	free (edit->redirects);
	free (edit);
}

static bool
grow (void **array, uint32_t *capacity, uint32_t needed, size_t element)
{
	uint32_t wanted = needed < 8 ? 8 : needed + needed / 2;
	void *bigger;
	if (needed <= *capacity)
		return true;
	bigger = realloc (*array, wanted * element);
	if (!bigger)
		return false;
	*array = bigger;
	MONOCLE__INVARIANT (wanted >= needed);
	*capacity = wanted;
	return true;
}

static bool
operand_fits (const monocle__il_facts *facts, int64_t i)
{
	/* clang-format off */
	switch (facts->operand) {
	case MONOCLE__IL_OPERAND_I1:    return i == (int8_t)i;
	case MONOCLE__IL_OPERAND_U1:    return i == (uint8_t)i;
	case MONOCLE__IL_OPERAND_U2:    return i == (uint16_t)i;
	case MONOCLE__IL_OPERAND_I4:    return i == (int32_t)i;
	case MONOCLE__IL_OPERAND_R4:
	case MONOCLE__IL_OPERAND_TOKEN: return i == (uint32_t)i;
	default:                        return true;
	}
	/* clang-format on */
}

static int
check_instruction (const monocle__il_edit *edit, const monocle__il_instruction *instruction, uint32_t count)
{
	const monocle__il_facts *facts = monocle__il_facts_of (instruction->opcode);
	uint32_t target = instruction->operand.target;

	/* A switch would need a table that belongs to the body; no caller inserts one. */
	if (facts->operand == MONOCLE__IL_OPERAND_INVALID || facts->operand == MONOCLE__IL_OPERAND_SWITCH)
		return MONOCLE__ECMA_E_FORMAT;
	if (!monocle__il_is_branch (instruction->opcode))
		return operand_fits (facts, instruction->operand.i) ? 0 : MONOCLE__ECMA_E_RANGE;
	if (target & MONOCLE__IL_INSERTED (0))
		return (target & ~MONOCLE__IL_INSERTED (0)) <= count ? 0 : MONOCLE__ECMA_E_RANGE;
	return target <= edit->body_count ? 0 : MONOCLE__ECMA_E_RANGE;
}

bool
monocle__il_begins_handler (const monocle__il_body *body, uint32_t index)
{
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];
		if (c->handler_begin == index || (c->flags == MONOCLE__IL_CLAUSE_FILTER && c->filter_begin == index))
			return true;
	}
	return false;
}

static int
check_insertion (const monocle__il_edit *edit, uint32_t before, monocle__il_jumps jumps,
                 const monocle__il_instruction *code, uint32_t count)
{
	int error = 0;
	if (before > edit->body_count || monocle__il_first_prefix (edit->body, before) != before)
		return MONOCLE__ECMA_E_RANGE;
	/*
	 * Control never falls into a handler or a filter. Code to be skipped before one would be dead, and CoreCLR's
	 * JIT calls a body invalid in which even dead code falls into a handler.
	 */
	if (jumps != MONOCLE__IL_JUMPS_HIT &&
	    monocle__il_begins_handler (edit->body, before) != (jumps == MONOCLE__IL_JUMPS_ENTRY))
		return MONOCLE__ECMA_E_RANGE;
	if (count > MONOCLE__IL_CODE_MAX - edit->body_count - edit->code_count)
		return MONOCLE__ECMA_E_RANGE;
	for (uint32_t i = 0; !error && i < count; i++)
		error = check_instruction (edit, &code[i], count);
	return error;
}

int
monocle__il_insert (monocle__il_edit *edit, uint32_t before, monocle__il_jumps jumps,
                    const monocle__il_instruction *code, uint32_t count)
{
	int error = check_insertion (edit, before, jumps, code, count);
	if (error)
		return error;
	if (!grow ((void **) &edit->insertions, &edit->insertion_capacity, edit->insertion_count + 1,
	           sizeof *edit->insertions) ||
	    !grow ((void **) &edit->code, &edit->code_capacity, edit->code_count + count, sizeof *edit->code))
		return MONOCLE__IL_E_NO_MEMORY;
	MONOCLE__INVARIANT (edit->insertion_count < edit->insertion_capacity &&
	                    edit->code_count + count <= edit->code_capacity);
	edit->insertions[edit->insertion_count++] =
	    (insertion) { .before = before, .first = edit->code_count, .count = count, .jumps = jumps };
	for (uint32_t i = 0; i < count; i++) {
		monocle__il_instruction *copy = &edit->code[edit->code_count++];
		*copy = code[i];
		copy->opcode = monocle__il_facts_of (code[i].opcode)->wide;
		copy->original_opcode = copy->opcode;
		copy->offset = MONOCLE__IL_NONE;
	}
	return 0;
}

static bool
has_jump (const monocle__il_body *body, uint32_t branch, uint32_t arm)
{
	if (branch >= body->count)
		return false;
	const monocle__il_instruction *i = &body->code[branch];
	if (i->opcode == MONOCLE__IL_SWITCH)
		return arm < body->switches[i->operand.switch_index].count;
	return arm == 0 && monocle__il_is_branch (i->opcode);
}

int
monocle__il_redirect (monocle__il_edit *edit, uint32_t branch, uint32_t arm, uint32_t n)
{
	if (!edit->insertion_count || n >= edit->insertions[edit->insertion_count - 1].count ||
	    !has_jump (edit->body, branch, arm))
		return MONOCLE__ECMA_E_RANGE;
	if (!grow ((void **) &edit->redirects, &edit->redirect_capacity, edit->redirect_count + 1, sizeof *edit->redirects))
		return MONOCLE__IL_E_NO_MEMORY;
	edit->redirects[edit->redirect_count++] = (redirect) { branch, arm, edit->insertion_count - 1, n };
	return 0;
}

/* --- planning --------------------------------------------------------------------------------------------------- */

static bool
allocate_plan (plan *p, uint32_t count)
{
	size_t places = (size_t) count + 1;
	uint32_t *at = malloc (4 * places * sizeof *at);
	if (!at)
		return false;
	memset (at, 0xFF, 2 * places * sizeof *at); /* MONOCLE__IL_NONE in both list heads */
	p->skip = at;
	p->hit = at + places;
	p->border = at + 2 * places;
	p->label = at + 3 * places;
	return true;
}

/* Gives each insertion of a list its place and returns the index after the last one. */
static uint32_t
place_list (monocle__il_edit *edit, uint32_t head, uint32_t index)
{
	for (uint32_t i = head; i != MONOCLE__IL_NONE; i = edit->insertions[i].next) {
		edit->insertions[i].start = index;
		index += edit->insertions[i].count;
	}
	return index;
}

static void
make_plan (monocle__il_edit *edit, plan *p)
{
	uint32_t index = 0;

	/* Pushed to the front from the last to the first, each list ends up in the order of insertion. */
	for (uint32_t i = edit->insertion_count; i-- > 0;) {
		insertion *in = &edit->insertions[i];
		uint32_t *head = in->jumps == MONOCLE__IL_JUMPS_HIT ? &p->hit[in->before] : &p->skip[in->before];
		in->next = *head;
		*head = i;
	}
	for (uint32_t b = 0; b <= edit->body_count; b++) {
		p->border[b] = index;
		p->label[b] = place_list (edit, p->skip[b], index);
		index = place_list (edit, p->hit[b], p->label[b]) + 1;
		MONOCLE__INVARIANT (p->border[b] <= p->label[b] && p->label[b] < index);
	}
	p->count = index - 1; /* the end is not an instruction */
	MONOCLE__INVARIANT (p->count == edit->body_count + edit->code_count);
}

/* The new index of an original instruction itself. */
static uint32_t
place_of (const monocle__il_edit *edit, const plan *p, uint32_t b)
{
	uint32_t index = p->label[b];
	for (uint32_t i = p->hit[b]; i != MONOCLE__IL_NONE; i = edit->insertions[i].next)
		index += edit->insertions[i].count;
	return index;
}

/* --- applying --------------------------------------------------------------------------------------------------- */

static monocle__il_instruction *
copy_list (const monocle__il_edit *edit, const plan *p, uint32_t head, monocle__il_instruction *out)
{
	for (uint32_t i = head; i != MONOCLE__IL_NONE; i = edit->insertions[i].next) {
		const insertion *in = &edit->insertions[i];
		for (uint32_t j = 0; j < in->count; j++, out++) {
			*out = edit->code[in->first + j];
			if (!monocle__il_is_branch (out->opcode))
				continue;
			MONOCLE__INVARIANT (in->start + in->count <= p->count);
			if (out->operand.target & MONOCLE__IL_INSERTED (0))
				out->operand.target = in->start + (out->operand.target & ~MONOCLE__IL_INSERTED (0));
			else
				out->operand.target = p->label[out->operand.target];
		}
	}
	return out;
}

static void
copy_code (const monocle__il_edit *edit, const plan *p, monocle__il_instruction *out)
{
	const monocle__il_body *body = edit->body;
	for (uint32_t b = 0; b <= body->count; b++) {
		out = copy_list (edit, p, p->skip[b], out);
		out = copy_list (edit, p, p->hit[b], out);
		if (b == body->count)
			break;
		MONOCLE__INVARIANT (!monocle__il_is_branch (body->code[b].opcode) ||
		                    body->code[b].operand.target <= body->count);
		*out = body->code[b];
		if (monocle__il_is_branch (out->opcode))
			out->operand.target = p->label[out->operand.target];
		out++;
	}
}

/* An empty region stays empty, also when its one border would be torn apart by code between border and label. */
static void
move_region (const plan *p, uint32_t *begin, uint32_t *end)
{
	bool empty = *begin == *end;
	*begin = p->label[*begin];
	*end = empty ? *begin : p->border[*end];
}

/* Where a handler or a filter begins now: with its entry, which is the only thing to be skipped there. */
static uint32_t
entry_of (const plan *p, uint32_t begin)
{
	return p->skip[begin] == MONOCLE__IL_NONE ? p->label[begin] : p->border[begin];
}

static void
move_references (monocle__il_body *body, const plan *p)
{
	for (uint32_t i = 0; i < body->switch_count; i++) {
		for (uint32_t j = 0; j < body->switches[i].count; j++) {
			MONOCLE__INVARIANT (body->switches[i].targets[j] <= body->count);
			body->switches[i].targets[j] = p->label[body->switches[i].targets[j]];
		}
	}
	for (uint32_t i = 0; i < body->clause_count; i++) {
		monocle__il_clause *c = &body->clauses[i];
		MONOCLE__INVARIANT (c->try_end <= body->count && c->handler_end <= body->count);
		uint32_t entry = entry_of (p, c->handler_begin);
		move_region (p, &c->try_begin, &c->try_end);
		move_region (p, &c->handler_begin, &c->handler_end);
		c->handler_begin = entry;
		if (c->flags == MONOCLE__IL_CLAUSE_FILTER)
			c->filter_begin = entry_of (p, c->filter_begin);
	}
}

/* After everything else has its new place. */
static void
move_redirects (const monocle__il_edit *edit, const plan *p, monocle__il_instruction *code)
{
	for (uint32_t i = 0; i < edit->redirect_count; i++) {
		const redirect *r = &edit->redirects[i];
		const monocle__il_instruction *original = &edit->body->code[r->branch];
		uint32_t target = edit->insertions[r->insertion].start + r->n;
		if (original->opcode == MONOCLE__IL_SWITCH)
			edit->body->switches[original->operand.switch_index].targets[r->arm] = target;
		else
			code[place_of (edit, p, r->branch)].operand.target = target;
	}
}

static int
apply_plan (monocle__il_edit *edit, plan *p)
{
	monocle__il_body *body = edit->body;
	monocle__il_instruction *code;
	make_plan (edit, p);
	code = monocle__il_allocate_block (&body->arena, p->count * sizeof *code);
	if (!code)
		return MONOCLE__IL_E_NO_MEMORY;
	MONOCLE__INVARIANT (body->count == edit->body_count);
	copy_code (edit, p, code);
	move_references (body, p);
	move_redirects (edit, p, code);
	body->code = code;
	body->count = body->capacity = p->count;
	body->edited = true;
	return 0;
}

int
monocle__il_edit_apply (monocle__il_edit *edit)
{
	plan p;
	int error = MONOCLE__ECMA_E_RANGE;
	if (edit->body->count == edit->body_count && edit->insertion_count == 0)
		error = 0;
	else if (edit->body->count == edit->body_count) {
		error = allocate_plan (&p, edit->body_count) ? 0 : MONOCLE__IL_E_NO_MEMORY;
		if (!error) {
			error = apply_plan (edit, &p);
			free (p.skip);
		}
	}
	monocle__il_edit_free (edit);
	return error;
}

/* --- clauses ---------------------------------------------------------------------------------------------------- */

static bool
region_is_sane (uint32_t begin, uint32_t end, uint32_t count)
{
	return begin < end && end <= count;
}

static int
grow_clauses (monocle__il_body *body)
{
	uint32_t capacity = body->clause_count + 4;
	monocle__il_clause *clauses;
	if (body->clause_count < body->clause_capacity)
		return 0;
	clauses = monocle__il_allocate_block (&body->arena, capacity * sizeof *clauses);
	if (!clauses)
		return MONOCLE__IL_E_NO_MEMORY;
	if (body->clause_count)
		memcpy (clauses, body->clauses, body->clause_count * sizeof *clauses);
	body->clauses = clauses;
	body->clause_capacity = capacity;
	return 0;
}

int
monocle__il_add_clause (monocle__il_body *body, const monocle__il_clause *clause)
{
	int error;
	if (!region_is_sane (clause->try_begin, clause->try_end, body->count) ||
	    !region_is_sane (clause->handler_begin, clause->handler_end, body->count) ||
	    (clause->flags == MONOCLE__IL_CLAUSE_FILTER && clause->filter_begin >= clause->handler_begin))
		return MONOCLE__ECMA_E_RANGE;
	error = grow_clauses (body);
	if (error)
		return error;
	body->clauses[body->clause_count++] = *clause;
	body->edited = true;
	return 0;
}

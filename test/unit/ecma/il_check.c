/*
 * SPDX-License-Identifier: MIT
 *
 * il_check.c - see il_check.h.
 */
#include <stdlib.h>
#include <string.h>

#include "il_check.h"

void *
il_malloc (void *context, size_t size)
{
	return malloc (size);
}

static bool
same_instruction (const monocle__il_body *a, const monocle__il_body *b, uint32_t index)
{
	const monocle__il_instruction *x = &a->code[index], *y = &b->code[index];

	if (x->opcode != y->opcode)
		return false;
	if (monocle__il_is_branch (x->opcode))
		return x->operand.target == y->operand.target;
	if (x->opcode == MONOCLE__IL_SWITCH) {
		const monocle__il_switch *s = &a->switches[x->operand.switch_index], *t = &b->switches[y->operand.switch_index];

		return s->count == t->count &&
		       (s->count == 0 || !memcmp (s->targets, t->targets, s->count * sizeof *s->targets));
	}
	return x->operand.i == y->operand.i;
}

bool
il_same (const monocle__il_body *a, const monocle__il_body *b)
{
	if (a->count != b->count || a->clause_count != b->clause_count || a->max_stack != b->max_stack ||
	    a->local_signature_token != b->local_signature_token || a->init_locals != b->init_locals)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (!same_instruction (a, b, i))
			return false;
	}
	return a->clause_count == 0 || !memcmp (a->clauses, b->clauses, a->clause_count * sizeof *a->clauses);
}

/* Writes, and reads what was written. NULL, or what went wrong; the caller frees *ret_again on NULL. */
static const char *
write_and_read (const monocle__il_body *body, monocle__il_body *ret_again)
{
	const char *wrong = NULL;
	size_t size, used;
	uint8_t *data;

	if (monocle__il_write (body, false, il_malloc, NULL, &data, &size, NULL, NULL))
		return "a body cannot be written";
	if (monocle__il_read (ret_again, data, size, &used))
		wrong = "a written body cannot be read";
	else if (used != size)
		wrong = "a written body is longer than what is read of it";
	free (data);
	return wrong;
}

static const char *
check_wide (const monocle__il_body *body)
{
	monocle__il_body again = { 0 };
	const char *wrong = write_and_read (body, &again);

	if (!wrong && !il_same (body, &again))
		wrong = "a body reads differently after it was written";
	monocle__il_free (&again);
	return wrong;
}

static const char *
check_verbatim (const monocle__il_body *body, const uint8_t *data, size_t size)
{
	const char *wrong = NULL;
	size_t written_size;
	uint8_t *written;

	if (monocle__il_write (body, true, il_malloc, NULL, &written, &written_size, NULL, NULL))
		return "an untouched body cannot be written";
	if (written_size != size || memcmp (written, data, size))
		wrong = "an untouched body is written differently";
	free (written);
	return wrong;
}

/* --- edits ------------------------------------------------------------------------------------------------------ */

enum { HAS_SKIP = 1, HAS_HIT = 2 };

typedef struct {
	const monocle__il_body *before, *after;
	uint8_t *probes; /* HAS_* at each original index and at the end */
	uint32_t *moved; /* new index of each original instruction and of the end */
} edited;

static bool
begins_handler (const monocle__il_body *body, uint32_t before)
{
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];

		if (c->handler_begin == before || (c->flags == MONOCLE__IL_CLAUSE_FILTER && c->filter_begin == before))
			return true;
	}
	return false;
}

/* Probes at about half of the places, of either kind or both; what would be skipped is an entry before a handler. */
static bool
insert_probes (monocle__il_body *body, uint8_t *probes, uint32_t seed)
{
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_LDC_I8, 1);
	monocle__il_edit *edit = monocle__il_edit_new (body);
	bool good = edit != NULL;

	for (uint32_t b = 0; good && b <= body->count; b++) {
		seed = seed * 1664525 + 1013904223;
		probes[b] = seed >> 30 & seed >> 28;
		for (int kind = 0; kind < 2; kind++) {
			monocle__il_jumps jumps = kind                     ? MONOCLE__IL_JUMPS_HIT
			                        : begins_handler (body, b) ? MONOCLE__IL_JUMPS_ENTRY
			                                                   : MONOCLE__IL_JUMPS_SKIP;

			if ((probes[b] & 1 << kind) && monocle__il_first_prefix (body, b) == b)
				good = good && !monocle__il_insert (edit, b, jumps, &nop, 1);
			else
				probes[b] &= (uint8_t) ~(1 << kind);
		}
	}
	if (!good) {
		monocle__il_edit_free (edit);
		return false;
	}
	return !monocle__il_edit_apply (edit);
}

static uint32_t
expected_label (const edited *e, uint32_t index)
{
	return e->moved[index] - ((e->probes[index] & HAS_HIT) != 0);
}

static uint32_t
expected_border (const edited *e, uint32_t index)
{
	return expected_label (e, index) - ((e->probes[index] & HAS_SKIP) != 0);
}

static bool
same_reference (const edited *e, uint32_t before, uint32_t after)
{
	return after == expected_label (e, before);
}

static bool
same_region (const edited *e, uint32_t begin, uint32_t end, uint32_t new_begin, uint32_t new_end)
{
	if (begin == end)
		return new_begin == expected_label (e, begin) && new_end == new_begin;
	return new_begin == expected_label (e, begin) && new_end == expected_border (e, end);
}

/* A handler begins with its entry. */
static bool
same_handler (const edited *e, const monocle__il_clause *old, const monocle__il_clause *new)
{
	uint32_t end = old->handler_begin == old->handler_end ? expected_label (e, old->handler_end)
	                                                      : expected_border (e, old->handler_end);

	return new->handler_begin == expected_border (e, old->handler_begin) && new->handler_end == end;
}

static const char *
check_code (const edited *e)
{
	for (uint32_t i = 0; i < e->before->count; i++) {
		const monocle__il_instruction *old = &e->before->code[i], *new = &e->after->code[e->moved[i]];

		if (old->opcode != new->opcode || old->offset != new->offset)
			return "an edit changed an instruction";
		if (monocle__il_is_branch (old->opcode) && !same_reference (e, old->operand.target, new->operand.target))
			return "an edit sent a branch elsewhere";
		if (!monocle__il_is_branch (old->opcode) && old->operand.i != new->operand.i)
			return "an edit changed an operand";
	}
	for (uint32_t i = 0; i < e->before->switch_count; i++) {
		for (uint32_t j = 0; j < e->before->switches[i].count; j++) {
			if (!same_reference (e, e->before->switches[i].targets[j], e->after->switches[i].targets[j]))
				return "an edit sent a switch elsewhere";
		}
	}
	return NULL;
}

static const char *
check_clauses (const edited *e)
{
	for (uint32_t i = 0; i < e->before->clause_count; i++) {
		const monocle__il_clause *old = &e->before->clauses[i], *new = &e->after->clauses[i];

		if (!same_region (e, old->try_begin, old->try_end, new->try_begin, new->try_end))
			return "an edit moved a try region";
		if (!same_handler (e, old, new))
			return "an edit moved a handler region";
		if (old->flags == MONOCLE__IL_CLAUSE_FILTER && new->filter_begin != expected_border (e, old->filter_begin))
			return "an edit moved a filter";
	}
	return NULL;
}

/* Where the original instructions stand now: in their order, with as many in between as were inserted there. */
static const char *
find_moved (const edited *e)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i <= e->before->count; i++) {
		next += (e->probes[i] & HAS_SKIP) != 0;
		next += (e->probes[i] & HAS_HIT) != 0;
		if (next > e->after->count)
			return "an edit lost instructions";
		e->moved[i] = next++;
	}
	return e->moved[e->before->count] == e->after->count ? NULL : "an edit invented instructions";
}

static const char *
check_edit (const monocle__il_body *body, const uint8_t *data, size_t size, uint32_t seed)
{
	size_t places = (size_t) body->count + 1;
	monocle__il_body after = { 0 };
	edited e = { body, &after, calloc (places, 1), calloc (places, sizeof (uint32_t)) };
	const char *wrong = NULL;

	if (!e.probes || !e.moved || monocle__il_read (&after, data, size, NULL) || !insert_probes (&after, e.probes, seed))
		wrong = "a body cannot be edited";
	if (!wrong)
		wrong = find_moved (&e);
	if (!wrong)
		wrong = check_code (&e);
	if (!wrong)
		wrong = check_clauses (&e);
	if (!wrong)
		wrong = check_wide (&after);
	monocle__il_free (&after);
	free (e.probes);
	free (e.moved);
	return wrong;
}

const char *
il_check (const uint8_t *data, size_t size, uint32_t seed, int *ret_read)
{
	monocle__il_body body;
	size_t used;
	const char *wrong;
	int error = monocle__il_read (&body, data, size, &used);

	if (ret_read)
		*ret_read = !error;
	if (error)
		return NULL;
	wrong = used > size ? "a body is longer than its bytes" : check_verbatim (&body, data, used);
	if (!wrong)
		wrong = check_wide (&body);
	if (!wrong)
		wrong = check_edit (&body, data, size, seed);
	monocle__il_free (&body);
	return wrong;
}

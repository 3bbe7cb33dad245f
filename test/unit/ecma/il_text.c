/*
 * SPDX-License-Identifier: MIT
 *
 * il_text.c - see il_text.h.
 */
#include <stdio.h>

#include "il_text.h"

static void __attribute__ ((format (printf, 2, 3))) append (il_text *out, const char *format, ...)
{
	size_t used = strlen (out->text);
	va_list args;

	va_start (args, format);
	vsnprintf (out->text + used, sizeof out->text - used, format, args);
	va_end (args);
}

static void
append_instruction (il_text *out, const monocle__il_body *body, const monocle__il_instruction *in)
{
	append (out, "%s%s%s", *out->text ? " " : "", in->offset == MONOCLE__IL_NONE ? "+" : "",
	        monocle__il_name (in->opcode));
	if (monocle__il_is_branch (in->opcode)) {
		append (out, ">%u", in->operand.target);
	} else if (in->opcode == MONOCLE__IL_SWITCH) {
		const monocle__il_switch *s = &body->switches[in->operand.switch_index];

		for (uint32_t i = 0; i < s->count; i++)
			append (out, ">%u", s->targets[i]);
	} else if (in->operand.i) {
		append (out, "=%lld", (long long) in->operand.i);
	}
}

il_text
il_describe (const monocle__il_body *body)
{
	static const char *const kinds[] = { "catch", "filter", "finally", "?", "fault" };
	il_text out = { "" };

	for (uint32_t i = 0; i < body->count; i++)
		append_instruction (&out, body, &body->code[i]);
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];

		append (&out, " | %s %u-%u", kinds[c->flags], c->try_begin, c->try_end);
		if (c->flags == MONOCLE__IL_CLAUSE_FILTER)
			append (&out, " @%u", c->filter_begin);
		append (&out, " %u-%u", c->handler_begin, c->handler_end);
	}
	return out;
}

monocle__il_body
il_must_read (const uint8_t *data, size_t size)
{
	monocle__il_body body;
	size_t used;

	assert_int_equal (monocle__il_read (&body, data, size, &used), 0);
	assert_int_equal (used, size);
	return body;
}

uint8_t *
il_must_write (const monocle__il_body *body, bool verbatim, size_t *ret_size)
{
	uint8_t *data;

	assert_int_equal (monocle__il_write (body, verbatim, il_malloc, NULL, &data, ret_size, NULL, NULL), 0);
	return data;
}

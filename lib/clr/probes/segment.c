/*
 * SPDX-License-Identifier: MIT
 *
 * segment.c - calls of methods that the runtime suspends, told segment by segment.
 *
 * When such a method is suspended, its frame returns to its caller without running any of its IL. When it is resumed,
 * perhaps on another thread, its machine code is called again and goes on behind the await:
 *
 *   entry:                ldc.i8 SEGMENTS; {keys}; ldc.i8 begin; conv.i; calli int64 (...); stloc SEGMENT
 *   behind each await:    ldc.i8 SEGMENTS; ldloc SEGMENT; conv.i; {keys}; ldc.i8 go_on; conv.i; calli; stloc SEGMENT
 *   each handler begins:  the same: an exception that comes out of an await resumes the method right there
 *   around outer tries:   a fault block, which does the same where none of the handlers takes the exception
 *   each ret:             ldc.i8 SEGMENTS; ldloc SEGMENT; conv.i; ldc.i8 end; conv.i; calli void (...)
 *
 * Where contexts are asked for, the probes are passed the values of the call as capture.c writes them. A suspended
 * segment's context shows nothing: it is told from elsewhere, while the values are on their way out of the registers.
 *
 * The local SEGMENT is the number of the segment, which no other has, and which the runtime keeps while the method is
 * suspended. The entry on the shadow stack has it, too. An entry that is not there any more says that the method was
 * suspended, and that the next segment begins.
 *
 * The end of a segment is told by a probe in the core library, in the methods that allocate what a suspended method
 * keeps (runtime-async.c): its code calls them from the frame that is about to return. From .NET 11 on a method that is
 * suspended once more uses again what it kept before, and allocates nothing. Only what was resumed does that, and when
 * that has come back to the dispatcher, nothing that was above it runs any more: a probe behind the dispatcher's call
 * ends what is there.
 *
 * What resumes methods has an entry of its own, the dispatcher's. No exception goes beyond it, for it catches all of
 * them, and no segment that lives is older than it.
 */
#include "segment.h"
#include <stdlib.h>
#include <monocle/host.h>
#include "capture.h"
#include "clause-probe.h"
#include "context.h"
#include "images/resolve.h"
#include "invariant.h"
#include "probe.h"
#include "raise.h"
#include "rewrite.h"
#include "runtime-async.h"
#include "shadow.h"
#include "state.h"
#include "tokens.h"

typedef monocle__rewriting job;

#define OWN_FRAME ((const uintptr_t *) __builtin_frame_address (0)) /* the caller's fp, the return address */

/* --- the probes --------------------------------------------------------------------------------------------------- */

#define KEYS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e
#define KEY_ARRAY \
	{ \
		a, b, c, d, e \
	}

/* The keys are passed where the method is generic. */
static MonoMethod *
method_of (const monocle__clr_segments *s, const uintptr_t *keys)
{
	return s->generic ? monocle__probe_generic_instance (s->generic, keys) : s->definition;
}

static uintptr_t
begin_segment (const monocle__clr_segments *s, MonoMethod *method, uintptr_t sp, MonoProfilerCallContext *context)
{
	uintptr_t segment = monocle__shadow_begin_segment (method, s->definition, sp, s->flags);
	if (s->flags & MONO_PROFILER_CALL_INSTRUMENTATION_ENTER)
		monocle__raise (MONOCLE_EVENT_method_enter, method, context);
	return segment;
}

/* Of a probe that is passed no values. */
static MonoProfilerCallContext *
no_values (const monocle__clr_segments *s, unsigned flag)
{
	return s->flags & flag ? monocle__context_empty () : NULL;
}

enum {
	ENTER_CONTEXT = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT,
	LEAVE_CONTEXT = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT,
};

MONOCLE__PROBE static uintptr_t
begin (const monocle__clr_segments *s, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	return begin_segment (s, method_of (s, keys), MONOCLE__CALLER_SP, no_values (s, ENTER_CONTEXT));
}

/* The frame of the method that called a probe with this `own` frame, perhaps through a stub. */
static const uintptr_t *
frame_above (const uintptr_t *own)
{
	const uintptr_t *above = (const uintptr_t *) own[0];
	return monocle__shadow_is_managed (own[1]) ? above : (const uintptr_t *) above[0];
}

/* The frame pointer of the method is that of its handlers as well, whose own frames are elsewhere. */
static uintptr_t
frame_pointer (const uintptr_t *own)
{
	return (uintptr_t) frame_above (own) & ~(uintptr_t) MONOCLE__SHADOW_BITS;
}

static uintptr_t
resume (const monocle__clr_segments *s, const uintptr_t *keys, const uintptr_t *own, MonoProfilerCallContext *context)
{
	return begin_segment (s, method_of (s, keys), frame_pointer (own), context);
}

MONOCLE__PROBE static uintptr_t
go_on (const monocle__clr_segments *s, uintptr_t segment, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	if (monocle__shadow_has_segment (segment))
		return segment;
	return resume (s, keys, OWN_FRAME, no_values (s, ENTER_CONTEXT));
}

/* In a fault block of ours. */
MONOCLE__PROBE static uintptr_t
pass_on (const monocle__clr_segments *s, uintptr_t segment, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	monocle__clause_probe_forget (s->definition);
	if (monocle__shadow_has_segment (segment))
		return segment;
	return resume (s, keys, OWN_FRAME, no_values (s, ENTER_CONTEXT));
}

static void
end_segment (const monocle__clr_segments *s, uintptr_t segment, MonoProfilerCallContext *context)
{
	MonoMethod *method = monocle__shadow_end_segment (segment, s->definition);
	if (method && s->flags & MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE)
		monocle__raise (MONOCLE_EVENT_method_leave, method, context);
}

MONOCLE__PROBE static void
end (const monocle__clr_segments *s, uintptr_t segment)
{
	end_segment (s, segment, no_values (s, LEAVE_CONTEXT));
}

/* --- the same with values: the segment is the first word of the context ------------------------------------------- */

#define CONTEXT \
	{ \
		shape, (const uintptr_t *) MONOCLE__CALLER_SP \
	}

MONOCLE__PROBE static uintptr_t
begin_shown (const monocle__context_shape *shape, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoProfilerCallContext context = CONTEXT;
	return begin_segment (shape->record, method_of (shape->record, keys), MONOCLE__CALLER_SP, &context);
}

MONOCLE__PROBE static uintptr_t
go_on_shown (const monocle__context_shape *shape, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoProfilerCallContext context = CONTEXT;
	if (monocle__shadow_has_segment (*context.words))
		return *context.words;
	return resume (shape->record, keys, OWN_FRAME, &context);
}

MONOCLE__PROBE static uintptr_t
pass_on_shown (const monocle__context_shape *shape, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoProfilerCallContext context = CONTEXT;
	const monocle__clr_segments *s = shape->record;
	monocle__clause_probe_forget (s->definition);
	if (monocle__shadow_has_segment (*context.words))
		return *context.words;
	return resume (s, keys, OWN_FRAME, &context);
}

MONOCLE__PROBE static void
end_shown (const monocle__context_shape *shape, KEYS)
{
	MonoProfilerCallContext context = CONTEXT;
	end_segment (shape->record, *context.words, &context);
}

/* --- the core library's parts ------------------------------------------------------------------------------------- */

/* In a method of the core library that was called by the one that is suspended, whose code it returns to. */
MONOCLE__PROBE static void
suspend (MonoMethod *helper)
{
	monocle__shadow_suspended (frame_above (OWN_FRAME)[1]);
}

MONOCLE__PROBE static void
begin_dispatch (MonoMethod *dispatcher)
{
	monocle__shadow_begin_dispatch (dispatcher, frame_pointer (OWN_FRAME));
}

/* What it called has returned. */
MONOCLE__PROBE static void
dispatched (MonoMethod *dispatcher)
{
	monocle__shadow_returned (frame_pointer (OWN_FRAME));
}

MONOCLE__PROBE static void
end_dispatch (MonoMethod *dispatcher)
{
	monocle__shadow_end_dispatch (dispatcher, frame_pointer (OWN_FRAME));
}

/* --- writing them ------------------------------------------------------------------------------------------------- */

int
monocle__segment_plan (job *j)
{
	static const uint8_t type = MONOCLE__ET_I8;
	monocle__clr_segments *s = calloc (1, sizeof *s);
	if (!s)
		return MONOCLE_E_NO_MEMORY;
	j->segment = monocle__tokens_add_locals (j, &type, 1, 1);
	if (j->segment == MONOCLE__IL_NONE) {
		free (s);
		return MONOCLE_E_INVALID;
	}
	s->definition = monocle_method_def (j->image->cli.record, j->token);
	s->generic = j->generic ? (monocle__clr_generic *) (uintptr_t) j->record : NULL;
	s->flags = j->flags;
	j->segments = s;
	return 0;
}

static uint32_t
key_count (const job *j)
{
	return j->generic ? j->key_count : 0;
}

bool
monocle__segment_has_tokens (const job *j)
{
	return monocle__tokens_calli (j->image, 1) && monocle__tokens_calli_returning (j->image, key_count (j)) &&
	       monocle__tokens_calli_returning (j->image, key_count (j) + 1);
}

static uint32_t
push_segment (const job *j, monocle__il_instruction *out)
{
	out[0] = monocle__il_op (MONOCLE__IL_LDLOC, j->segment);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	return 2;
}

/* A number comes back from all but the ends. */
static uint32_t
write_begin (const job *j, monocle__il_instruction *code)
{
	uint32_t n = 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) j->segments);
	n += monocle__rewrite_keys (j, code + n);
	return n + monocle__rewrite_call (code + n, (monocle__probe) begin,
	                                  monocle__tokens_calli_returning (j->image, key_count (j)));
}

static uint32_t
write_go_on (const job *j, monocle__probe function, monocle__il_instruction *code)
{
	uint32_t n = 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) j->segments);
	n += push_segment (j, code + n);
	n += monocle__rewrite_keys (j, code + n);
	return n +
	       monocle__rewrite_call (code + n, function, monocle__tokens_calli_returning (j->image, key_count (j) + 1));
}

static uint32_t
write_end (const job *j, monocle__il_instruction *code)
{
	uint32_t n = 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) j->segments);
	n += push_segment (j, code + n);
	return n + monocle__rewrite_call (code + n, (monocle__probe) end, monocle__tokens_calli (j->image, 1));
}

/* One of the places that have a probe, and the functions for it. */
typedef struct {
	monocle__capture_place place;
	monocle__probe plain, shown;
} kind;

static const kind begins = { MONOCLE__CAPTURE_ENTER, (monocle__probe) begin, (monocle__probe) begin_shown };
static const kind goes_on = { MONOCLE__CAPTURE_RESUME, (monocle__probe) go_on, (monocle__probe) go_on_shown };
static const kind passes_on = { MONOCLE__CAPTURE_RESUME, (monocle__probe) pass_on, (monocle__probe) pass_on_shown };
static const kind ends = { MONOCLE__CAPTURE_LEAVE, (monocle__probe) end, (monocle__probe) end_shown };

static bool
is_captured (const job *j, const kind *k)
{
	return k->place == MONOCLE__CAPTURE_LEAVE ? monocle__capture_leaves (j) : monocle__capture_enters (j);
}

static uint32_t
write_plain (const job *j, const kind *k, monocle__il_instruction *code)
{
	switch (k->place) {
	case MONOCLE__CAPTURE_ENTER: return write_begin (j, code);
	case MONOCLE__CAPTURE_RESUME: return write_go_on (j, k->plain, code);
	default: return write_end (j, code);
	}
}

/* The caller frees. One instruction more has room. NULL: no memory. */
static monocle__il_instruction *
write_probe (const job *j, const kind *k, uint32_t *ret_count)
{
	bool shown = is_captured (j, k);
	uint32_t room = MONOCLE__PROBE_MAX + 1 + (shown ? monocle__capture_room (j) : 0), n;
	monocle__il_instruction *code = malloc (room * sizeof *code);
	if (!code)
		return NULL;
	n = shown ? monocle__capture_write (j, k->place, k->shown, code) : write_plain (j, k, code);
	if (k->place != MONOCLE__CAPTURE_LEAVE)
		code[n++] = monocle__il_op (MONOCLE__IL_STLOC, j->segment);
	n += shown ? monocle__capture_write_end (j, k->place, code + n) : 0;
	MONOCLE__INVARIANT (n < room);
	*ret_count = n;
	return code;
}

static int
insert_probe (job *j, monocle__il_edit *edit, const kind *k, uint32_t before, monocle__il_jumps jumps)
{
	uint32_t n;
	monocle__il_instruction *code = write_probe (j, k, &n);
	int result = code ? monocle__il_insert (edit, before, jumps, code, n) : MONOCLE_E_NO_MEMORY;
	free (code);
	return result;
}

/* In front of a call that leaves as a suspension does: its argument is on the stack, and no result. */
static int
insert_suspension (job *j, monocle__il_edit *edit, uint32_t before)
{
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	return monocle__il_insert (edit, before, MONOCLE__IL_JUMPS_HIT, code, write_end (j, code));
}

static bool
is_call (const monocle__il_instruction *i)
{
	return i->opcode == MONOCLE__IL_CALL || i->opcode == MONOCLE__IL_CALLVIRT;
}

/* A filter runs before it is known whether the method goes on: it has no probe. */
static int
insert_handlers (job *j, monocle__il_edit *edit)
{
	int result = 0;
	for (uint32_t i = 0; i < j->body.clause_count && result == 0; i++)
		result = insert_probe (j, edit, &goes_on, j->body.clauses[i].handler_begin, MONOCLE__IL_JUMPS_ENTRY);
	return result;
}

int
monocle__segment_insert (job *j, monocle__il_edit *edit)
{
	const monocle__ecma_image *image = &j->image->cli.ecma;
	int result = insert_probe (j, edit, &begins, 0, MONOCLE__IL_JUMPS_SKIP);
	for (uint32_t i = 0; i < j->body.count && result == 0; i++) {
		const monocle__il_instruction *at = &j->body.code[i];
		uint32_t callee = is_call (at) ? (uint32_t) at->operand.i : 0;
		if (at->opcode == MONOCLE__IL_RET)
			result = insert_probe (j, edit, &ends, i, MONOCLE__IL_JUMPS_HIT);
		else if (callee && monocle__runtime_async_leaves (image, callee))
			result = insert_suspension (j, edit, monocle__il_first_prefix (&j->body, i));
		else if (callee && monocle__runtime_async_awaits (image, callee) && i + 1 < j->body.count)
			result = insert_probe (j, edit, &goes_on, i + 1, MONOCLE__IL_JUMPS_SKIP);
	}
	return result ? result : insert_handlers (j, edit);
}

/* --- fault blocks ------------------------------------------------------------------------------------------------- */

static bool
is_catch (const monocle__il_clause *c)
{
	return c->flags == MONOCLE__IL_CLAUSE_CATCH || c->flags == MONOCLE__IL_CLAUSE_FILTER;
}

static bool
is_same_try (const monocle__il_clause *a, const monocle__il_clause *b)
{
	return a->try_begin == b->try_begin && a->try_end == b->try_end;
}

/* Is the clause in no other one, and the first of its try? */
static bool
is_outermost (const monocle__il_body *body, uint32_t index)
{
	const monocle__il_clause *c = &body->clauses[index];
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *o = &body->clauses[i];
		bool in_try = o->try_begin <= c->try_begin && o->try_end >= c->try_end;
		bool in_handler = o->handler_begin <= c->try_begin && o->handler_end >= c->try_end;
		if (i != index && (in_handler || (in_try && !is_same_try (o, c)) || (i < index && is_same_try (o, c))))
			return false;
	}
	return true;
}

/* Where the last handler of this try ends, when all of them come directly behind it; else 0. */
static uint32_t
end_of_handlers (const monocle__il_body *body, const monocle__il_clause *first)
{
	uint32_t end = first->try_end, count = 0, met = 0;
	for (uint32_t i = 0; i < body->clause_count; i++)
		count += is_same_try (&body->clauses[i], first);
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];
		if (!is_same_try (c, first) ||
		    (c->flags == MONOCLE__IL_CLAUSE_FILTER ? c->filter_begin : c->handler_begin) != end)
			continue;
		end = c->handler_end;
		met++;
	}
	return met == count ? end : 0;
}

static int
add_fault (job *j, uint32_t begin, uint32_t end)
{
	uint32_t n = 0, handler = j->body.count;
	monocle__il_instruction *code = write_probe (j, &passes_on, &n);
	if (!code)
		return MONOCLE_E_NO_MEMORY;
	code[n++] = monocle__il_op (MONOCLE__IL_ENDFINALLY, 0);
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	int result = edit ? monocle__il_insert (edit, handler, MONOCLE__IL_JUMPS_SKIP, code, n) : MONOCLE_E_NO_MEMORY;
	free (code);
	if (result == 0)
		result = monocle__il_edit_apply (edit);
	else if (edit)
		monocle__il_edit_free (edit);
	monocle__il_clause clause = { MONOCLE__IL_CLAUSE_FAULT, begin, end, handler, handler + n, 0, 0 };
	return result ? result : monocle__il_add_clause (&j->body, &clause);
}

/* A try with a finally block or a fault block needs none: an exception always comes there. */
int
monocle__segment_add_faults (job *j)
{
	uint32_t clauses = j->body.clause_count;
	int result = 0;
	for (uint32_t i = 0; i < clauses && result == 0; i++) {
		uint32_t end = 0;
		if (is_catch (&j->body.clauses[i]) && is_outermost (&j->body, i))
			end = end_of_handlers (&j->body, &j->body.clauses[i]);
		if (end)
			result = add_fault (j, j->body.clauses[i].try_begin, end);
	}
	return result;
}

/* --- the core library's parts ------------------------------------------------------------------------------------- */

static int
insert_part (job *j, monocle__il_edit *edit, uint32_t before, monocle__il_jumps jumps, monocle__probe function)
{
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	MonoMethod *method = monocle_method_def (j->image->cli.record, j->token);
	code[0] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) method);
	uint32_t n = 1 + monocle__rewrite_call (code + 1, function, monocle__tokens_calli (j->image, 0));
	return monocle__il_insert (edit, before, jumps, code, n);
}

int
monocle__segment_insert_part (job *j, monocle__il_edit *edit, bool at_begin)
{
	int result = 0;
	if (at_begin && j->part == MONOCLE__ASYNC_SUSPENDS)
		return insert_part (j, edit, 0, MONOCLE__IL_JUMPS_SKIP, (monocle__probe) suspend);
	if (at_begin && j->part == MONOCLE__ASYNC_DISPATCHES)
		return insert_part (j, edit, 0, MONOCLE__IL_JUMPS_SKIP, (monocle__probe) begin_dispatch);
	for (uint32_t i = 0; j->part == MONOCLE__ASYNC_DISPATCHES && i < j->body.count && result == 0; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_RET)
			result = insert_part (j, edit, i, MONOCLE__IL_JUMPS_HIT, (monocle__probe) end_dispatch);
		else if (j->body.code[i].opcode == MONOCLE__IL_CALLI && i + 1 < j->body.count)
			result = insert_part (j, edit, i + 1, MONOCLE__IL_JUMPS_SKIP, (monocle__probe) dispatched);
	return result;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * clause-probe.c - probes at the start of filters and handlers: exception_clause, as the IL has the clauses.
 *
 *   filter, catch, fault:  ldc.i8 METHOD; ldc.i4 CLAUSE; conv.i; ldc.i4.0; conv.u; ldc.i8 probe; conv.i; calli
 *   finally:               the same, or in the place of the 0: ldloca CARRIED; conv.u
 *
 * The runtime announces a handler to which an exception leads (exceptions/under-way.c), and the probe reports it. A
 * finally block that nothing was announced of was come to by `leave`. As on Mono its exception is the one that the
 * catch block had caught that the leave is in, however far out, or NULL. That takes two kinds of locals, both of type
 * object:
 *
 *   catch k:               dup; stloc CAUGHT k               where a leave in it passes a finally block
 *   leave:                 ldloc CAUGHT k; stloc CARRIED d   or, outside of catch blocks, ldnull
 *
 * A leave that runs inside a finally block must not disturb the one that led there: the locals are numbered by d, how
 * many finally and fault blocks the leave is in. All finally blocks that one leave passes are in as many.
 */
#include "clause-probe.h"
#include <errno.h>
#include <stdlib.h>
#include <monocle/host.h>
#include "exceptions/under-way.h"
#include "heap/object.h"
#include "invariant.h"
#include "probe.h"
#include "rewrite.h"
#include "state.h"
#include "thread-memory.h"
#include "tokens.h"

typedef monocle__rewriting job;

/* Finally blocks inside of more finally blocks than this get no exception. */
enum { DEPTHS = 8 };

static uint32_t
is_finally (const monocle__il_clause *c)
{
	return c->flags == MONOCLE__IL_CLAUSE_FINALLY || c->flags == MONOCLE__IL_CLAUSE_FAULT;
}

/* --- the probes --------------------------------------------------------------------------------------------------- */

#define PROBE __attribute__ ((noinline, no_stack_protector))

enum { TYPE_BITS = 3, TYPES = (1 << TYPE_BITS) - 1 };

/* `clause`: index << TYPE_BITS | type. A probe may be between a native call and the read of its errno. */
static __attribute__ ((noinline)) void
tell (MonoMethod *method, MonoMethod *definition, uintptr_t clause, MonoObject *const *carried)
{
	uint32_t type = clause & TYPES, kind = type == MONO_EXCEPTION_CLAUSE_FAULT ? MONO_EXCEPTION_CLAUSE_FINALLY : type;
	int saved_errno = errno;
	MonoObject *object = NULL;
	void *held = NULL;
	bool announced = monocle__under_way_take (definition, kind, &object, &held);
	if (!announced && carried)
		object = *carried;
	if (announced || type == MONO_EXCEPTION_CLAUSE_FINALLY)
		monocle_raise_exception_clause (method, (uint32_t) (clause >> TYPE_BITS), (MonoExceptionEnum) type, object);
	monocle__clr_object_release (held);
	errno = saved_errno;
}

/* Mostly there is none under way, and a `leave` came to a finally block: then nothing is asked of the runtime. */
static inline void
tell_leave_or (MonoMethod *method, MonoMethod *definition, uintptr_t clause, MonoObject *const *carried)
{
	const monocle__thread_memory *own = monocle__thread_memory_own ();
	if (__builtin_expect (own && own->under_way.announced.definition, 0))
		tell (method, definition, clause, carried);
	else if ((clause & TYPES) == MONO_EXCEPTION_CLAUSE_FINALLY)
		monocle_raise_exception_clause (method, (uint32_t) (clause >> TYPE_BITS), MONO_EXCEPTION_CLAUSE_FINALLY,
		                                carried ? *carried : NULL);
}

void
monocle__clause_probe_forget (MonoMethod *definition)
{
	int saved_errno = errno;
	MonoObject *object = NULL;
	void *held = NULL;
	if (monocle__clr_listened (MONOCLE_EVENT_exception_clause) &&
	    monocle__under_way_take (definition, MONO_EXCEPTION_CLAUSE_FINALLY, &object, &held))
		monocle__clr_object_release (held);
	errno = saved_errno;
}

PROBE static void
handler (MonoMethod *method, uintptr_t clause, MonoObject *const *carried)
{
	if (monocle__clr_listened (MONOCLE_EVENT_exception_clause))
		tell_leave_or (method, method, clause, carried);
}

PROBE static void
generic_clause (monocle__clr_generic *generic, uintptr_t clause, MonoObject *const *carried, uintptr_t a, uintptr_t b,
                uintptr_t c, uintptr_t d, uintptr_t e)
{
	uintptr_t keys[] = { a, b, c, d, e };
	if (monocle__clr_listened (MONOCLE_EVENT_exception_clause))
		tell_leave_or (monocle__probe_generic_instance (generic, keys), generic->definition, clause, carried);
}

monocle__probe
monocle__clause_probe_function (bool generic)
{
	return generic ? (monocle__probe) generic_clause : (monocle__probe) handler;
}

/* --- who carries what --------------------------------------------------------------------------------------------- */

/* Numbers of locals; MONOCLE__IL_NONE where none is needed. */
typedef struct {
	uint32_t *caught; /* by clause */
	uint32_t carried[DEPTHS];
} plan;

static bool
is_inside (uint32_t begin, uint32_t end, uint32_t index)
{
	return index >= begin && index < end;
}

static bool
passes_finally (const monocle__il_body *body, uint32_t leave)
{
	uint32_t target = body->code[leave].operand.target;
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];
		if (c->flags == MONOCLE__IL_CLAUSE_FINALLY && is_inside (c->try_begin, c->try_end, leave) &&
		    !is_inside (c->try_begin, c->try_end, target))
			return true;
	}
	return false;
}

/* In how many finally and fault blocks an instruction is. */
static uint32_t
depth_of (const monocle__il_body *body, uint32_t index)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < body->clause_count; i++)
		depth += is_finally (&body->clauses[i]) &&
		         is_inside (body->clauses[i].handler_begin, body->clauses[i].handler_end, index);
	return depth;
}

/* The innermost catch block that an instruction is in; the table lists inner ones first. */
static uint32_t
catch_around (const monocle__il_body *body, uint32_t index)
{
	for (uint32_t i = 0; i < body->clause_count; i++)
		if (!is_finally (&body->clauses[i]) &&
		    is_inside (body->clauses[i].handler_begin, body->clauses[i].handler_end, index))
			return i;
	return MONOCLE__IL_NONE;
}

/* Marks what is needed by 0; returns how many locals that makes. */
static uint32_t
mark (const monocle__il_body *body, plan *p)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < body->count; i++) {
		uint32_t depth, from;
		if (body->code[i].opcode != MONOCLE__IL_LEAVE || !passes_finally (body, i) ||
		    (from = catch_around (body, i)) == MONOCLE__IL_NONE || (depth = depth_of (body, i)) >= DEPTHS)
			continue;
		count += (p->caught[from] != 0) + (p->carried[depth] != 0);
		p->caught[from] = p->carried[depth] = 0;
	}
	return count;
}

static void
number (const monocle__il_body *body, plan *p, uint32_t first)
{
	for (uint32_t i = 0; i < body->clause_count; i++)
		if (p->caught[i] == 0)
			p->caught[i] = first++;
	for (uint32_t d = 0; d < DEPTHS; d++)
		if (p->carried[d] == 0)
			p->carried[d] = first++;
}

static int
make_plan (job *j, plan *p)
{
	static const uint8_t object = MONOCLE__ET_OBJECT;
	p->caught = malloc (j->body.clause_count * sizeof *p->caught);
	if (!p->caught)
		return MONOCLE_E_NO_MEMORY;
	for (uint32_t i = 0; i < j->body.clause_count; i++)
		p->caught[i] = MONOCLE__IL_NONE;
	for (uint32_t d = 0; d < DEPTHS; d++)
		p->carried[d] = MONOCLE__IL_NONE;
	uint32_t count = mark (&j->body, p);
	uint32_t first = count ? monocle__tokens_add_locals (j, &object, 1, count) : 0;
	if (first == MONOCLE__IL_NONE)
		return MONOCLE_E_INVALID;
	number (&j->body, p, first);
	return 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int
insert_leaves (job *j, monocle__il_edit *edit, const plan *p)
{
	const monocle__il_body *body = &j->body;
	int result = 0;
	for (uint32_t i = 0; i < body->count && result == 0; i++) {
		uint32_t depth;
		if (body->code[i].opcode != MONOCLE__IL_LEAVE || !passes_finally (body, i) ||
		    (depth = depth_of (body, i)) >= DEPTHS || p->carried[depth] == MONOCLE__IL_NONE)
			continue;
		uint32_t from = catch_around (body, i);
		monocle__il_instruction code[] = {
			from == MONOCLE__IL_NONE ? monocle__il_op (MONOCLE__IL_LDNULL, 0)
			                         : monocle__il_op (MONOCLE__IL_LDLOC, p->caught[from]),
			monocle__il_op (MONOCLE__IL_STLOC, p->carried[depth]),
		};
		result = monocle__il_insert (edit, i, MONOCLE__IL_JUMPS_HIT, code, 2);
	}
	return result;
}

static int
insert_probe (job *j, monocle__il_edit *edit, uint32_t before, uint32_t index, uint32_t type, uint32_t carried)
{
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	uint32_t n = 0, clause = index << TYPE_BITS | type;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I4, clause);
	code[n++] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	code[n++] = carried == MONOCLE__IL_NONE ? monocle__il_op (MONOCLE__IL_LDC_I4_0, 0)
	                                        : monocle__il_op (MONOCLE__IL_LDLOCA, carried);
	code[n++] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	n += monocle__rewrite_keys (j, code + n);
	n += monocle__rewrite_call (code + n, monocle__clause_probe_function (j->generic),
	                            monocle__tokens_calli (j->image, 2 + (j->generic ? j->key_count : 0)));
	MONOCLE__INVARIANT (n <= MONOCLE__PROBE_MAX && index < j->body.clause_count);
	return monocle__il_insert (edit, before, MONOCLE__IL_JUMPS_ENTRY, code, n);
}

static int
insert_clause (job *j, monocle__il_edit *edit, const plan *p, uint32_t index)
{
	const monocle__il_clause *c = &j->body.clauses[index];
	uint32_t type = c->flags == MONOCLE__IL_CLAUSE_FILTER ? MONOCLE__IL_CLAUSE_CATCH : c->flags;
	uint32_t carried = MONOCLE__IL_NONE;
	int result = 0;
	if (c->flags == MONOCLE__IL_CLAUSE_FILTER)
		result = insert_probe (j, edit, c->filter_begin, index, c->flags, MONOCLE__IL_NONE);
	if (result == 0 && p->caught[index] != MONOCLE__IL_NONE) {
		monocle__il_instruction keep[] = { monocle__il_op (MONOCLE__IL_DUP, 0),
			                               monocle__il_op (MONOCLE__IL_STLOC, p->caught[index]) };
		result = monocle__il_insert (edit, c->handler_begin, MONOCLE__IL_JUMPS_ENTRY, keep, 2);
	}
	if (c->flags == MONOCLE__IL_CLAUSE_FINALLY && depth_of (&j->body, c->try_begin) < DEPTHS)
		carried = p->carried[depth_of (&j->body, c->try_begin)];
	return result ? result : insert_probe (j, edit, c->handler_begin, index, type, carried);
}

int
monocle__clause_probe_insert (job *j, monocle__il_edit *edit)
{
	plan p;
	int result = make_plan (j, &p);
	for (uint32_t i = 0; i < j->body.clause_count && result == 0; i++)
		result = insert_clause (j, edit, &p, i);
	if (result == 0)
		result = insert_leaves (j, edit, &p);
	free (p.caught);
	return result;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * capture.c - see capture.h. The probe is passed the address of a copy of each value, and a size where only the runtime
 * knows it:
 *
 *   enter, leave:  {ldarg A; stloc COPY}*        at the leave first of all: stloc RESULT
 *                  ldc.i8 SHAPE; {key | ldc.i4.0; conv.i} * 5     the registers
 *                  {ldloca COPY; conv.u; [sizeof T; conv.u]}*     in memory: context.c reads them there
 *                  ldc.i8 function; conv.i; calli
 *                  {ldnull; stloc COPY | ...}*   at the leave last of all: ldloc RESULT
 *
 * A variable whose address is taken lives in memory as long as its method runs; a copy does not, so the program's own
 * variables stay in registers. A copy that may hold a reference is cleared after the call, since the JIT reports such
 * memory to the collector until the method ends: no object lives longer because of it. What is large lives in memory
 * anyway and is shown where it is: a copy would be stack that the program counts on. Before the first instruction
 * locals are zero, whatever their memory holds: there only their sizes are passed.
 *
 * A method that the runtime suspends (segment.c) gives its values also where it is resumed, and the number of the
 * segment before all of them. No address of the program lives across a suspension: such values are shown at the enter
 * alone. A copy is written right before it is read, so it need not live across one either.
 *
 * What modules can read decides what is handed over (monocle_call_values_wanted ()). Values beyond WORDS_MAX words are
 * not: the getters answer NULL.
 */
#include "capture.h"
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "context.h"
#include "invariant.h"
#include "state.h"
#include "tokens.h"
#include "value.h"

typedef monocle__rewriting job;
typedef monocle__capture_place place;

enum {
	ENTER = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER,
	ENTER_CONTEXT = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT,
	LEAVE = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE,
	LEAVE_CONTEXT = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT,
	EXCEPTION_LEAVE = MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE,
};

/* So many words fit the count of a signature beside the registers. */
enum { WORDS_MAX = MONOCLE__CALLI_MAX - MONOCLE__CONTEXT_REGISTERS };

/* Instructions around the values, and at most for one value. */
enum { FIXED_MAX = 8 + 2 * MONOCLE__KEYS_MAX, VALUE_MAX = 9 };

typedef enum { KEEP, CLEAR_REFERENCE, CLEAR_ADDRESS, CLEAR_STRUCT } clearing;

/* A value that is shown. */
typedef struct {
	monocle_call_value value;
	uint32_t position, variable; /* the number of the argument or local; of a result nothing */
	uint32_t copy;               /* local; MONOCLE__IL_NONE: it is shown where it is */
	uint32_t size, size_token;   /* one of them */
	clearing clearing;
	uint32_t clear_token;
	bool enter_only;
} item;

struct monocle__capture {
	monocle__context_shape *shapes[3]; /* by place; NULL: without context */
	bool result_is_awaited;
	uint32_t argument_count, local_count;
	uint32_t count, capacity, words;
	uint8_t *local_types; /* those that the program has; the items are planned from here */
	uint32_t local_types_size;
	item items[];
};

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool
wants (monocle_call_value value)
{
	return monocle_call_values_wanted () >> value & 1;
}

static clearing
clearing_of (const monocle__value *value)
{
	switch (value->kind) {
	case MONOCLE__ET_STRING:
	case MONOCLE__ET_CLASS:
	case MONOCLE__ET_OBJECT:
	case MONOCLE__ET_ARRAY:
	case MONOCLE__ET_SZARRAY: return CLEAR_REFERENCE;
	case MONOCLE__ET_BYREF: return CLEAR_ADDRESS;
	default: return value->is_large || value->parts & MONOCLE__VALUE_REFERENCES ? CLEAR_STRUCT : KEEP;
	}
}

/* A result is on the stack, so it needs a place whatever its size. Typed references are shown where they are. */
static bool
needs_copy (const item *i, const monocle__value *value)
{
	return i->value == MONOCLE_CALL_RESULT || !(value->is_large || value->kind == MONOCLE__ET_TYPEDBYREF);
}

/* Of the program's memory, which may be its stack: `ref`, a ref struct, `this` of a struct. */
static bool
has_address (const monocle__value *value)
{
	return value->kind == MONOCLE__ET_BYREF || value->kind == MONOCLE__ET_TYPEDBYREF || value->is_ref_struct;
}

/* Without a copy or a token the value is not shown. */
static void
add_item (job *j, item i, const monocle__value *value)
{
	monocle__capture *c = j->capture;
	i.copy = MONOCLE__IL_NONE;
	i.size = monocle__value_size (value);
	bool copied = needs_copy (&i, value);
	i.clearing = copied ? clearing_of (value) : KEEP;
	uint32_t words = i.size ? 1 : 2;
	i.enter_only = j->segments && has_address (value);
	if (!value->type || c->count == c->capacity || c->words + words > WORDS_MAX ||
	    (i.enter_only && i.value == MONOCLE_CALL_LOCAL))
		return;
	uint32_t token = !i.size || i.clearing == CLEAR_STRUCT ? monocle__value_token (j, value) : 0;
	i.size_token = i.size ? 0 : token;
	i.clear_token = i.clearing == CLEAR_STRUCT ? token : 0;
	if (copied)
		i.copy = monocle__tokens_add_locals (j, value->type, value->size, 1);
	if ((copied && i.copy == MONOCLE__IL_NONE) || ((!i.size || i.clearing == CLEAR_STRUCT) && !token))
		return;
	c->items[c->count++] = i;
	c->words += words;
}

/* The slot of `this`: a reference, or the address of a value. */
static void
add_this (job *j)
{
	static const uint8_t reference[] = { MONOCLE__ET_OBJECT }, address[] = { MONOCLE__ET_BYREF, MONOCLE__ET_U1 };
	MonoClass *klass = mono_method_get_class (monocle_method_def (j->image->cli.record, j->token));
	monocle__value value = mono_class_is_valuetype (klass)
	                         ? (monocle__value) { address, sizeof address, MONOCLE__ET_BYREF, false, false, 0 }
	                         : (monocle__value) { reference, sizeof reference, MONOCLE__ET_OBJECT, false, false, 0 };
	add_item (j, (item) { .value = MONOCLE_CALL_THIS }, &value);
}

static void
add_arguments (job *j, monocle__ecma_cursor *types, uint32_t first)
{
	for (uint32_t i = 0; i < j->capture->argument_count && !types->error; i++) {
		monocle__value value = monocle__value_read (j, types);
		add_item (j, (item) { .value = MONOCLE_CALL_ARGUMENT, .position = i, .variable = first + i }, &value);
	}
}

static void
add_locals (job *j)
{
	monocle__ecma_cursor types = monocle__ecma_cursor_over (j->capture->local_types, j->capture->local_types_size);
	for (uint32_t i = 0; i < j->capture->local_count && !types.error; i++) {
		monocle__value value = monocle__value_read (j, &types);
		add_item (j, (item) { .value = MONOCLE_CALL_LOCAL, .position = i, .variable = i }, &value);
	}
}

/* The copies are locals, too, which the program has not: those that it has are read before the first is added. */
static bool
open (job *j, uint32_t params)
{
	uint32_t own = j->segments ? 1 : 0; /* the segment is one of ours, the last */
	uint32_t locals = wants (MONOCLE_CALL_LOCAL) && monocle__tokens_open_locals (j) ? j->locals.count - own : 0;
	uint32_t arguments = wants (MONOCLE_CALL_ARGUMENT) ? params : 0, capacity = 2 + arguments + locals;
	monocle__capture *c = calloc (1, sizeof *c + capacity * sizeof *c->items);
	if (!c)
		return false;
	c->capacity = capacity;
	c->words = own;
	c->argument_count = arguments;
	c->local_types = locals ? malloc (j->locals.size + 1) : NULL;
	if (c->local_types) {
		memcpy (c->local_types, j->locals.types, c->local_types_size = j->locals.size);
		c->local_count = locals;
	}
	j->capture = c;
	return true;
}

static const uint8_t *
after_modifiers (monocle__ecma_cursor type)
{
	monocle__ecma_skip_modifiers (&type);
	return type.at;
}

/* What `ret` finds on the stack. A cursor over nothing: nothing. */
static monocle__ecma_cursor
result_type_of (const job *j, monocle__ecma_cursor declared)
{
	const uint8_t *type;
	uint32_t size;
	if (!j->segments)
		return declared;
	if (!monocle__runtime_async_result (&j->image->cli.ecma, &j->row, &type, &size))
		return monocle__ecma_cursor_over (declared.at, 0);
	return monocle__ecma_cursor_over (type, size);
}

/* `this`, arguments, result, locals: what is asked for most is among those that have room. */
static bool
add_values (job *j, bool leaves)
{
	monocle__ecma_cursor types;
	uint32_t has_this, params;
	if (!monocle__value_open_signature (j, &types, &has_this, &params) || !open (j, params))
		return false;
	monocle__ecma_cursor result_type = result_type_of (j, types);
	j->capture->result_is_awaited = j->segments && result_type.at != after_modifiers (types);
	monocle__ecma_skip_type (&types);
	if (has_this && wants (MONOCLE_CALL_THIS))
		add_this (j);
	add_arguments (j, &types, has_this);
	if (leaves && wants (j->capture->result_is_awaited ? MONOCLE_CALL_AWAITED_RESULT : MONOCLE_CALL_RESULT)) {
		monocle__value value = monocle__value_read (j, &result_type);
		add_item (j, (item) { .value = MONOCLE_CALL_RESULT }, &value);
	}
	add_locals (j);
	return true;
}

static monocle__context_slot *
slot_of (monocle__context_shape *shape, const item *i, bool is_awaited)
{
	switch (i->value) {
	case MONOCLE_CALL_THIS: return &shape->own;
	case MONOCLE_CALL_RESULT: return is_awaited ? &shape->awaited_result : &shape->result;
	case MONOCLE_CALL_LOCAL: return &shape->values[shape->argument_count + i->position];
	default: return &shape->values[i->position];
	}
}

static bool
is_shown (const item *i, place at)
{
	if (i->enter_only)
		return at == MONOCLE__CAPTURE_ENTER;
	return at == MONOCLE__CAPTURE_LEAVE ||
	       (i->value != MONOCLE_CALL_RESULT && (at == MONOCLE__CAPTURE_ENTER || i->value != MONOCLE_CALL_LOCAL));
}

static monocle__context_shape *
new_shape (const job *j, place at)
{
	const monocle__capture *c = j->capture;
	uint32_t values = c->argument_count + c->local_count, word = j->segments ? 1 : 0;
	monocle__context_shape *shape = malloc (sizeof *shape + values * sizeof *shape->values);
	if (!shape)
		return NULL;
	*shape = (monocle__context_shape) {
		.record = j->segments ? (void *) j->segments : (void *) (uintptr_t) j->record,
		.flags = (j->generic ? MONOCLE__CONTEXT_GENERIC : 0) | (j->invoke ? MONOCLE__CONTEXT_INVOKES : 0) |
		         (j->flags & EXCEPTION_LEAVE ? MONOCLE__CONTEXT_RAISES : 0),
		.argument_count = c->argument_count,
		.local_count = c->local_count,
		.own = { MONOCLE__CONTEXT_ABSENT, 0 },
		.result = { MONOCLE__CONTEXT_ABSENT, 0 },
		.awaited_result = { MONOCLE__CONTEXT_ABSENT, 0 },
	};
	for (uint32_t i = 0; i < values; i++)
		shape->values[i] = (monocle__context_slot) { MONOCLE__CONTEXT_ABSENT, 0 };
	for (const item *i = c->items; i < c->items + c->count; i++)
		if (is_shown (i, at)) {
			*slot_of (shape, i, c->result_is_awaited) = (monocle__context_slot) { (uint16_t) word, (uint16_t) i->size };
			word += i->size ? 1 : 2;
		}
	return shape;
}

static uint32_t
words_of (const job *j, place at)
{
	const monocle__capture *c = j->capture;
	uint32_t words = j->segments ? 1 : 0;
	for (const item *i = c->items; i < c->items + c->count; i++)
		words += is_shown (i, at) ? (i->size ? 1 : 2) : 0;
	return words;
}

static uint32_t
signature_of (const job *j, place at)
{
	uint32_t count = MONOCLE__CONTEXT_REGISTERS + words_of (j, at);
	return j->segments && at != MONOCLE__CAPTURE_LEAVE ? monocle__tokens_calli_returning (j->image, count)
	                                                   : monocle__tokens_calli (j->image, count);
}

bool
monocle__capture_plan (job *j)
{
	bool enters = (j->flags & ENTER) && (j->flags & ENTER_CONTEXT);
	bool leaves = (j->flags & LEAVE) && (j->flags & LEAVE_CONTEXT);
	if ((!enters && !leaves) || !add_values (j, leaves))
		return false;
	monocle__capture *c = j->capture;
	bool wanted[] = { [MONOCLE__CAPTURE_ENTER] = enters,
		              [MONOCLE__CAPTURE_RESUME] = enters && j->segments,
		              [MONOCLE__CAPTURE_LEAVE] = leaves };
	for (int at = MONOCLE__CAPTURE_ENTER; at <= MONOCLE__CAPTURE_LEAVE; at++)
		c->shapes[at] = wanted[at] && signature_of (j, (place) at) ? new_shape (j, (place) at) : NULL;
	return c->shapes[MONOCLE__CAPTURE_ENTER] || c->shapes[MONOCLE__CAPTURE_LEAVE];
}

bool
monocle__capture_enters (const job *j)
{
	return j->capture && j->capture->shapes[MONOCLE__CAPTURE_ENTER] &&
	       (!j->segments || j->capture->shapes[MONOCLE__CAPTURE_RESUME]);
}

bool
monocle__capture_leaves (const job *j)
{
	return j->capture && j->capture->shapes[MONOCLE__CAPTURE_LEAVE];
}

uint32_t
monocle__capture_depth (const job *j)
{
	return j->capture ? MONOCLE__CONTEXT_REGISTERS + j->capture->words + 2 : 0;
}

void
monocle__capture_end (job *j, bool done)
{
	monocle__capture *c = j->capture;
	if (!c)
		return;
	for (int at = MONOCLE__CAPTURE_ENTER; at <= MONOCLE__CAPTURE_LEAVE; at++)
		if (c->shapes[at] && done)
			monocle__clr_image_own (j->image, c->shapes[at], free);
		else
			free (c->shapes[at]);
	free (c->local_types);
	free (c);
	j->capture = NULL;
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

static bool
is_zero (const item *i, place at)
{
	return i->value == MONOCLE_CALL_LOCAL && at == MONOCLE__CAPTURE_ENTER;
}

static uint32_t
copy_value (const item *i, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (i->copy == MONOCLE__IL_NONE)
		return 0;
	if (i->value == MONOCLE_CALL_LOCAL)
		out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, i->variable);
	else if (i->value != MONOCLE_CALL_RESULT)
		out[n++] = monocle__il_op (MONOCLE__IL_LDARG, i->variable);
	out[n++] = monocle__il_op (MONOCLE__IL_STLOC, i->copy);
	return n;
}

static uint32_t
push_address (const item *i, place at, monocle__il_instruction *out)
{
	if (is_zero (i, at))
		out[0] = monocle__il_op (MONOCLE__IL_LDC_I4_0, 0);
	else if (i->copy != MONOCLE__IL_NONE)
		out[0] = monocle__il_op (MONOCLE__IL_LDLOCA, i->copy);
	else
		out[0] = monocle__il_op (i->value == MONOCLE_CALL_LOCAL ? MONOCLE__IL_LDLOCA : MONOCLE__IL_LDARGA, i->variable);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	return 2;
}

static uint32_t
push_size (const item *i, monocle__il_instruction *out)
{
	if (i->size)
		return 0;
	out[0] = monocle__il_op (MONOCLE__IL_SIZEOF, i->size_token);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	return 2;
}

static uint32_t
clear_copy (const item *i, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (i->copy == MONOCLE__IL_NONE || i->clearing == KEEP)
		return 0;
	if (i->clearing == CLEAR_STRUCT) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDLOCA, i->copy);
		out[n++] = monocle__il_op (MONOCLE__IL_INITOBJ, i->clear_token);
		return n;
	}
	out[n++] = monocle__il_op (i->clearing == CLEAR_REFERENCE ? MONOCLE__IL_LDNULL : MONOCLE__IL_LDC_I4_0, 0);
	if (i->clearing == CLEAR_ADDRESS)
		out[n++] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_STLOC, i->copy);
	return n;
}

static const item *
result_of (const monocle__capture *c)
{
	for (const item *i = c->items; i < c->items + c->count; i++)
		if (i->value == MONOCLE_CALL_RESULT)
			return i;
	return NULL;
}

/* The type handles of the instance that runs, and nothing in the registers that remain. */
static uint32_t
fill_registers (const job *j, place at, monocle__il_instruction *out)
{
	uint32_t filled = j->generic && at != MONOCLE__CAPTURE_LEAVE ? j->key_count : 0,
	         n = filled ? monocle__rewrite_keys (j, out) : 0;
	for (; filled < MONOCLE__CONTEXT_REGISTERS; filled++) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDC_I4_0, 0);
		out[n++] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	}
	return n;
}

/* The number of the segment that runs; before the first there is none. */
static uint32_t
push_segment (const job *j, place at, monocle__il_instruction *out)
{
	if (!j->segments)
		return 0;
	out[0] = at == MONOCLE__CAPTURE_ENTER ? monocle__il_op (MONOCLE__IL_LDC_I4_0, 0)
	                                      : monocle__il_op (MONOCLE__IL_LDLOC, j->segment);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	return 2;
}

uint32_t
monocle__capture_write (const job *j, place at, monocle__probe function, monocle__il_instruction *out)
{
	const monocle__capture *c = j->capture;
	const item *end = c->items + c->count, *result = at == MONOCLE__CAPTURE_LEAVE ? result_of (c) : NULL;
	uint32_t n = result ? copy_value (result, out) : 0;
	for (const item *i = c->items; i < end; i++)
		n += i->value == MONOCLE_CALL_RESULT || !is_shown (i, at) || is_zero (i, at) ? 0 : copy_value (i, out + n);
	out[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) c->shapes[at]);
	n += fill_registers (j, at, out + n);
	n += push_segment (j, at, out + n);
	for (const item *i = c->items; i < end; i++)
		if (is_shown (i, at)) {
			n += push_address (i, at, out + n);
			n += push_size (i, out + n);
		}
	return n + monocle__rewrite_call (out + n, function, signature_of (j, at));
}

uint32_t
monocle__capture_write_end (const job *j, place at, monocle__il_instruction *out)
{
	const monocle__capture *c = j->capture;
	const item *end = c->items + c->count, *result = at == MONOCLE__CAPTURE_LEAVE ? result_of (c) : NULL;
	uint32_t n = 0;
	if (result)
		out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, result->copy);
	for (const item *i = c->items; i < end; i++)
		n += is_shown (i, at) && !is_zero (i, at) ? clear_copy (i, out + n) : 0;
	return n;
}

uint32_t
monocle__capture_room (const job *j)
{
	return FIXED_MAX + VALUE_MAX * j->capture->count;
}

static int
insert (job *j, monocle__il_edit *edit, uint32_t before, place at)
{
	bool leaves = at == MONOCLE__CAPTURE_LEAVE;
	uint32_t room = monocle__capture_room (j);
	monocle__il_instruction *code = malloc (room * sizeof *code);
	if (!code)
		return MONOCLE_E_NO_MEMORY;
	uint32_t n = monocle__capture_write (j, at, leaves ? monocle__context_leave () : monocle__context_enter (), code);
	n += monocle__capture_write_end (j, at, code + n);
	n += leaves ? 0 : monocle__rewrite_end_block (j, code + n);
	MONOCLE__INVARIANT (n <= room);
	int result = monocle__il_insert (edit, before, leaves ? MONOCLE__IL_JUMPS_HIT : MONOCLE__IL_JUMPS_SKIP, code, n);
	free (code);
	return result;
}

int
monocle__capture_insert_enter (job *j, monocle__il_edit *edit)
{
	return insert (j, edit, 0, MONOCLE__CAPTURE_ENTER);
}

int
monocle__capture_insert_leave (job *j, monocle__il_edit *edit, uint32_t at)
{
	return insert (j, edit, at, MONOCLE__CAPTURE_LEAVE);
}

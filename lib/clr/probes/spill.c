/*
 * SPDX-License-Identifier: MIT
 *
 * spill.c - values that a probe would push out of their registers, for as long as the method runs.
 *
 * No vector register survives a call in the System V convention. A floating-point argument that lives across the enter
 * probe, and a result that lives across the leave probe, are spilled there; and the JIT's allocator then leaves such a
 * variable in memory in each loop that it lives in, on either side of the call: a loop of a multiplication and an
 * addition takes 2.5 times as long. So in a method that has a loop these values pass the probes in memory that is not
 * theirs, and the variables of the program are free to live in registers:
 *
 *   enter:  ldarg A; stloc COPY                  for each argument in question
 *           ldc.i4.0; stloc GUARD
 *           probe (..., &GUARD, &COPY...)
 *           ldloc GUARD; brfalse L; ldnull; throw
 *        L: ldloc COPY; starg A                  the rest of the method has another A, as the JIT sees it
 *   leave:  stloc RESULT; probe (..., &RESULT); ldloc RESULT
 *
 * The probes look at none of these addresses. They are passed so that the JIT must believe that memory may change, and
 * neither reads the old variable after the call instead of the copy nor knows that GUARD is zero. GUARD is what ends
 * the block: the poll for the collector, a call as well, is at the end of the probe's block (rewrite.c), and what
 * the program computes before its first loop must not come before it.
 *
 * A copy that may hold references is cleared after the call: the JIT reports such memory until the method ends. What
 * holds integers and references alone is left where it is: there are registers for them that survive. A result of that
 * kind is computed before the probe, since the floating-point variables of its expression would live across it.
 */
#include "spill.h"
#include <string.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>
#include <monocle/host.h>
#include "attribute.h"
#include "invariant.h"
#include "rewrite.h"
#include "tokens.h"

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>

typedef monocle__rewriting job;

/* What a type may be made of. FLOATS: what no register keeps. */
enum { FLOATS = 1, REFERENCES = 2, ANYTHING = FLOATS | REFERENCES };

/*
 * Structs inside of structs inside of structs: deeper ones are taken for anything. Integers in more fields than a
 * result has registers need more of those that survive a call than a loop can spare (decimal). What is larger than a
 * few registers lives in memory anyway, and a second copy of it would be stack that the program counts on.
 */
enum { DEPTH_MAX = 6, REGISTERS_OF_RESULT = 2, FIELDS_MAX = 8, FIELDS_OF_VECTOR = 4, BYTES_MAX = 64 };

/* --- what a type is made of --------------------------------------------------------------------------------------- */

typedef struct {
	unsigned parts, fields, depth;
	bool is_large;
} makeup;

/* Hardware vectors say in their fields that they are integers. */
static bool
is_vector (MonoClass *klass)
{
	const char *name_space = mono_class_get_namespace (klass);
	return strcmp (name_space, "System.Runtime.Intrinsics") == 0 ||
	       (strcmp (name_space, "System.Numerics") == 0 && strcmp (mono_class_get_name (klass), "Vector`1") == 0);
}

/* Larger than its fields: a fixed buffer, an inline array. */
static bool
has_size_of_its_own (MonoClass *klass)
{
	uint32_t size = 0, token = mono_class_get_type_token (klass);
	MonoImage *image = mono_class_get_image (klass);
	monocle__describe_image *cli = image ? monocle__describe_image_of (image) : NULL;
	return !cli || (mono_metadata_packing_from_typedef (image, token, NULL, &size) && size > BYTES_MAX) ||
	       monocle__attribute_find (&cli->ecma, token, "System.Runtime.CompilerServices", "InlineArrayAttribute");
}

static void look_into (MonoClass *klass, makeup *m);

static void
look_at (MonoType *type, makeup *m)
{
	int kind = type ? mono_type_get_type (type) : MONO_TYPE_VAR;
	MonoClass *klass =
	    kind == MONO_TYPE_VALUETYPE || kind == MONO_TYPE_GENERICINST ? mono_class_from_mono_type (type) : NULL;
	m->fields++;
	if (type && mono_type_is_byref (type))
		m->parts |= REFERENCES;
	else if (kind == MONO_TYPE_R4 || kind == MONO_TYPE_R8)
		m->parts |= FLOATS;
	else if (kind == MONO_TYPE_VAR || kind == MONO_TYPE_MVAR)
		m->parts |= ANYTHING;
	else if (kind == MONO_TYPE_VALUETYPE || (klass && mono_class_is_valuetype (klass)))
		look_into (klass, m);
	else if (kind == MONO_TYPE_STRING || kind == MONO_TYPE_OBJECT || kind == MONO_TYPE_CLASS ||
	         kind == MONO_TYPE_ARRAY || kind == MONO_TYPE_SZARRAY || kind == MONO_TYPE_GENERICINST)
		m->parts |= REFERENCES;
}

static void
look_at_fields (MonoClass *klass, makeup *m)
{
	MonoClassField *field;
	void *position = NULL;
	unsigned before = --m->fields; /* the struct itself is none */
	while (m->fields <= FIELDS_MAX && (field = mono_class_get_fields (klass, &position)))
		if (!(mono_field_get_flags (field) & MONO_FIELD_ATTR_STATIC))
			look_at (mono_field_get_type (field), m);
	if (m->fields == before)
		m->parts |= ANYTHING; /* its image is not known */
}

static void
look_into (MonoClass *klass, makeup *m)
{
	if (klass && mono_class_is_enum (klass))
		return;
	if (!klass || m->depth == DEPTH_MAX) {
		m->parts |= ANYTHING;
	} else if (is_vector (klass)) {
		m->parts |= FLOATS;
		m->fields += FIELDS_OF_VECTOR - 1;
	} else if (has_size_of_its_own (klass)) {
		m->is_large = true;
	} else {
		m->depth++;
		look_at_fields (klass, m);
		m->depth--;
	}
}

static unsigned
made_of (MonoType *type)
{
	makeup m = { 0 };
	look_at (type, &m);
	if (m.is_large || m.fields > FIELDS_MAX)
		return 0;
	return !m.parts && m.fields > REGISTERS_OF_RESULT ? FLOATS : m.parts;
}

/* --- what a method has -------------------------------------------------------------------------------------------- */

/* Only there is a variable in memory paid for again and again. */
static bool
has_loop (const monocle__il_body *body)
{
	for (uint32_t i = 0; i < body->count; i++) {
		if (monocle__il_is_branch (body->code[i].opcode) && body->code[i].operand.target <= i)
			return true;
		if (body->code[i].opcode != MONOCLE__IL_SWITCH)
			continue;
		const monocle__il_switch *table = &body->switches[body->code[i].operand.switch_index];
		for (uint32_t t = 0; t < table->count; t++)
			if (table->targets[t] <= i)
				return true;
	}
	return false;
}

/* A type where a signature has it. */
typedef struct {
	const uint8_t *type; /* modifiers left out, which are no part of a local's */
	uint32_t size;
	unsigned parts;
} slot;

/* The result comes first. */
typedef struct {
	slot result, arguments[MONOCLE__SPILLS_MAX];
	uint32_t first, count; /* the number of the first argument: `this` is not among them */
} slots;

static slot
read_slot (job *j, monocle__ecma_cursor *cursor)
{
	MonoMethod *method = monocle_method_def (j->image->cli.record, j->token);
	monocle__ecma_skip_modifiers (cursor);
	monocle__ecma_cursor begin = *cursor, type = *cursor;
	monocle__ecma_skip_type (cursor);
	if (cursor->error || monocle__ecma_peek_byte (&begin) == MONOCLE__ET_VOID)
		return (slot) { NULL, 0, 0 };
	MonoType *read = monocle__describe_read_type (&j->image->cli, &type, mono_method_get_class (method), method);
	return (slot) { begin.at, (uint32_t) (cursor->at - begin.at), made_of (read) };
}

/* False: it is malformed. */
static bool
read_signature (job *j, slots *ret)
{
	const uint8_t *data;
	uint32_t size;
	if (monocle__ecma_blob (&j->image->cli.ecma, j->row.signature, &data, &size))
		return false;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	uint8_t kind = monocle__ecma_read_byte (&cursor);
	if (kind & MONOCLE__SIG_GENERIC)
		monocle__ecma_read_u (&cursor);
	uint32_t count = monocle__ecma_read_u (&cursor);
	ret->first = kind & MONOCLE__SIG_HASTHIS && !(kind & MONOCLE__SIG_EXPLICITTHIS);
	ret->count = count < MONOCLE__SPILLS_MAX ? count : MONOCLE__SPILLS_MAX;
	ret->result = read_slot (j, &cursor);
	for (uint32_t i = 0; i < ret->count; i++)
		ret->arguments[i] = read_slot (j, &cursor);
	return !cursor.error;
}

static bool
locals_have_floats (job *j)
{
	if (!monocle__tokens_open_locals (j))
		return false;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (j->locals.types, j->locals.size);
	for (uint32_t i = 0; i < j->locals.count && !cursor.error; i++) {
		if (monocle__ecma_peek_byte (&cursor) == MONOCLE__ET_PINNED) {
			monocle__ecma_read_byte (&cursor);
			monocle__ecma_skip_type (&cursor);
		} else if (read_slot (j, &cursor).parts & FLOATS)
			return true;
	}
	return false;
}

static bool
has_floats (job *j, const slots *s)
{
	unsigned parts = s->result.parts;
	for (uint32_t i = 0; i < s->count; i++)
		parts |= s->arguments[i].parts;
	return parts & FLOATS || locals_have_floats (j);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* What `initobj` takes; 0: it cannot be had. */
static uint32_t
token_of (job *j, const slot *s)
{
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (s->type, s->size);
	if (monocle__ecma_read_byte (&cursor) == MONOCLE__ET_VALUETYPE)
		return monocle__ecma_read_type_token (&cursor);
	return monocle__tokens_type_spec (j->image, s->type, s->size);
}

/* A local of that type. False: there can be none, and the value stays where it is. */
static bool
add_copy (job *j, const slot *s, bool clears, monocle__spill *ret_copy)
{
	ret_copy->clear = clears ? token_of (j, s) : 0;
	if (!s->type || (clears && !ret_copy->clear))
		return false;
	ret_copy->local = monocle__tokens_add_locals (j, s->type, s->size, 1);
	return ret_copy->local != MONOCLE__IL_NONE;
}

static void
plan_result (job *j, const slot *s)
{
	bool in_memory = s->parts & FLOATS;
	if (add_copy (j, s, in_memory && s->parts & REFERENCES, &j->spills.result))
		j->spills.result_in_memory = in_memory;
	else
		j->spills.result.local = MONOCLE__IL_NONE;
}

static void
plan_arguments (job *j, const slots *s)
{
	static const uint8_t guard = MONOCLE__ET_I4;
	monocle__spills *own = &j->spills;
	for (uint32_t i = 0; i < s->count; i++) {
		monocle__spill *copy = &own->arguments[own->count];
		copy->argument = s->first + i;
		if (s->arguments[i].parts & FLOATS)
			own->count += add_copy (j, &s->arguments[i], s->arguments[i].parts & REFERENCES, copy);
	}
	MONOCLE__INVARIANT (own->count <= s->count && own->count <= MONOCLE__SPILLS_MAX);
	own->guard = monocle__tokens_add_locals (j, &guard, 1, 1);
}

void
monocle__spill_plan (job *j)
{
	slots s;
	if (j->invoke || !has_loop (&j->body) || !read_signature (j, &s) || !has_floats (j, &s))
		return;
	plan_result (j, &s.result);
	plan_arguments (j, &s);
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

/* The address of a local, as what a probe is passed. */
static uint32_t
push_address (uint32_t local, monocle__il_instruction *out)
{
	out[0] = monocle__il_op (MONOCLE__IL_LDLOCA, local);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	return 2;
}

static uint32_t
clear (const monocle__spill *copy, monocle__il_instruction *out)
{
	if (!copy->clear)
		return 0;
	out[0] = monocle__il_op (MONOCLE__IL_LDLOCA, copy->local);
	out[1] = monocle__il_op (MONOCLE__IL_INITOBJ, copy->clear);
	return 2;
}

static bool
guards (const job *j)
{
	return j->spills.guard != MONOCLE__IL_NONE;
}

uint32_t
monocle__spill_before_enter (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!guards (j))
		return 0;
	for (uint32_t i = 0; i < j->spills.count; i++) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDARG, j->spills.arguments[i].argument);
		out[n++] = monocle__il_op (MONOCLE__IL_STLOC, j->spills.arguments[i].local);
	}
	out[n++] = monocle__il_op (MONOCLE__IL_LDC_I4_0, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_STLOC, j->spills.guard);
	return n;
}

uint32_t
monocle__spill_enter_addresses (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!guards (j))
		return 0;
	n += push_address (j->spills.guard, out);
	for (uint32_t i = 0; i < j->spills.count; i++)
		n += push_address (j->spills.arguments[i].local, out + n);
	return n;
}

uint32_t
monocle__spill_enter_count (const job *j)
{
	return guards (j) ? 1 + j->spills.count : 0;
}

uint32_t
monocle__spill_after_enter (const job *j, uint32_t at, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!guards (j))
		return 0;
	out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, j->spills.guard);
	out[n] = monocle__il_op (MONOCLE__IL_BRFALSE, 0);
	out[n++].operand.target = MONOCLE__IL_INSERTED (at + 4);
	out[n++] = monocle__il_op (MONOCLE__IL_LDNULL, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_THROW, 0);
	for (uint32_t i = 0; i < j->spills.count; i++) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, j->spills.arguments[i].local);
		out[n++] = monocle__il_op (MONOCLE__IL_STARG, j->spills.arguments[i].argument);
		n += clear (&j->spills.arguments[i], out + n);
	}
	return n;
}

bool
monocle__spill_has_result (const job *j)
{
	return j->spills.result.local != MONOCLE__IL_NONE;
}

uint32_t
monocle__spill_result_address (const job *j, monocle__il_instruction *out)
{
	return j->spills.result_in_memory ? push_address (j->spills.result.local, out) : 0;
}

uint32_t
monocle__spill_load_result (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	if (!monocle__spill_has_result (j))
		return 0;
	out[n++] = monocle__il_op (MONOCLE__IL_LDLOC, j->spills.result.local);
	return n + clear (&j->spills.result, out + n);
}

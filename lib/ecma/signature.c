/*
 * SPDX-License-Identifier: MIT
 *
 * signature.c - compressed numbers and signature blobs (ECMA-335 II.23.2), read by a cursor.
 *
 * A cursor that met something malformed is at its end with `error` set and answers 0 from then on, so that callers look
 * at the error once, after the last read. Every loop over a count ends with the bytes, because each round consumes one.
 * Async-safe; types are walked with a stack of fixed size instead of recursion.
 */
#include "ecma.h"
#include "invariant.h"

/* Deeper than any compiler nests, and two kilobytes of a signal stack. */
enum { TYPE_DEPTH_MAX = 256 };

typedef enum { REFUSED, NONE, TYPE, TOKEN, MODIFIER, NUMBER, ARRAY, INSTANCE, METHOD } element_shape;

static const uint8_t element_shapes[256] = {
#define ELEMENT(value, name, shape) [value] = shape,
#include "element_types.def"
};

/* Tables of the tags of a TypeDefOrRefOrSpec; the fourth tag is reserved. */
static const uint8_t type_token_tables[4] = { MONOCLE__TABLE_TypeDef, MONOCLE__TABLE_TypeRef, MONOCLE__TABLE_TypeSpec };

static uint32_t
fail (monocle__ecma_cursor *cursor, int error)
{
	if (!cursor->error)
		cursor->error = error;
	cursor->at = cursor->end;
	return 0;
}

monocle__ecma_cursor
monocle__ecma_cursor_over (const uint8_t *data, uint32_t size)
{
	return (monocle__ecma_cursor) { .at = data, .end = size ? data + size : data };
}

uint8_t
monocle__ecma_read_byte (monocle__ecma_cursor *cursor)
{
	if (cursor->at == cursor->end)
		return (uint8_t) fail (cursor, MONOCLE__ECMA_E_TRUNCATED);
	return *cursor->at++;
}

uint8_t
monocle__ecma_peek_byte (const monocle__ecma_cursor *cursor)
{
	return cursor->at == cursor->end ? 0 : *cursor->at;
}

/* 0xxxxxxx, 10xxxxxx +1, 110xxxxx +3, most significant first. *ret_bits: how many of the bits carry the value. */
static uint32_t
read_compressed (monocle__ecma_cursor *cursor, uint32_t *ret_bits)
{
	uint8_t first = monocle__ecma_peek_byte (cursor);
	uint32_t length = first < 0x80 ? 1 : first < 0xC0 ? 2 : 4;
	*ret_bits = length == 1 ? 7 : length == 2 ? 14 : 29;
	if ((size_t) (cursor->end - cursor->at) < length)
		return fail (cursor, MONOCLE__ECMA_E_TRUNCATED);
	if (first >= 0xE0)
		return fail (cursor, MONOCLE__ECMA_E_FORMAT);
	uint32_t value = 0;
	for (uint32_t i = 0; i < length; i++)
		value = value << 8 | *cursor->at++;
	return value & ((UINT32_C (1) << *ret_bits) - 1);
}

uint32_t
monocle__ecma_read_u (monocle__ecma_cursor *cursor)
{
	uint32_t bits;
	return read_compressed (cursor, &bits);
}

/* Two's complement in the bits of the encoding, rotated left by one: the sign is the lowest bit. */
int32_t
monocle__ecma_read_s (monocle__ecma_cursor *cursor)
{
	uint32_t bits, rotated = read_compressed (cursor, &bits);
	int32_t magnitude = (int32_t) (rotated >> 1);
	return rotated & 1 ? magnitude - (INT32_C (1) << (bits - 1)) : magnitude;
}

uint32_t
monocle__ecma_read_type_token (monocle__ecma_cursor *cursor)
{
	uint32_t coded = monocle__ecma_read_u (cursor);
	uint32_t table = type_token_tables[coded & 3], rid = coded >> 2;
	if (cursor->error)
		return 0;
	if (!table || rid > 0xFFFFFF)
		return fail (cursor, MONOCLE__ECMA_E_FORMAT);
	return table << 24 | rid;
}

/* What a walk still has to do at one level of nesting. */
struct level {
	uint32_t types_left;
	bool is_array;     /* rank, sizes and bounds follow the element type */
	bool may_sentinel; /* parameters of a method: one SENTINEL may come before any of them */
};

/* ArrayShape (II.23.2.13): rank, a count of sizes and the sizes, a count of lower bounds and those. */
static void
skip_array_shape (monocle__ecma_cursor *cursor)
{
	monocle__ecma_read_u (cursor);
	for (uint32_t left = monocle__ecma_read_u (cursor); left && !cursor->error; left--)
		monocle__ecma_read_u (cursor);
	for (uint32_t left = monocle__ecma_read_u (cursor); left && !cursor->error; left--)
		monocle__ecma_read_s (cursor);
}

static struct level
read_instance_head (monocle__ecma_cursor *cursor)
{
	uint8_t kind = monocle__ecma_read_byte (cursor);
	if (kind != MONOCLE__ET_CLASS && kind != MONOCLE__ET_VALUETYPE)
		fail (cursor, MONOCLE__ECMA_E_FORMAT);
	monocle__ecma_read_type_token (cursor);
	return (struct level) { .types_left = monocle__ecma_read_u (cursor) };
}

/* Convention, counts: what remains is the result and the parameters. The sum cannot overflow: counts have 29 bits. */
static struct level
read_method_head (monocle__ecma_cursor *cursor)
{
	uint8_t convention = monocle__ecma_read_byte (cursor);
	uint8_t kind = convention & MONOCLE__SIG_KIND_MASK;
	if (kind > MONOCLE__SIG_VARARG && kind != MONOCLE__SIG_UNMANAGED)
		fail (cursor, MONOCLE__ECMA_E_FORMAT);
	if (convention & MONOCLE__SIG_GENERIC)
		monocle__ecma_read_u (cursor);
	return (struct level) { .types_left = monocle__ecma_read_u (cursor) + 1, .may_sentinel = true };
}

/* Reads a type up to what nests in it, which is returned as the next level (no types left: nothing nests). */
static struct level
read_type_head (monocle__ecma_cursor *cursor)
{
	for (;;) {
		switch (element_shapes[monocle__ecma_read_byte (cursor)]) {
		case NONE: return (struct level) { 0 };
		case TYPE: continue;
		case TOKEN: monocle__ecma_read_type_token (cursor); return (struct level) { 0 };
		case MODIFIER: monocle__ecma_read_type_token (cursor); continue;
		case NUMBER: monocle__ecma_read_u (cursor); return (struct level) { 0 };
		case ARRAY: return (struct level) { .types_left = 1, .is_array = true };
		case INSTANCE: return read_instance_head (cursor);
		case METHOD: return read_method_head (cursor);
		default: fail (cursor, MONOCLE__ECMA_E_FORMAT); return (struct level) { 0 };
		}
	}
}

static void
skip_sentinel (monocle__ecma_cursor *cursor, struct level *level)
{
	if (level->may_sentinel && monocle__ecma_peek_byte (cursor) == MONOCLE__ET_SENTINEL) {
		monocle__ecma_read_byte (cursor);
		level->may_sentinel = false;
	}
}

static void
skip_levels (monocle__ecma_cursor *cursor, struct level outermost)
{
	struct level stack[TYPE_DEPTH_MAX];
	uint32_t depth = 1;
	stack[0] = outermost;
	while (depth && !cursor->error) {
		MONOCLE__INVARIANT (depth <= TYPE_DEPTH_MAX && cursor->at <= cursor->end);
		struct level *top = &stack[depth - 1];
		if (!top->types_left) {
			if (top->is_array)
				skip_array_shape (cursor);
			depth--;
			continue;
		}
		top->types_left--;
		skip_sentinel (cursor, top);
		struct level nested = read_type_head (cursor);
		if (!nested.types_left)
			continue;
		if (depth < TYPE_DEPTH_MAX)
			stack[depth++] = nested;
		else
			fail (cursor, MONOCLE__ECMA_E_FORMAT);
	}
}

void
monocle__ecma_skip_modifiers (monocle__ecma_cursor *cursor)
{
	while (monocle__ecma_peek_byte (cursor) == MONOCLE__ET_CMOD_REQD ||
	       monocle__ecma_peek_byte (cursor) == MONOCLE__ET_CMOD_OPT) {
		monocle__ecma_read_byte (cursor);
		monocle__ecma_read_type_token (cursor);
	}
}

void
monocle__ecma_skip_type (monocle__ecma_cursor *cursor)
{
	skip_levels (cursor, (struct level) { .types_left = 1 });
}

void
monocle__ecma_skip_method (monocle__ecma_cursor *cursor)
{
	skip_levels (cursor, read_method_head (cursor));
}

/* LocalVarSig (II.23.2.6), MethodSpec (II.23.2.15): a count of types. A property has a result before its parameters. */
void
monocle__ecma_skip_signature (monocle__ecma_cursor *cursor)
{
	struct level level = { .types_left = 1 };
	switch (monocle__ecma_peek_byte (cursor) & MONOCLE__SIG_KIND_MASK) {
	case MONOCLE__SIG_FIELD: monocle__ecma_read_byte (cursor); break;
	case MONOCLE__SIG_LOCALS:
	case MONOCLE__SIG_METHODSPEC:
		monocle__ecma_read_byte (cursor);
		level.types_left = monocle__ecma_read_u (cursor);
		break;
	case MONOCLE__SIG_PROPERTY:
		monocle__ecma_read_byte (cursor);
		level.types_left += monocle__ecma_read_u (cursor);
		break;
	default: level = read_method_head (cursor); break;
	}
	skip_levels (cursor, level);
}

uint32_t
monocle__ecma_write_u (uint8_t *out, uint32_t value)
{
	if (value < 0x80) {
		out[0] = (uint8_t) value;
		return 1;
	}
	if (value < 0x4000) {
		out[0] = (uint8_t) (0x80 | value >> 8);
		out[1] = (uint8_t) value;
		return 2;
	}
	if (value >= 0x20000000)
		return 0;
	out[0] = (uint8_t) (0xC0 | value >> 24);
	out[1] = (uint8_t) (value >> 16);
	out[2] = (uint8_t) (value >> 8);
	out[3] = (uint8_t) value;
	return 4;
}

uint32_t
monocle__ecma_write_type_token (uint8_t *out, uint32_t token)
{
	for (uint32_t tag = 0; tag < 3; tag++)
		if (type_token_tables[tag] == token >> 24)
			return monocle__ecma_write_u (out, (token & 0xFFFFFF) << 2 | tag);
	return 0;
}

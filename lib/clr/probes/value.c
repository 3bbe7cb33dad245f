/*
 * SPDX-License-Identifier: MIT
 *
 * value.c - see value.h.
 */
#include "value.h"
#include <string.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>
#include <monocle/host.h>
#include "attribute.h"
#include "tokens.h"

typedef monocle__rewriting job;

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
		m->parts |= MONOCLE__VALUE_REFERENCES;
	else if (kind == MONO_TYPE_R4 || kind == MONO_TYPE_R8)
		m->parts |= MONOCLE__VALUE_FLOATS;
	else if (kind == MONO_TYPE_VAR || kind == MONO_TYPE_MVAR)
		m->parts |= MONOCLE__VALUE_ANYTHING;
	else if (kind == MONO_TYPE_VALUETYPE || (klass && mono_class_is_valuetype (klass)))
		look_into (klass, m);
	else if (kind == MONO_TYPE_STRING || kind == MONO_TYPE_OBJECT || kind == MONO_TYPE_CLASS ||
	         kind == MONO_TYPE_ARRAY || kind == MONO_TYPE_SZARRAY || kind == MONO_TYPE_GENERICINST)
		m->parts |= MONOCLE__VALUE_REFERENCES;
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
		m->parts |= MONOCLE__VALUE_ANYTHING; /* its image is not known */
}

static void
look_into (MonoClass *klass, makeup *m)
{
	if (klass && mono_class_is_enum (klass))
		return;
	if (!klass || m->depth == DEPTH_MAX) {
		m->parts |= MONOCLE__VALUE_ANYTHING;
	} else if (is_vector (klass)) {
		m->parts |= MONOCLE__VALUE_FLOATS;
		m->fields += FIELDS_OF_VECTOR - 1;
	} else if (has_size_of_its_own (klass)) {
		m->is_large = true;
	} else {
		m->depth++;
		look_at_fields (klass, m);
		m->depth--;
	}
}

static void
make_up (MonoType *type, monocle__value *ret)
{
	makeup m = { 0 };
	look_at (type, &m);
	ret->is_large = m.is_large || m.fields > FIELDS_MAX;
	if (!ret->is_large)
		ret->parts = !m.parts && m.fields > REGISTERS_OF_RESULT ? MONOCLE__VALUE_FLOATS : m.parts;
}

/* --- where a signature has it ------------------------------------------------------------------------------------- */

/* GENERICINST is followed by what its definition is. */
static uint8_t
kind_at (monocle__ecma_cursor cursor)
{
	uint8_t kind = monocle__ecma_read_byte (&cursor);
	return kind == MONOCLE__ET_GENERICINST ? monocle__ecma_peek_byte (&cursor) : kind;
}

static bool
is_ref_struct (MonoType *type)
{
	MonoClass *klass = type && !mono_type_is_byref (type) ? mono_class_from_mono_type (type) : NULL;
	MonoImage *image = klass && mono_class_is_valuetype (klass) ? mono_class_get_image (klass) : NULL;
	monocle__describe_image *cli = image ? monocle__describe_image_of (image) : NULL;
	return cli && monocle__attribute_find (&cli->ecma, mono_class_get_type_token (klass),
	                                       "System.Runtime.CompilerServices", "IsByRefLikeAttribute");
}

/* The runtime takes modifiers and what is pinned in any order, against II.23.2.6. */
static void
skip_to_type (monocle__ecma_cursor *cursor)
{
	monocle__ecma_skip_modifiers (cursor);
	while (!cursor->error && monocle__ecma_peek_byte (cursor) == MONOCLE__ET_PINNED) {
		monocle__ecma_read_byte (cursor);
		monocle__ecma_skip_modifiers (cursor);
	}
}

monocle__value
monocle__value_read (job *j, monocle__ecma_cursor *cursor)
{
	MonoMethod *method = monocle_method_def (j->image->cli.record, j->token);
	skip_to_type (cursor);
	monocle__ecma_cursor begin = *cursor, type = *cursor;
	monocle__ecma_skip_type (cursor);
	if (cursor->error || monocle__ecma_peek_byte (&begin) == MONOCLE__ET_VOID)
		return (monocle__value) { .type = NULL };
	monocle__value value = { begin.at, (uint32_t) (cursor->at - begin.at), .kind = kind_at (begin) };
	MonoType *own = monocle__describe_read_type (&j->image->cli, &type, mono_method_get_class (method), method);
	make_up (own, &value);
	value.is_ref_struct = j->segments && (value.kind == MONOCLE__ET_VALUETYPE) && is_ref_struct (own);
	return value;
}

bool
monocle__value_open_signature (job *j, monocle__ecma_cursor *ret_cursor, uint32_t *ret_this, uint32_t *ret_params)
{
	if (!j->signature)
		return false;
	*ret_cursor = monocle__ecma_cursor_over (j->signature, j->signature_size);
	uint8_t kind = monocle__ecma_read_byte (ret_cursor);
	if (kind & MONOCLE__SIG_GENERIC)
		monocle__ecma_read_u (ret_cursor);
	*ret_params = monocle__ecma_read_u (ret_cursor);
	*ret_this = kind & MONOCLE__SIG_HASTHIS && !(kind & MONOCLE__SIG_EXPLICITTHIS);
	return !ret_cursor->error;
}

uint32_t
monocle__value_token (job *j, const monocle__value *value)
{
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (value->type, value->size);
	if (monocle__ecma_read_byte (&cursor) == MONOCLE__ET_VALUETYPE)
		return monocle__ecma_read_type_token (&cursor);
	return monocle__tokens_type_spec (j->image, value->type, value->size);
}

/* I.12.1, II.23.1.16. What is not here is a struct, or a type parameter: its size is the type's own. */
uint32_t
monocle__value_size (const monocle__value *value)
{
	/* clang-format off */
	static const uint8_t sizes[MONOCLE__ET_MVAR + 1] = {
		[MONOCLE__ET_BOOLEAN] = 1, [MONOCLE__ET_CHAR] = 2, [MONOCLE__ET_I1] = 1,      [MONOCLE__ET_U1] = 1,
		[MONOCLE__ET_I2] = 2,      [MONOCLE__ET_U2] = 2,   [MONOCLE__ET_I4] = 4,      [MONOCLE__ET_U4] = 4,
		[MONOCLE__ET_I8] = 8,      [MONOCLE__ET_U8] = 8,   [MONOCLE__ET_R4] = 4,      [MONOCLE__ET_R8] = 8,
		[MONOCLE__ET_STRING] = 8,  [MONOCLE__ET_PTR] = 8,  [MONOCLE__ET_BYREF] = 8,   [MONOCLE__ET_CLASS] = 8,
		[MONOCLE__ET_ARRAY] = 8,   [MONOCLE__ET_I] = 8,    [MONOCLE__ET_U] = 8,       [MONOCLE__ET_FNPTR] = 8,
		[MONOCLE__ET_OBJECT] = 8,  [MONOCLE__ET_SZARRAY] = 8, [MONOCLE__ET_TYPEDBYREF] = 16,
	};
	/* clang-format on */
	return value->kind < sizeof sizes ? sizes[value->kind] : 0;
}

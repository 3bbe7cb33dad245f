/*
 * SPDX-License-Identifier: MIT
 *
 * attribute-arguments.c - the blobs of custom attributes (ECMA-335 II.23.3), read by a cursor.
 *
 *   blob:   01 00, a value for each parameter of the constructor, count 2, then named arguments
 *   named:  53 field or 54 property, type, name, value
 *   value:  little-endian number; string: FF for null, or length and bytes; array: FFFFFFFF for null, or count 4 and
 *           values; of the type object: type, value
 *
 * What nests is arrays in objects in arrays, kept in a stack of fixed size. Every step consumes a byte or ends the
 * walk. Async-safe.
 */
#include <string.h>

#include "attribute-priv.h"
#include "tables.h"

enum { PROLOG = 0x0001, NULL_STRING = 0xFF, NULL_ARRAY = 0xFFFFFFFF };

/* Bytes of a number, 0 for what is none. */
static const uint8_t number_sizes[256] = {
	[MONOCLE__ET_BOOLEAN] = 1, [MONOCLE__ET_CHAR] = 2, [MONOCLE__ET_I1] = 1, [MONOCLE__ET_U1] = 1,
	[MONOCLE__ET_I2] = 2,      [MONOCLE__ET_U2] = 2,   [MONOCLE__ET_I4] = 4, [MONOCLE__ET_U4] = 4,
	[MONOCLE__ET_I8] = 8,      [MONOCLE__ET_U8] = 8,   [MONOCLE__ET_R4] = 4, [MONOCLE__ET_R8] = 8,
};

static int
refuse (monocle__attribute_reader *reader, int error)
{
	if (!reader->error)
		reader->error = error;
	return 0;
}

static bool
is_broken (monocle__attribute_reader *reader)
{
	if (reader->value.error)
		refuse (reader, reader->value.error);
	return reader->error != 0;
}

/* --- types -------------------------------------------------------------------------------------------------------- */

static monocle__attribute_type
enum_type (monocle__attribute_reader *reader, uint8_t underlying, bool is_array)
{
	if (!underlying)
		refuse (reader, MONOCLE__ECMA_E_RANGE);
	return (monocle__attribute_type) { .type = underlying, .is_array = is_array, .is_enum = true };
}

/* What is of the class's own type parameter has the type that the instance gives it, which is no parameter again. */
static bool
enter_instance (monocle__attribute_reader *reader, monocle__ecma_cursor *cursor)
{
	uint32_t index = monocle__ecma_read_u (cursor);
	monocle__ecma_cursor instance = reader->instance;
	while (index-- && !instance.error)
		monocle__ecma_skip_type (&instance);
	*cursor = instance;
	return !cursor->error;
}

static monocle__attribute_type
read_parameter_type (monocle__attribute_reader *reader, monocle__ecma_cursor *cursor)
{
	monocle__attribute_type type = { 0 };
	bool in_instance = false;
	for (;;) {
		uint8_t element = monocle__ecma_read_byte (cursor);
		if (number_sizes[element] || element == MONOCLE__ET_STRING) {
			type.type = element;
			return type;
		}
		switch (element) {
		case MONOCLE__ET_OBJECT: type.type = MONOCLE__ET_BOXED; return type;
		case MONOCLE__ET_CLASS:
			if (!monocle__attribute_type_is (reader->image, monocle__ecma_read_type_token (cursor), "System", "Type"))
				refuse (reader, MONOCLE__ECMA_E_FORMAT);
			type.type = MONOCLE__ET_TYPE;
			return type;
		case MONOCLE__ET_VALUETYPE: {
			uint32_t token = monocle__ecma_read_type_token (cursor);
			return enum_type (reader, monocle__attribute_enum_of_token (reader, token), type.is_array);
		}
		case MONOCLE__ET_CMOD_OPT:
		case MONOCLE__ET_CMOD_REQD: monocle__ecma_read_type_token (cursor); continue;
		case MONOCLE__ET_SZARRAY:
			if (!type.is_array) {
				type.is_array = true;
				continue;
			}
			break;
		case MONOCLE__ET_VAR:
			if (!in_instance && enter_instance (reader, cursor)) {
				in_instance = true;
				continue;
			}
			break;
		}
		refuse (reader, cursor->error ? cursor->error : MONOCLE__ECMA_E_FORMAT);
		return type;
	}
}

/* The next parameter's type; the cursor is moved over it apart, because reading may lead into the instance. */
static monocle__attribute_type
next_parameter (monocle__attribute_reader *reader)
{
	monocle__ecma_cursor cursor = reader->signature;
	monocle__attribute_type type = read_parameter_type (reader, &cursor);
	monocle__ecma_skip_type (&reader->signature);
	if (reader->signature.error)
		refuse (reader, reader->signature.error);
	return type;
}

/* A string's bytes, NULL for a null string. */
static const char *
read_string (monocle__attribute_reader *reader, uint32_t *ret_size)
{
	monocle__ecma_cursor *value = &reader->value;
	*ret_size = 0;
	if (monocle__ecma_peek_byte (value) == NULL_STRING) {
		value->at++;
		return NULL;
	}
	uint32_t size = monocle__ecma_read_u (value);
	if (is_broken (reader))
		return NULL;
	if (size > (size_t) (value->end - value->at)) {
		refuse (reader, MONOCLE__ECMA_E_TRUNCATED);
		return NULL;
	}
	value->at += size;
	*ret_size = size;
	return (const char *) value->at - size;
}

/* FieldOrPropType: the type of a named argument, or of what an object holds. */
static monocle__attribute_type
read_stored_type (monocle__attribute_reader *reader)
{
	monocle__attribute_type type = { 0 };
	uint8_t element = monocle__ecma_read_byte (&reader->value);
	if (element == MONOCLE__ET_SZARRAY) {
		type.is_array = true;
		element = monocle__ecma_read_byte (&reader->value);
	}
	if (element == MONOCLE__ET_ENUM) {
		uint32_t size;
		const char *name = read_string (reader, &size);
		if (name)
			return enum_type (reader, monocle__attribute_enum_of_name (reader, name, size), type.is_array);
	} else if (number_sizes[element] || element == MONOCLE__ET_STRING || element == MONOCLE__ET_TYPE ||
	           element == MONOCLE__ET_BOXED) {
		type.type = element;
		return type;
	}
	refuse (reader, reader->value.error ? reader->value.error : MONOCLE__ECMA_E_FORMAT);
	return type;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static uint64_t
read_bytes (monocle__attribute_reader *reader, uint32_t count)
{
	uint64_t bits = 0;
	for (uint32_t i = 0; i < count; i++)
		bits |= (uint64_t) monocle__ecma_read_byte (&reader->value) << (i * 8);
	return bits;
}

static int64_t
read_number (monocle__attribute_reader *reader, uint8_t type)
{
	uint64_t bits = read_bytes (reader, number_sizes[type]);
	switch (type) {
	case MONOCLE__ET_I1: return (int8_t) bits;
	case MONOCLE__ET_I2: return (int16_t) bits;
	case MONOCLE__ET_I4: return (int32_t) bits;
	default: return (int64_t) bits;
	}
}

static void
read_array (monocle__attribute_reader *reader, monocle__attribute_type type, monocle__attribute_argument *argument)
{
	uint32_t count = (uint32_t) read_bytes (reader, 4);
	argument->type = MONOCLE__ET_SZARRAY;
	argument->is_null = count == NULL_ARRAY;
	if (argument->is_null || is_broken (reader))
		return;
	argument->count = count;
	/* The smallest element is a byte: what cannot be there is not begun. */
	if (count > (size_t) (reader->value.end - reader->value.at))
		refuse (reader, MONOCLE__ECMA_E_TRUNCATED);
	else if (reader->depth == MONOCLE__ATTRIBUTE_DEPTH_MAX)
		refuse (reader, MONOCLE__ECMA_E_FORMAT);
	else {
		type.is_array = false;
		reader->arrays[reader->depth].type = type;
		reader->arrays[reader->depth].left = count;
		reader->depth++;
	}
}

static void
read_value (monocle__attribute_reader *reader, monocle__attribute_type type, monocle__attribute_argument *argument)
{
	/* An object in an object is one object more to open; each consumes its type. */
	while (type.type == MONOCLE__ET_BOXED && !type.is_array && !is_broken (reader))
		type = read_stored_type (reader);
	if (is_broken (reader))
		return;
	argument->type = type.type;
	argument->is_enum = type.is_enum;
	if (type.is_array)
		read_array (reader, type, argument);
	else if (number_sizes[type.type])
		argument->number = read_number (reader, type.type);
	else {
		argument->text = read_string (reader, &argument->text_size);
		argument->is_null = !argument->text;
	}
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static void
read_element (monocle__attribute_reader *reader, monocle__attribute_argument *argument)
{
	uint32_t top = reader->depth - 1;
	argument->role = MONOCLE__ARGUMENT_ELEMENT;
	argument->depth = (uint8_t) reader->depth;
	reader->arrays[top].left--;
	read_value (reader, reader->arrays[top].type, argument);
}

static void
read_named (monocle__attribute_reader *reader, monocle__attribute_argument *argument)
{
	uint8_t kind = monocle__ecma_read_byte (&reader->value);
	if (kind != MONOCLE__ET_FIELD && kind != MONOCLE__ET_PROPERTY)
		refuse (reader, reader->value.error ? reader->value.error : MONOCLE__ECMA_E_FORMAT);
	argument->role = kind == MONOCLE__ET_FIELD ? MONOCLE__ARGUMENT_FIELD : MONOCLE__ARGUMENT_PROPERTY;
	monocle__attribute_type type = read_stored_type (reader);
	argument->name = read_string (reader, &argument->name_size);
	if (!argument->name)
		refuse (reader, MONOCLE__ECMA_E_FORMAT);
	read_value (reader, type, argument);
}

/* Behind the values of the parameters; some writers leave a count of 0 out. */
static void
begin_named (monocle__attribute_reader *reader)
{
	reader->in_named = true;
	if (reader->value.at != reader->value.end)
		reader->named_left = (uint32_t) read_bytes (reader, 2);
}

int
monocle__attribute_next (monocle__attribute_reader *reader, monocle__attribute_argument *ret_argument)
{
	monocle__attribute_argument argument = { 0 };
	while (reader->depth && !reader->arrays[reader->depth - 1].left)
		reader->depth--;
	if (!reader->depth && !reader->fixed_left && !reader->in_named)
		begin_named (reader);
	if (is_broken (reader))
		return reader->error;
	if (reader->depth)
		read_element (reader, &argument);
	else if (reader->fixed_left) {
		reader->fixed_left--;
		read_value (reader, next_parameter (reader), &argument);
	} else if (reader->named_left) {
		reader->named_left--;
		read_named (reader, &argument);
	} else
		return 0;
	if (is_broken (reader))
		return reader->error;
	*ret_argument = argument;
	return 1;
}

/* Signature of the constructor up to its parameters, and the type arguments of its class. */
static int
open_constructor (monocle__attribute_reader *reader, uint32_t token)
{
	const monocle__ecma_image *image = reader->image;
	uint32_t table = token >> 24, rid = token & 0xFFFFFF, signature, parent = 0, size;
	bool is_reference = table == MONOCLE__TABLE_MemberRef;
	const uint8_t *data;
	if (!is_reference && table != MONOCLE__TABLE_MethodDef)
		return MONOCLE__ECMA_E_FORMAT;
	int error = monocle__ecma_column (
	    image, table, rid, is_reference ? MONOCLE__COL_MemberRef_Signature : MONOCLE__COL_MethodDef_Signature,
	    &signature);
	if (!error && is_reference)
		error = monocle__ecma_column (image, table, rid, MONOCLE__COL_MemberRef_Class, &parent);
	if (!error)
		error = monocle__ecma_blob (image, signature, &data, &size);
	if (error)
		return error;
	reader->signature = monocle__ecma_cursor_over (data, size);
	if (monocle__ecma_read_byte (&reader->signature) != MONOCLE__SIG_HASTHIS)
		return MONOCLE__ECMA_E_FORMAT;
	reader->fixed_left = monocle__ecma_read_u (&reader->signature);
	monocle__ecma_skip_type (&reader->signature); /* void */
	parent = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	if (is_reference && parent >> 24 == MONOCLE__TABLE_TypeSpec)
		monocle__attribute_generic_class (image, parent, &reader->instance);
	return reader->signature.error;
}

int
monocle__attribute_read (monocle__attribute_reader *ret_reader, const monocle__ecma_image *image,
                         const monocle__attribute *attribute, monocle__enum_resolver resolve, void *context)
{
	*ret_reader = (monocle__attribute_reader) {
		.image = image,
		.resolve = resolve,
		.context = context,
		.value = monocle__ecma_cursor_over (attribute->value, attribute->size),
	};
	int error = open_constructor (ret_reader, attribute->constructor_token);
	if (error || !attribute->size)
		return error;
	if (read_bytes (ret_reader, 2) != PROLOG)
		return ret_reader->value.error ? ret_reader->value.error : MONOCLE__ECMA_E_FORMAT;
	return 0;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * attribute-enum.c - the underlying types of enums that attributes name (ECMA-335 II.14.3, II.23.3). Async-safe.
 */
#include <string.h>

#include "attribute-priv.h"
#include "tables.h"

enum { FIELD_STATIC = 0x10 };

static bool
is_integer (uint8_t type)
{
	return type >= MONOCLE__ET_BOOLEAN && type <= MONOCLE__ET_U8;
}

/* The type of the one field that is not static, value__. */
static uint8_t
underlying_type (const monocle__ecma_image *image, uint32_t typedef_token)
{
	monocle__ecma_typedef type;
	if (monocle__ecma_get_typedef (image, typedef_token, &type))
		return 0;
	const monocle__ecma_table *fields = &image->tables[MONOCLE__TABLE_Field];
	for (uint32_t rid = type.first_field; rid < type.end_field; rid++) {
		const uint8_t *data;
		uint32_t size, signature = monocle__table_cell (fields, rid, MONOCLE__COL_Field_Signature);
		if (monocle__table_cell (fields, rid, MONOCLE__COL_Field_Flags) & FIELD_STATIC)
			continue;
		if (monocle__ecma_blob (image, signature, &data, &size) || size != 2 || data[0] != MONOCLE__SIG_FIELD)
			return 0;
		return is_integer (data[1]) ? data[1] : 0;
	}
	return 0;
}

static uint8_t
ask (const monocle__attribute_reader *reader, uint32_t token, const char *name, uint32_t size)
{
	if (!reader->resolve)
		return MONOCLE__ET_I4;
	uint8_t type = reader->resolve (reader->context, token, name, size);
	return is_integer (type) ? type : 0;
}

uint8_t
monocle__attribute_enum_of_token (const monocle__attribute_reader *reader, uint32_t token)
{
	switch (token >> 24) {
	case MONOCLE__TABLE_TypeDef: return underlying_type (reader->image, token);
	case MONOCLE__TABLE_TypeRef: return ask (reader, token, NULL, 0);
	default: return 0;
	}
}

/* --- names -------------------------------------------------------------------------------------------------------- */

struct text {
	const char *data;
	size_t size;
};

static bool
text_is (struct text text, const char *string)
{
	return string && strlen (string) == text.size && memcmp (string, text.data, text.size) == 0;
}

/* Takes what stands before `separator`, or everything, from the front of *rest. */
static struct text
take (struct text *rest, char separator)
{
	const char *end = rest->size ? memchr (rest->data, separator, rest->size) : NULL;
	struct text part = { rest->data, end ? (size_t) (end - rest->data) : rest->size };
	size_t taken = part.size + (end ? 1 : 0);
	rest->data += taken;
	rest->size -= taken;
	return part;
}

/* "Name.Space.Type" or, for a nested one, "Type". The name is compared first: it tells nearly all types apart. */
static bool
is_called (const monocle__ecma_image *image, uint32_t rid, struct text text, uint32_t enclosing)
{
	const monocle__ecma_table *types = &image->tables[MONOCLE__TABLE_TypeDef];
	const char *name = monocle__ecma_string (image, monocle__table_cell (types, rid, MONOCLE__COL_TypeDef_Name));
	size_t length = name ? strlen (name) : 0;
	if (!name || length > text.size || memcmp (text.data + (text.size - length), name, length) != 0 ||
	    monocle__ecma_enclosing (image, MONOCLE__TABLE_TypeDef << 24 | rid) != enclosing)
		return false;
	const char *space = monocle__ecma_string (image, monocle__table_cell (types, rid, MONOCLE__COL_TypeDef_Namespace));
	if (enclosing || !space || !*space)
		return length == text.size;
	size_t before = strlen (space);
	return text.size == before + 1 + length && text.data[before] == '.' && memcmp (text.data, space, before) == 0;
}

/* Enclosing types come before what nests in them, so that one pass over the types finds all parts of "A+B+C". */
static uint32_t
find_typedef (const monocle__ecma_image *image, struct text name)
{
	uint32_t found = 0;
	struct text part = take (&name, '+');
	for (uint32_t rid = 1; rid <= image->tables[MONOCLE__TABLE_TypeDef].rows; rid++) {
		if (!is_called (image, rid, part, found))
			continue;
		found = MONOCLE__TABLE_TypeDef << 24 | rid;
		if (!name.size)
			return found;
		part = take (&name, '+');
	}
	return 0;
}

/* "Type, Assembly, Version=..." or "Type" alone, which is of this image or of the core library. */
static uint32_t
find_own (const monocle__ecma_image *image, struct text name)
{
	monocle__ecma_assembly own;
	struct text type = take (&name, ',');
	while (name.size && *name.data == ' ')
		take (&name, ' ');
	struct text assembly = take (&name, ',');
	if (assembly.size && (monocle__ecma_get_assembly (image, &own) || !text_is (assembly, own.name)))
		return 0;
	return find_typedef (image, type);
}

uint8_t
monocle__attribute_enum_of_name (const monocle__attribute_reader *reader, const char *name, uint32_t size)
{
	uint32_t own = find_own (reader->image, (struct text) { name, size });
	return own ? underlying_type (reader->image, own) : ask (reader, 0, name, size);
}

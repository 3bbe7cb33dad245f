/*
 * SPDX-License-Identifier: MIT
 *
 * attribute.c - rows of custom attributes and their classes. Async-safe.
 */
#include "attribute.h"

#include <string.h>

#include "tables.h"

uint32_t
monocle__attribute_row (const monocle__ecma_image *image, uint32_t token, uint32_t after)
{
	uint32_t parent = monocle__coded_value (MONOCLE__CODED_HasCustomAttribute, token);
	if (!(token & 0xFFFFFF) || parent == UINT32_MAX)
		return 0;
	return monocle__table_find (image, MONOCLE__TABLE_CustomAttribute, MONOCLE__COL_CustomAttribute_Parent, parent,
	                            after + 1);
}

int
monocle__attribute_get (const monocle__ecma_image *image, uint32_t row, monocle__attribute *ret_attribute)
{
	const monocle__ecma_table *rows = &image->tables[MONOCLE__TABLE_CustomAttribute];
	if (row - 1 >= rows->rows)
		return MONOCLE__ECMA_E_RANGE;
	uint32_t parent = monocle__table_cell (rows, row, MONOCLE__COL_CustomAttribute_Parent);
	uint32_t constructor = monocle__table_cell (rows, row, MONOCLE__COL_CustomAttribute_Type);
	uint32_t value = monocle__table_cell (rows, row, MONOCLE__COL_CustomAttribute_Value);
	monocle__attribute attribute = {
		.parent_token = monocle__ecma_coded_token (MONOCLE__CODED_HasCustomAttribute, parent),
		.constructor_token = monocle__ecma_coded_token (MONOCLE__CODED_CustomAttributeType, constructor),
	};
	if (!attribute.parent_token || !attribute.constructor_token)
		return MONOCLE__ECMA_E_FORMAT;
	if (value) {
		int error = monocle__ecma_blob (image, value, &attribute.value, &attribute.size);
		if (error)
			return error;
	}
	*ret_attribute = attribute;
	return 0;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

/* TypeDef or TypeRef that a TypeSpec makes an instance of, or 0. */
static uint32_t
generic_class (const monocle__ecma_image *image, uint32_t spec)
{
	const uint8_t *data;
	uint32_t offset, size;
	if (monocle__ecma_column (image, MONOCLE__TABLE_TypeSpec, spec & 0xFFFFFF, MONOCLE__COL_TypeSpec_Signature,
	                          &offset) ||
	    monocle__ecma_blob (image, offset, &data, &size))
		return 0;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	if (monocle__ecma_read_byte (&cursor) != MONOCLE__ET_GENERICINST ||
	    monocle__ecma_read_byte (&cursor) != MONOCLE__ET_CLASS)
		return 0;
	uint32_t class_token = monocle__ecma_read_type_token (&cursor);
	monocle__ecma_read_u (&cursor);
	return cursor.error || class_token >> 24 == MONOCLE__TABLE_TypeSpec ? 0 : class_token;
}

/* The class whose instance it is: a TypeDef or a TypeRef, or 0. */
static uint32_t
class_of (const monocle__ecma_image *image, const monocle__attribute *attribute)
{
	uint32_t token = attribute->constructor_token, parent;
	if (token >> 24 == MONOCLE__TABLE_MethodDef)
		return monocle__ecma_method_owner (image, token);
	if (token >> 24 != MONOCLE__TABLE_MemberRef ||
	    monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, token & 0xFFFFFF, MONOCLE__COL_MemberRef_Class, &parent))
		return 0;
	parent = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	switch (parent >> 24) {
	case MONOCLE__TABLE_TypeDef:
	case MONOCLE__TABLE_TypeRef: return parent;
	case MONOCLE__TABLE_TypeSpec: return generic_class (image, parent);
	default: return 0;
	}
}

/* Whether a TypeDef or TypeRef has these names. */
static bool
type_is (const monocle__ecma_image *image, uint32_t token, const char *name_space, const char *name)
{
	const char *found_name, *found_space;
	uint32_t table = token >> 24, rid = token & 0xFFFFFF, scope, name_at, space_at;
	if (table == MONOCLE__TABLE_TypeRef) {
		if (monocle__ecma_get_typeref (image, token, &found_name, &found_space, &scope))
			return false;
	} else {
		if (table != MONOCLE__TABLE_TypeDef ||
		    monocle__ecma_column (image, table, rid, MONOCLE__COL_TypeDef_Name, &name_at) ||
		    monocle__ecma_column (image, table, rid, MONOCLE__COL_TypeDef_Namespace, &space_at))
			return false;
		found_name = monocle__ecma_string (image, name_at);
		found_space = monocle__ecma_string (image, space_at);
	}
	return found_name && found_space && strcmp (found_name, name) == 0 && strcmp (found_space, name_space) == 0;
}

uint32_t
monocle__attribute_find (const monocle__ecma_image *image, uint32_t token, const char *name_space, const char *name)
{
	for (uint32_t row = 0; (row = monocle__attribute_row (image, token, row));) {
		monocle__attribute attribute;
		if (monocle__attribute_get (image, row, &attribute) == 0 &&
		    type_is (image, class_of (image, &attribute), name_space ? name_space : "", name))
			return row;
	}
	return 0;
}

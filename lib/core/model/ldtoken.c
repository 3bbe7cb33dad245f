/*
 * SPDX-License-Identifier: MIT
 *
 * ldtoken.c - what the IL instruction ldtoken loads: the type, method or field of any token (ECMA-335 III.4.17).
 *
 * Normal context: resolving may make records and look into other images.
 */
#include "class.h"
#include "metadata.h"

enum { ROW_MASK = 0xffffff, FIELD_SIGNATURE = 0x6 };

/* The class that a handle of this kind has in C#. */
static void
set_handle_class (MonoClass **ret_class, uint32_t table)
{
	static _Atomic (MonoClass *) types, methods, fields;
	if (!ret_class)
		return;
	switch (table) {
	case MONO_TOKEN_FIELD_DEF: *ret_class = monocle__class_of_corlib (&fields, "System", "RuntimeFieldHandle"); break;
	case MONO_TOKEN_METHOD_DEF:
		*ret_class = monocle__class_of_corlib (&methods, "System", "RuntimeMethodHandle");
		break;
	default: *ret_class = monocle__class_of_corlib (&types, "System", "RuntimeTypeHandle"); break;
	}
}

/* A MemberRef's signature says which it is. */
static bool
is_field_reference (MonoImage *image, uint32_t row)
{
	uint32_t size = 0, blob = monocle__metadata_cell (image, MONO_TABLE_MEMBERREF, row, MONO_MEMBERREF_SIGNATURE);
	const uint8_t *bytes = monocle__metadata_heap (image, MONOCLE_HEAP_BLOB, blob, &size);
	return bytes && size && *bytes == FIELD_SIGNATURE;
}

static void *
load_type (MonoImage *image, uint32_t token, MonoGenericContext *context)
{
	MonoType *type = (token & ~(uint32_t) ROW_MASK) == MONO_TOKEN_TYPE_SPEC
	                   ? mono_type_create_from_typespec (image, token)
	                   : monocle_type (mono_class_get (image, token));
	return type ? mono_class_inflate_generic_type (type, context) : NULL;
}

void *
mono_ldtoken (MonoImage *image, uint32_t token, MonoClass **retclass, MonoGenericContext *context)
{
	uint32_t table = token & ~(uint32_t) ROW_MASK;
	void *result = NULL;
	if (!image || !(token & ROW_MASK))
		return NULL;
	switch (table) {
	case MONO_TOKEN_TYPE_DEF:
	case MONO_TOKEN_TYPE_REF:
	case MONO_TOKEN_TYPE_SPEC: result = load_type (image, token, context); break;
	case MONO_TOKEN_FIELD_DEF: result = mono_field_from_token (image, token, NULL, context); break;
	case MONO_TOKEN_METHOD_DEF:
	case MONO_TOKEN_METHOD_SPEC:
		table = MONO_TOKEN_METHOD_DEF;
		result = mono_get_method_full (image, token, NULL, context);
		break;
	case MONO_TOKEN_MEMBER_REF:
		table = is_field_reference (image, token & ROW_MASK) ? MONO_TOKEN_FIELD_DEF : MONO_TOKEN_METHOD_DEF;
		result = table == MONO_TOKEN_FIELD_DEF ? (void *) mono_field_from_token (image, token, NULL, context)
		                                       : mono_get_method_full (image, token, NULL, context);
		break;
	default: break;
	}
	if (result)
		set_handle_class (retclass, table);
	return result;
}

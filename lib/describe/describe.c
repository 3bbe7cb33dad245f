/*
 * SPDX-License-Identifier: MIT
 *
 * describe.c - what images, classes and methods are called and what they are, from the tables.
 *
 * An image that is not readable is its owner's to describe, and so are rows that an edit added to another one. After
 * one is unloaded the answer is MONOCLE_E_UNKNOWN; the core has copied what it had by then.
 */
#include <string.h>
#include "describe-priv.h"

enum { NATIVE_ENTRY_POINT = 0x10 }; /* II.25.3.3.1: then it is not a token */

/* The operations for an image that is not readable; NULL: there are none. */
static const monocle__describe_unreadable *
unreadable (void)
{
	return monocle__describe_owner_now->unreadable;
}

bool
monocle__describe_is_added (const monocle__describe_image *image, uint32_t token)
{
	return (token & 0xFFFFFF) > monocle__ecma_rows (&image->ecma, token >> 24);
}

/* The same for a token, where the image says nothing of it. */
static const monocle__describe_unreadable *
unreadable_for (const monocle__describe_image *image, uint32_t token)
{
	return image && !monocle__describe_is_added (image, token) ? NULL : unreadable ();
}

static void
describe_module (const monocle__ecma_image *ecma, monocle__describe_scratch *scratch, monocle_image_info *ret)
{
	uint32_t name;
	ret->guid = monocle__ecma_mvid (ecma, scratch->guid) == 0 ? scratch->guid : NULL;
	for (uint32_t table = 0; table < MONOCLE__TABLE_COUNT; table++)
		scratch->rows[table] = monocle__ecma_rows (ecma, table);
	ret->table_rows = scratch->rows;
	if (monocle__ecma_column (ecma, MONOCLE__TABLE_Module, 1, MONOCLE__COL_Module_Name, &name) == 0)
		ret->module_name = monocle__ecma_string (ecma, name);
	ret->entry_point = ecma->cli_flags & NATIVE_ENTRY_POINT ? 0 : ecma->entry_point_token;
}

static int
describe_image (void *host, MonoImage *record, monocle_image_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	monocle__describe_scratch *scratch = image ? monocle__describe_owner_now->scratch () : NULL;
	monocle__ecma_assembly assembly;
	if (!image && unreadable ())
		return unreadable ()->describe_image (record, ret);
	if (!scratch || monocle__ecma_get_assembly (&image->ecma, &assembly))
		return MONOCLE_E_UNKNOWN;
	ret->assembly_name = assembly.name;
	memcpy (ret->version, assembly.version, sizeof ret->version);
	ret->culture = assembly.culture ? assembly.culture : "";
	ret->flags = assembly.flags;
	ret->has_public_key_token = assembly.public_key_size != 0;
	if (ret->has_public_key_token)
		monocle__ecma_public_key_token (assembly.public_key, assembly.public_key_size, ret->public_key_token);
	ret->public_key = assembly.public_key;
	ret->public_key_size = assembly.public_key_size;
	describe_module (&image->ecma, scratch, ret);
	return MONOCLE_OK;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

/* Corlib's own names of what signatures spell with one byte. */
/* clang-format off */
static const struct { const char *name; uint8_t element; } primitives[] = {
#define MONOCLE__PRIMITIVE(code, class_name, keyword, valuetype, class_flags) { class_name, MONO_TYPE_##code },
#include "primitives.def"
};
/* clang-format on */

monocle__describe_base
monocle__describe_base_named (const char *name_space, const char *name)
{
	if (strcmp (name_space, "System") != 0)
		return MONOCLE__BASE_OTHER;
	if (strcmp (name, "Enum") == 0)
		return MONOCLE__BASE_ENUM;
	return strcmp (name, "ValueType") == 0 ? MONOCLE__BASE_VALUETYPE : MONOCLE__BASE_OTHER;
}

static monocle__describe_base
base_of (monocle__describe_image *image, uint32_t token)
{
	monocle__ecma_typedef row;
	const char *name, *name_space;
	uint32_t scope;
	if (token >> 24 == MONOCLE__TABLE_TypeDef && monocle__ecma_get_typedef (&image->ecma, token, &row) == 0)
		return monocle__describe_base_named (row.name_space, row.name);
	if (token >> 24 == MONOCLE__TABLE_TypeRef &&
	    monocle__ecma_get_typeref (&image->ecma, token, &name, &name_space, &scope) == 0)
		return monocle__describe_base_named (name_space, name);
	return MONOCLE__BASE_OTHER;
}

/* System.Enum is a class, though its base is System.ValueType. */
static uint32_t
element_type (monocle__describe_image *image, const monocle__ecma_typedef *row, monocle__describe_base base)
{
	bool is_corlibs = image->is_corlib && !row->enclosing_token && strcmp (row->name_space, "System") == 0;
	for (size_t i = 0; is_corlibs && i < sizeof primitives / sizeof *primitives; i++)
		if (strcmp (row->name, primitives[i].name) == 0)
			return primitives[i].element;
	if (base == MONOCLE__BASE_OTHER || (is_corlibs && strcmp (row->name, "Enum") == 0))
		return MONO_TYPE_CLASS;
	return MONO_TYPE_VALUETYPE;
}

/* The type of an enum's one instance field (ECMA-335 II.14.3), from its signature: 0x06, element type. */
static uint32_t
enum_base (monocle__describe_image *image, const monocle__ecma_typedef *row)
{
	for (uint32_t rid = row->first_field; rid < row->end_field; rid++) {
		uint32_t name;
		monocle__ecma_cursor cursor;
		if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Name, &name) ||
		    !monocle__describe_blob (image, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Signature, &cursor))
			return 0;
		const char *text = monocle__ecma_string (&image->ecma, name);
		if (!text || strcmp (text, "value__"))
			continue;
		monocle__ecma_read_byte (&cursor);
		return monocle__ecma_read_byte (&cursor);
	}
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (mono_class_get_image (klass));
	monocle__ecma_typedef row;
	const monocle__describe_unreadable *owner = unreadable_for (image, monocle_class_token (klass));
	if (owner)
		return owner->describe_class (klass, ret);
	if (!image || monocle__ecma_get_typedef (&image->ecma, monocle_class_token (klass), &row))
		return MONOCLE_E_UNKNOWN;
	ret->name = row.name;
	ret->name_space = row.name_space;
	ret->flags = row.flags;
	ret->nesting = row.enclosing_token ? monocle_class_def (image->record, row.enclosing_token) : NULL;
	ret->generic_params = row.generic_params;
	monocle__describe_base base = base_of (image, row.extends_token);
	ret->element_type = element_type (image, &row, base);
	if (base == MONOCLE__BASE_ENUM)
		ret->enum_base = enum_base (image, &row);
	return MONOCLE_OK;
}

static MonoClass *
class_parent (void *host, MonoClass *klass)
{
	monocle__describe_image *image = monocle__describe_image_of (mono_class_get_image (klass));
	monocle__ecma_typedef row;
	const monocle__describe_unreadable *owner = unreadable_for (image, monocle_class_token (klass));
	if (owner)
		return owner->class_parent (klass);
	if (!image || monocle__ecma_get_typedef (&image->ecma, monocle_class_token (klass), &row) || !row.extends_token)
		return NULL;
	return monocle__describe_class (image, row.extends_token, klass, NULL, 0);
}

static MonoClass *
class_from_name (void *host, MonoImage *record, const char *name_space, const char *name)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	return image ? monocle__describe_find_class (image, name_space, name) : NULL;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	uint32_t token = monocle_method_token (method);
	monocle__ecma_methoddef row;
	const monocle__describe_unreadable *owner = unreadable_for (image, token);
	if (owner)
		return owner->describe_method (method, ret);
	if (!image || monocle__ecma_get_methoddef (&image->ecma, token, &row))
		return MONOCLE_E_UNKNOWN;
	ret->name = row.name;
	ret->flags = row.flags;
	ret->iflags = row.iflags;
	ret->klass = monocle_class_def (image->record, monocle__ecma_method_owner (&image->ecma, token));
	ret->generic_params = monocle__ecma_generic_params (&image->ecma, token);
	return MONOCLE_OK;
}

static int
describe_signature (void *host, MonoMethod *instance, monocle_signature_info *ret)
{
	MonoMethod *method = monocle_method_definition (instance);
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	monocle__ecma_cursor cursor;
	const monocle__describe_unreadable *owner = unreadable_for (image, monocle_method_token (method));
	if (owner)
		return owner->describe_signature (method, ret);
	if (!image || !monocle__describe_blob (image, MONOCLE__TABLE_MethodDef, monocle_method_token (method) & 0xFFFFFF,
	                                       MONOCLE__COL_MethodDef_Signature, &cursor))
		return MONOCLE_E_UNKNOWN;
	return monocle__describe_read_signature (image, &cursor, mono_method_get_class (method), method, ret);
}

static const char *
generic_param_name (void *host, MonoClass *klass, MonoMethod *method, uint32_t index)
{
	MonoImage *record = method ? monocle_method_image (method) : mono_class_get_image (klass);
	uint32_t token = method ? monocle_method_token (method) : monocle_class_token (klass);
	monocle__describe_image *image = monocle__describe_image_of (record);
	const monocle__describe_unreadable *owner = unreadable_for (image, token);
	if (owner)
		return owner->generic_param_name (klass, method, index);
	return image ? monocle__ecma_generic_param_name (&image->ecma, token, index) : NULL;
}

void
monocle__describe_describe_ops (monocle_host_ops *ops)
{
	ops->describe_image = describe_image;
	ops->describe_class = describe_class;
	ops->describe_method = describe_method;
	ops->describe_signature = describe_signature;
	ops->generic_param_name = generic_param_name;
	ops->class_parent = class_parent;
	ops->class_from_name = class_from_name;
}

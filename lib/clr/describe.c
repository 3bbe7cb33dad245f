/*
 * SPDX-License-Identifier: MIT
 *
 * describe.c - the core's questions about records, answered from the mapped metadata. No call of the runtime is made,
 * so any context will do. After an image is unloaded the answer is MONOCLE_E_UNKNOWN; the core has copied what it had
 * by then.
 */
#include <stdio.h>
#include <string.h>
#include "clr.h"

static monocle__clr_image *
readable_image (MonoImage *record)
{
	monocle__clr_image *image = monocle__clr_image_of (record);
	return image && image->readable ? image : NULL;
}

static int
describe_image (void *host, MonoImage *record, monocle_image_info *ret)
{
	monocle__scratch *scratch = monocle__thread_scratch ();
	monocle__clr_image *image = readable_image (record);
	monocle__ecma_assembly assembly;
	if (!scratch || !image || monocle__ecma_get_assembly (&image->ecma, &assembly))
		return MONOCLE_E_UNKNOWN;
	ret->assembly_name = assembly.name;
	memcpy (ret->version, assembly.version, sizeof ret->version);
	ret->culture = assembly.culture ? assembly.culture : "";
	ret->flags = assembly.flags;
	ret->has_public_key_token = assembly.public_key_size != 0;
	if (ret->has_public_key_token)
		monocle__ecma_public_key_token (assembly.public_key, assembly.public_key_size, ret->public_key_token);
	ret->guid = monocle__ecma_mvid (&image->ecma, scratch->guid) == 0 ? scratch->guid : NULL;
	for (uint32_t table = 0; table < MONOCLE__TABLE_COUNT; table++)
		scratch->rows[table] = monocle__ecma_rows (&image->ecma, table);
	ret->table_rows = scratch->rows;
	return MONOCLE_OK;
}

/* Corlib's own names of what signatures spell with one byte. */
static const struct { const char *name; uint8_t element; } primitives[] = {
	{ "Void",    MONOCLE__ET_VOID   }, { "Boolean", MONOCLE__ET_BOOLEAN    }, { "Char",   MONOCLE__ET_CHAR   },
	{ "SByte",   MONOCLE__ET_I1     }, { "Byte",    MONOCLE__ET_U1         }, { "Int16",  MONOCLE__ET_I2     },
	{ "UInt16",  MONOCLE__ET_U2     }, { "Int32",   MONOCLE__ET_I4         }, { "UInt32", MONOCLE__ET_U4     },
	{ "Int64",   MONOCLE__ET_I8     }, { "UInt64",  MONOCLE__ET_U8         }, { "Single", MONOCLE__ET_R4     },
	{ "Double",  MONOCLE__ET_R8     }, { "String",  MONOCLE__ET_STRING     }, { "Object", MONOCLE__ET_OBJECT },
	{ "IntPtr",  MONOCLE__ET_I      }, { "UIntPtr", MONOCLE__ET_U          },
	{ "TypedReference", MONOCLE__ET_TYPEDBYREF },
};

static bool
names_type (monocle__clr_image *image, uint32_t token, const char *name)
{
	monocle__ecma_typedef row;
	const char *type_name = NULL, *name_space = NULL;
	uint32_t scope;
	if (token >> 24 == 0x02 && monocle__ecma_get_typedef (&image->ecma, token, &row) == 0) {
		type_name = row.name;
		name_space = row.name_space;
	} else if (token >> 24 != 0x01 ||
	           monocle__ecma_get_typeref (&image->ecma, token, &type_name, &name_space, &scope)) {
		return false;
	}
	return strcmp (type_name, name) == 0 && strcmp (name_space, "System") == 0;
}

static uint32_t
element_type (monocle__clr_image *image, const monocle__ecma_typedef *row)
{
	bool in_system = strcmp (row->name_space, "System") == 0;
	for (size_t i = 0; image->is_corlib && in_system && i < sizeof primitives / sizeof *primitives; i++)
		if (strcmp (row->name, primitives[i].name) == 0)
			return primitives[i].element;
	if (names_type (image, row->extends_token, "Enum"))
		return MONOCLE__ET_VALUETYPE;
	bool is_enum_itself = image->is_corlib && in_system && strcmp (row->name, "Enum") == 0;
	return !is_enum_itself && names_type (image, row->extends_token, "ValueType") ? MONOCLE__ET_VALUETYPE
	                                                                              : MONOCLE__ET_CLASS;
}

/* The type of an enum's one instance field (ECMA-335 II.14.3), from its signature: 0x06, element type. */
static uint32_t
enum_base (monocle__clr_image *image, const monocle__ecma_typedef *row)
{
	for (uint32_t rid = row->first_field; rid < row->end_field; rid++) {
		uint32_t name, blob, size;
		const uint8_t *data;
		if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Name, &name)
		    || monocle__ecma_column (&image->ecma, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Signature, &blob))
			return 0;
		const char *text = monocle__ecma_string (&image->ecma, name);
		if (text && strcmp (text, "value__") == 0 && monocle__ecma_blob (&image->ecma, blob, &data, &size) == 0 &&
		    size >= 2)
			return data[1];
	}
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	monocle__clr_image *image = readable_image (mono_class_get_image (klass));
	uint32_t token = monocle_class_token (klass);
	monocle__ecma_typedef row;
	if (!image || monocle__ecma_get_typedef (&image->ecma, token, &row))
		return MONOCLE_E_UNKNOWN;
	ret->name = row.name;
	ret->name_space = row.name_space;
	ret->flags = row.flags;
	ret->nesting = row.enclosing_token ? monocle_class_def (image->record, row.enclosing_token) : NULL;
	ret->generic_params = row.generic_params;
	ret->element_type = element_type (image, &row);
	if (names_type (image, row.extends_token, "Enum"))
		ret->enum_base = enum_base (image, &row);
	return MONOCLE_OK;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret)
{
	monocle__clr_image *image = readable_image (monocle_method_image (method));
	monocle__ecma_methoddef row;
	if (!image || monocle__ecma_get_methoddef (&image->ecma, monocle_method_token (method), &row))
		return MONOCLE_E_UNKNOWN;
	ret->name = row.name;
	ret->flags = row.flags;
	ret->iflags = row.iflags;
	ret->klass = monocle_class_def (image->record, row.declaring_token);
	ret->generic_params = row.generic_params;
	return MONOCLE_OK;
}

static int
read_parameters (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoMethod *method, MonoType **params,
                 uint32_t count)
{
	MonoClass *owner = mono_method_get_class (method);
	for (uint32_t i = 0; i < count; i++) {
		if (monocle__ecma_peek_byte (cursor) == MONOCLE__ET_SENTINEL)
			monocle__ecma_read_byte (cursor);
		params[i] = monocle__clr_read_type (image, cursor, owner, method);
		if (!params[i])
			return MONOCLE_E_UNKNOWN;
	}
	return MONOCLE_OK;
}

static int
describe_signature (void *host, MonoMethod *instance, monocle_signature_info *ret)
{
	monocle__scratch *scratch = monocle__thread_scratch ();
	MonoMethod *method = monocle_method_definition (instance);
	monocle__clr_image *image = readable_image (monocle_method_image (method));
	monocle__ecma_methoddef row;
	const uint8_t *data;
	uint32_t size;
	if (!scratch || !image || monocle__ecma_get_methoddef (&image->ecma, monocle_method_token (method), &row)
	    || monocle__ecma_blob (&image->ecma, row.signature, &data, &size))
		return MONOCLE_E_UNKNOWN;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	uint8_t convention = monocle__ecma_read_byte (&cursor);
	ret->call_convention = convention & 0x0F;
	ret->has_this = (convention & 0x20) != 0;
	ret->explicit_this = (convention & 0x40) != 0;
	ret->generic_params = convention & 0x10 ? monocle__ecma_read_u (&cursor) : 0;
	ret->param_count = monocle__ecma_read_u (&cursor);
	if (cursor.error || ret->param_count > MONOCLE__PARAMS_MAX)
		return MONOCLE_E_UNKNOWN;
	ret->ret = monocle__clr_read_type (image, &cursor, mono_method_get_class (method), method);
	ret->params = scratch->params;
	return ret->ret ? read_parameters (image, &cursor, method, scratch->params, ret->param_count) : MONOCLE_E_UNKNOWN;
}

static const char *
generic_param_name (void *host, MonoClass *klass, MonoMethod *method, uint32_t index)
{
	monocle__clr_image *image = readable_image (method ? monocle_method_image (method) : mono_class_get_image (klass));
	if (!image)
		return NULL;
	return monocle__ecma_generic_param_name (
	    &image->ecma, method ? monocle_method_token (method) : monocle_class_token (klass), index);
}

static MonoClass *
class_parent (void *host, MonoClass *klass)
{
	monocle__clr_image *image = readable_image (mono_class_get_image (klass));
	monocle__ecma_typedef row;
	if (!image || monocle__ecma_get_typedef (&image->ecma, monocle_class_token (klass), &row) || !row.extends_token)
		return NULL;
	return monocle__clr_class_of_token (image, row.extends_token, klass, NULL);
}

static MonoClass *
class_from_name (void *host, MonoImage *record, const char *name_space, const char *name)
{
	monocle__clr_image *image = readable_image (record);
	uint32_t token = image ? monocle__ecma_find_typedef (&image->ecma, name_space, name) : 0;
	return token ? monocle_class_def (record, token) : NULL;
}

/* The first word of an object is its type handle, which is its ClassID; the low bits are the collector's. */
static MonoClass *
object_class (void *host, MonoObject *object)
{
	return object ? monocle__clr_class (*(const uintptr_t *) object & ~(uintptr_t) 7) : NULL;
}

static uint64_t
object_size (void *host, MonoObject *object)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	SIZE_T size = 0;
	return object && info->vtbl->GetObjectSize2 (info, (ObjectID) object, &size) >= 0 ? size : 0;
}

static int
gc_max_generation (void *host)
{
	return 2;
}

void
monocle__clr_fill_ops (monocle_host_ops *ops)
{
	ops->describe_image = describe_image;
	ops->describe_class = describe_class;
	ops->describe_method = describe_method;
	ops->describe_signature = describe_signature;
	ops->generic_param_name = generic_param_name;
	ops->class_parent = class_parent;
	ops->class_from_name = class_from_name;
	ops->object_class = object_class;
	ops->object_size = object_size;
	ops->gc_max_generation = gc_max_generation;
}

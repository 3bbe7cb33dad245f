/*
 * SPDX-License-Identifier: MIT
 *
 * attribute-api.c - custom attributes as Mono's public functions list them.
 *
 * A list is one allocation that belongs to the caller; the blobs in it are the image's. Attributes whose constructor
 * cannot be told, because its image is not loaded, are left out. Normal context. ECMA-335 II.22.10.
 */
#include <stdlib.h>
#include <mono/metadata/reflection.h>
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "method.h"

enum { ATTRIBUTE_LIMIT = 1 << 16, PARAM_LIMIT = 65536 };

/* Attribute `index` of a token: MONOCLE_OK, MONOCLE_E_UNKNOWN for one that cannot be told, or another: the end. */
static int
describe (MonoImage *image, uint32_t token, uint32_t index, MonoCustomAttrEntry *ret_entry)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle_attribute_info info = { .size = sizeof info };
	int result = ops->describe_attribute (ops->host, image, token, index, &info);
	if (result)
		return result;
	*ret_entry = (MonoCustomAttrEntry) { info.constructor, info.data_size, info.data };
	return info.constructor ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

/* How many can be told; with a list they are put into it, no more than it has room for. */
static int
fill (MonoImage *image, uint32_t token, MonoCustomAttrInfo *list, int room)
{
	MonoCustomAttrEntry entry;
	int count = 0;
	for (uint32_t i = 0; i < ATTRIBUTE_LIMIT && count < room; i++) {
		int result = describe (image, token, i, &entry);
		if (result == MONOCLE_OK) {
			if (list)
				list->attrs[count] = entry;
			count++;
		} else if (result != MONOCLE_E_UNKNOWN) {
			break;
		}
	}
	return count;
}

static MonoCustomAttrInfo *
list_of (MonoImage *image, uint32_t token)
{
	if (!image || !token || !monocle__host_ops ()->describe_attribute || !monocle__image_ask_begin (image))
		return NULL;
	int count = fill (image, token, NULL, ATTRIBUTE_LIMIT);
	MonoCustomAttrInfo *list =
	    count ? calloc (1, MONO_SIZEOF_CUSTOM_ATTR_INFO + (size_t) count * sizeof *list->attrs) : NULL;
	if (list) {
		list->image = image;
		list->num_attrs = fill (image, token, list, count);
	}
	monocle__image_ask_end (image);
	return list;
}

/* --- of each kind of thing ---------------------------------------------------------------------------------------- */

/* II.24.2.6, HasCustomAttribute; the tag is the position. */
static const uint32_t parents[] = {
	[MONO_CUSTOM_ATTR_METHODDEF] = MONO_TOKEN_METHOD_DEF,
	[MONO_CUSTOM_ATTR_FIELDDEF] = MONO_TOKEN_FIELD_DEF,
	[MONO_CUSTOM_ATTR_TYPEREF] = MONO_TOKEN_TYPE_REF,
	[MONO_CUSTOM_ATTR_TYPEDEF] = MONO_TOKEN_TYPE_DEF,
	[MONO_CUSTOM_ATTR_PARAMDEF] = MONO_TOKEN_PARAM_DEF,
	[MONO_CUSTOM_ATTR_INTERFACE] = MONO_TOKEN_INTERFACE_IMPL,
	[MONO_CUSTOM_ATTR_MEMBERREF] = MONO_TOKEN_MEMBER_REF,
	[MONO_CUSTOM_ATTR_MODULE] = MONO_TOKEN_MODULE,
	[MONO_CUSTOM_ATTR_PERMISSION] = MONO_TOKEN_PERMISSION,
	[MONO_CUSTOM_ATTR_PROPERTY] = MONO_TOKEN_PROPERTY,
	[MONO_CUSTOM_ATTR_EVENT] = MONO_TOKEN_EVENT,
	[MONO_CUSTOM_ATTR_SIGNATURE] = MONO_TOKEN_SIGNATURE,
	[MONO_CUSTOM_ATTR_MODULEREF] = MONO_TOKEN_MODULE_REF,
	[MONO_CUSTOM_ATTR_TYPESPEC] = MONO_TOKEN_TYPE_SPEC,
	[MONO_CUSTOM_ATTR_ASSEMBLY] = MONO_TOKEN_ASSEMBLY,
	[MONO_CUSTOM_ATTR_ASSEMBLYREF] = MONO_TOKEN_ASSEMBLY_REF,
	[MONO_CUSTOM_ATTR_FILE] = MONO_TOKEN_FILE,
	[MONO_CUSTOM_ATTR_EXP_TYPE] = MONO_TOKEN_EXPORTED_TYPE,
	[MONO_CUSTOM_ATTR_MANIFEST] = MONO_TOKEN_MANIFEST_RESOURCE,
	[MONO_CUSTOM_ATTR_GENERICPAR] = MONO_TOKEN_GENERIC_PARAM,
	[MONO_CUSTOM_ATTR_GENERICPARAMCONSTRAINT] = (uint32_t) MONO_TABLE_GENERICPARAMCONSTRAINT << 24,
};

MonoCustomAttrInfo *
mono_custom_attrs_from_index (MonoImage *image, uint32_t idx)
{
	uint32_t tag = idx & MONO_CUSTOM_ATTR_MASK, row = idx >> MONO_CUSTOM_ATTR_BITS;
	return row && tag < sizeof parents / sizeof *parents ? list_of (image, parents[tag] | row) : NULL;
}

MonoCustomAttrInfo *
mono_custom_attrs_from_method (MonoMethod *method)
{
	return list_of (monocle_method_image (method), monocle_method_token (method));
}

MonoCustomAttrInfo *
mono_custom_attrs_from_class (MonoClass *klass)
{
	return list_of (monocle__class_image (klass), mono_class_get_type_token (klass));
}

MonoCustomAttrInfo *
mono_custom_attrs_from_assembly (MonoAssembly *assembly)
{
	return list_of (mono_assembly_get_image (assembly), MONO_TOKEN_ASSEMBLY | 1);
}

MonoCustomAttrInfo *
mono_custom_attrs_from_property (MonoClass *klass, MonoProperty *property)
{
	return list_of (monocle__class_image (klass), mono_class_get_property_token (property));
}

MonoCustomAttrInfo *
mono_custom_attrs_from_event (MonoClass *klass, MonoEvent *event)
{
	return list_of (monocle__class_image (klass), mono_class_get_event_token (event));
}

MonoCustomAttrInfo *
mono_custom_attrs_from_field (MonoClass *klass, MonoClassField *field)
{
	return list_of (monocle__class_image (klass), mono_class_get_field_token (field));
}

MonoCustomAttrInfo *
mono_custom_attrs_from_param (MonoMethod *method, uint32_t param)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoMethod *definition = monocle_method_definition (method);
	monocle_param_info info = { .size = sizeof info };
	if (!definition || param > PARAM_LIMIT || !ops->describe_param || !monocle__image_ask_begin (definition->image))
		return NULL;
	if (ops->describe_param (ops->host, definition, param, &info))
		info.token = 0;
	monocle__image_ask_end (definition->image);
	return list_of (definition->image, info.token);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

mono_bool
mono_custom_attrs_has_attr (MonoCustomAttrInfo *ainfo, MonoClass *attr_klass)
{
	for (int i = 0; ainfo && attr_klass && i < ainfo->num_attrs; i++) {
		MonoClass *klass = monocle__method_class (ainfo->attrs[i].ctor);
		if (klass && mono_class_is_subclass_of (klass, attr_klass, 1))
			return 1;
	}
	return 0;
}

void
mono_custom_attrs_free (MonoCustomAttrInfo *ainfo)
{
	free (ainfo);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * reflection.h - reflection objects and custom attributes.
 *
 * What makes objects is served by hosts that run managed code; NULL elsewhere. Normal context throughout.
 */
#ifndef MONO_METADATA_REFLECTION_H
#define MONO_METADATA_REFLECTION_H

#include <stddef.h>
#include <mono/utils/mono-publib.h>
#include <mono/metadata/object.h>

MONO_BEGIN_DECLS

typedef struct MonoTypeNameParse MonoTypeNameParse;

typedef struct {
	MonoMethod *ctor;
	uint32_t data_size;
	const mono_byte *data; /* the blob: ECMA-335 II.23.3 */
} MonoCustomAttrEntry;

typedef struct {
	int num_attrs;
	int cached;
	MonoImage *image;
	MONO_EXTENSION MonoCustomAttrEntry attrs[MONO_ZERO_LEN_ARRAY];
} MonoCustomAttrInfo;

#define MONO_SIZEOF_CUSTOM_ATTR_INFO (offsetof (MonoCustomAttrInfo, attrs))

/* Objects of System.Reflection; the collector owns them. */
MONO_API MonoReflectionAssembly *mono_assembly_get_object (MonoDomain *domain, MonoAssembly *assembly);
MONO_API MonoReflectionModule *mono_module_get_object (MonoDomain *domain, MonoImage *image);
MONO_API MonoReflectionType *mono_type_get_object (MonoDomain *domain, MonoType *type);
MONO_API MonoReflectionMethod *mono_method_get_object (MonoDomain *domain, MonoMethod *method, MonoClass *refclass);
MONO_API MonoReflectionField *mono_field_get_object (MonoDomain *domain, MonoClass *klass, MonoClassField *field);

/* The type that a System.Type describes. Borrowed. */
MONO_API MonoType *mono_reflection_type_get_type (MonoReflectionType *reftype);
/*
 * The type of an assembly-qualified or plain reflection name, looked for in `image`, then in the core library, or in
 * the loaded assembly that the name says; `name` is written to while parsing. Borrowed; NULL: none.
 */
MONO_API MonoType *mono_reflection_type_from_name (char *name, MonoImage *image);

/*
 * The custom attributes of a thing, in the order of the metadata; NULL when it has none. Free with
 * mono_custom_attrs_free (). An attribute whose constructor's image is not loaded is left out. Parameter 0 is what the
 * method returns. `idx` is a coded parent (MONO_CUSTOM_ATTR_*).
 */
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_index (MonoImage *image, uint32_t idx);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_method (MonoMethod *method);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_class (MonoClass *klass);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_assembly (MonoAssembly *assembly);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_property (MonoClass *klass, MonoProperty *property);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_event (MonoClass *klass, MonoEvent *event);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_field (MonoClass *klass, MonoClassField *field);
MONO_API MonoCustomAttrInfo *mono_custom_attrs_from_param (MonoMethod *method, uint32_t param);
/* Nonzero when one of them is an `attr_klass` (or derived). */
MONO_API mono_bool mono_custom_attrs_has_attr (MonoCustomAttrInfo *ainfo, MonoClass *attr_klass);
/* The attribute as an object. */
MONO_API MonoObject *mono_custom_attrs_get_attr (MonoCustomAttrInfo *ainfo, MonoClass *attr_klass);
/* Not async-safe. */
MONO_API void mono_custom_attrs_free (MonoCustomAttrInfo *ainfo);

MONO_END_DECLS

#endif

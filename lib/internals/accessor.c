/*
 * SPDX-License-Identifier: MIT
 *
 * accessor.c - the names by which Mono's own modules call what is public under another one. Any context.
 */
#include <mono/metadata/debug-helpers.h>
#include "internals.h"

MonoImage *
mono_assembly_get_image_internal (MonoAssembly *assembly)
{
	return mono_assembly_get_image (assembly);
}

MonoAssemblyName *
mono_assembly_get_name_internal (MonoAssembly *assembly)
{
	return mono_assembly_get_name (assembly);
}

MonoVTable *
mono_object_get_vtable_internal (MonoObject *object)
{
	return mono_object_get_vtable (object);
}

MonoClass *
mono_vtable_class_internal (MonoVTable *vtable)
{
	return mono_vtable_class (vtable);
}

MonoDomain *
mono_vtable_domain_internal (MonoVTable *vtable)
{
	return mono_vtable_domain (vtable);
}

MonoClass *
mono_class_from_mono_type_internal (MonoType *type)
{
	return mono_class_from_mono_type (type);
}

MonoClass *
mono_class_get_checked (MonoImage *image, uint32_t token, MonoError *error)
{
	return mono_class_get (image, token);
}

MonoMethodSignature *
mono_method_signature_internal_slow (MonoMethod *method)
{
	return mono_method_signature (method);
}

MonoMethodSignature *
mono_method_signature_checked_slow (MonoMethod *method, MonoError *error)
{
	return mono_method_signature (method);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * newer.c - what Mono's successors call functions that Mono has, for modules that look these names up.
 *
 * Unity's Mono and .NET's have them; no public header declares them. A handle is a pointer there, which holds one of
 * our numbers of 32 bits.
 */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>

MONO_API mono_bool mono_gc_is_incremental (void);
MONO_API unsigned mono_object_get_size_internal (MonoObject *object);
MONO_API MonoMethodSignature *mono_method_signature_internal (MonoMethod *method);
MONO_API void *mono_gchandle_new_v2 (MonoObject *object, mono_bool pinned);
MONO_API void *mono_gchandle_new_weakref_v2 (MonoObject *object, mono_bool track_resurrection);
MONO_API MonoObject *mono_gchandle_get_target_v2 (void *handle);
MONO_API void mono_gchandle_free_v2 (void *handle);
MONO_API void mono_domain_assembly_foreach (MonoDomain *domain, MonoFunc func, void *user_data);

mono_bool
mono_gc_is_incremental (void)
{
	return 0;
}

unsigned
mono_object_get_size_internal (MonoObject *object)
{
	return mono_object_get_size (object);
}

MonoMethodSignature *
mono_method_signature_internal (MonoMethod *method)
{
	return mono_method_signature (method);
}

void *
mono_gchandle_new_v2 (MonoObject *object, mono_bool pinned)
{
	return (void *) (uintptr_t) mono_gchandle_new (object, pinned);
}

void *
mono_gchandle_new_weakref_v2 (MonoObject *object, mono_bool track_resurrection)
{
	return (void *) (uintptr_t) mono_gchandle_new_weakref (object, track_resurrection);
}

MonoObject *
mono_gchandle_get_target_v2 (void *handle)
{
	return (uintptr_t) handle <= UINT32_MAX ? mono_gchandle_get_target ((uint32_t) (uintptr_t) handle) : NULL;
}

void
mono_gchandle_free_v2 (void *handle)
{
	if ((uintptr_t) handle <= UINT32_MAX)
		mono_gchandle_free ((uint32_t) (uintptr_t) handle);
}

/* There is one domain. */
void
mono_domain_assembly_foreach (MonoDomain *domain, MonoFunc func, void *user_data)
{
	if (domain == mono_get_root_domain ())
		mono_assembly_foreach (func, user_data);
}

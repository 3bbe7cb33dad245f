/*
 * SPDX-License-Identifier: MIT
 *
 * awaited.c - what is in the task of a method that the runtime itself suspends (ext.h).
 *
 * Any thread; where signatures may be asked for.
 */
#include <stdbool.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <monocle/host.h>

enum { ASYNC = 0x2000 }; /* MethodImplAttributes.Async */

static bool
is_task_of_something (MonoClass *definition)
{
	const char *name = mono_class_get_name (definition), *name_space = mono_class_get_namespace (definition);
	return name && name_space && strcmp (name_space, "System.Threading.Tasks") == 0 &&
	       (strcmp (name, "Task`1") == 0 || strcmp (name, "ValueTask`1") == 0);
}

MonoType *
monocle_method_get_awaited_type (MonoMethod *method)
{
	uint32_t iflags = 0;
	MonoType *const *arguments;
	if (!method || (mono_method_get_flags (method, &iflags), !(iflags & ASYNC)))
		return NULL;
	MonoMethodSignature *signature = mono_method_signature (method);
	MonoType *type = signature ? mono_signature_get_return_type (signature) : NULL;
	if (!type || mono_type_is_byref (type) || mono_type_get_type (type) != MONO_TYPE_GENERICINST)
		return NULL;
	MonoClass *klass = mono_class_from_mono_type (type);
	if (!klass || !is_task_of_something (monocle_class_definition (klass)))
		return NULL;
	return monocle_class_arguments (klass, &arguments) == 1 ? arguments[0] : NULL;
}

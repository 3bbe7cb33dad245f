/*
 * SPDX-License-Identifier: MIT
 *
 * resolve.c - what the runtime calls by id, as records.
 *
 * Everything here may run inside a call probe: it uses only those calls of ICorProfilerInfo that are legal in any
 * context (GetClassIDInfo2, IsArrayClass, GetFunctionInfo2), our own metadata reader (lib/cli), and the core's lock-free
 * constructors.
 *
 * Sharing follows Mono: a method whose type arguments (those of its class included) are all reference types is one
 * method whatever they are, and an argument prints as T_REF; with one value type among them all are exact. The
 * runtime's own stand-in for a reference type is System.__Canon.
 */
#include <string.h>
#include "clr.h"

enum { ARGUMENTS_MAX = 32, DEPTH_MAX = 32 };

/* How deep this thread is in nested types; true while there is room, and then it must be left again. */
static bool
go_deeper (void)
{
	monocle__cli_scratch *scratch = monocle__thread_scratch ();
	if (!scratch || scratch->depth >= DEPTH_MAX)
		return false;
	scratch->depth++;
	return true;
}

static void
come_up (void)
{
	monocle__thread_scratch ()->depth--;
}

/* A class that no table can name (a runtime-made type, an image that is gone): its id must still print as something. */
static MonoClass *
unknown_class (void)
{
	return monocle_class_named ("", "", "?", 0);
}

static bool
is_canon (ClassID id)
{
	static _Atomic ClassID canon;
	ClassID known = atomic_load_explicit (&canon, memory_order_relaxed);
	if (known)
		return known == id;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	monocle__clr_image *corlib = monocle__clr_corlib ();
	ModuleID module;
	mdToken token;
	if (!corlib || info->vtbl->GetClassIDInfo (info, id, &module, &token) < 0 || module != corlib->id)
		return false;
	monocle__ecma_typedef row;
	if (monocle__ecma_get_typedef (&corlib->cli.ecma, token, &row) || strcmp (row.name, "__Canon"))
		return false;
	atomic_store (&canon, id);
	return true;
}

/* Exact, but for the runtime's own stand-in. */
static MonoType *
exact_argument (ClassID id, MonoClass *owner, MonoMethod *method, uint32_t index)
{
	return monocle_type (is_canon (id) ? monocle_class_param (owner, method, index, 1) : monocle__clr_class (id));
}

static bool
are_references (const ClassID *ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!is_canon (ids[i]) && mono_class_is_valuetype (monocle__clr_class (ids[i])))
			return false;
	return true;
}

static MonoClass *
array_class (ClassID id)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	CorElementType element;
	ClassID element_class = 0;
	ULONG rank = 0;
	if (info->vtbl->IsArrayClass (info, id, &element, &element_class, &rank) != S_OK)
		return NULL;
	MonoClass *klass = element_class ? monocle__clr_class (element_class) : monocle_class_primitive (element);
	return klass ? monocle_class_array (klass, rank) : NULL;
}

static MonoClass *
instance_class (monocle__clr_image *image, mdToken token, const ClassID *ids, uint32_t count)
{
	MonoClass *definition = monocle_class_def (image->cli.record, token);
	if (!count || !definition)
		return definition;
	MonoType *arguments[ARGUMENTS_MAX];
	for (uint32_t i = 0; i < count; i++)
		arguments[i] = exact_argument (ids[i], definition, NULL, i);
	return monocle_class_inst (definition, count, arguments);
}

/* *ret_image: whose id it is; NULL of an array or an instance. */
static MonoClass *
resolve_class (ClassID id, monocle__clr_image **ret_image)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	MonoClass *array = array_class (id);
	*ret_image = NULL;
	if (array)
		return array;
	ModuleID module;
	mdToken token;
	ClassID parent, arguments[ARGUMENTS_MAX];
	ULONG32 count = 0;
	if (info->vtbl->GetClassIDInfo2 (info, id, &module, &token, &parent, ARGUMENTS_MAX, &count, arguments) < 0 ||
	    count > ARGUMENTS_MAX)
		return NULL;
	monocle__clr_image *image = monocle__clr_image_find (module);
	*ret_image = count ? NULL : image;
	return image ? instance_class (image, token, arguments, count) : NULL;
}

MonoClass *
monocle__clr_class (ClassID id)
{
	MonoClass *klass = id ? monocle_id_find (MONOCLE_ID_CLASS, id) : NULL;
	if (klass || !id || !go_deeper ())
		return klass ? klass : unknown_class ();
	monocle__clr_image *image = NULL;
	klass = resolve_class (id, &image);
	come_up ();
	if (!klass)
		return unknown_class ();
	monocle__clr_bind (image, MONOCLE_ID_CLASS, id, klass);
	monocle__clr_remember_class (klass, id);
	return klass;
}

bool
monocle__clr_function (FunctionID id, ModuleID *ret_module, mdToken *ret_token)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ClassID klass;
	return info->vtbl->GetFunctionInfo (info, id, &klass, ret_module, ret_token) >= 0 && (*ret_token >> 24) == 0x06;
}

/* Gen<T_REF,U_REF>: what all instances over reference types share. */
static MonoClass *
shared_class (MonoClass *definition, uint32_t count)
{
	MonoType *arguments[ARGUMENTS_MAX];
	for (uint32_t i = 0; i < count; i++)
		arguments[i] = monocle_type (monocle_class_param (definition, NULL, i, 1));
	return monocle_class_inst (definition, count, arguments);
}

typedef struct {
	ClassID of_class[ARGUMENTS_MAX], of_method[ARGUMENTS_MAX];
	ULONG32 class_count, method_count;
} instantiation;

static MonoMethod *
instance_method (MonoMethod *definition, ClassID owner, const instantiation *args)
{
	bool shared =
	    are_references (args->of_class, args->class_count) && are_references (args->of_method, args->method_count);
	MonoClass *klass = mono_method_get_class (definition);
	MonoType *arguments[ARGUMENTS_MAX];
	if (args->class_count)
		klass = shared ? shared_class (klass, args->class_count) : monocle__clr_class (owner);
	for (uint32_t i = 0; i < args->method_count; i++)
		arguments[i] = shared ? monocle_type (monocle_class_param (NULL, definition, i, 1))
			: exact_argument (args->of_method[i], NULL, definition, i);
	return monocle_method_inst (definition, klass, args->method_count, arguments);
}

static bool
class_arguments (ClassID id, instantiation *args)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ModuleID module;
	mdToken token;
	ClassID parent;
	HRESULT hr = info->vtbl->GetClassIDInfo2 (info, id, &module, &token, &parent, ARGUMENTS_MAX, &args->class_count,
	                                          args->of_class);
	return hr >= 0 && args->class_count <= ARGUMENTS_MAX;
}

static uint32_t
owner_generic_params (monocle__clr_image *image, mdToken method)
{
	return monocle__ecma_generic_params (&image->cli.ecma, monocle__ecma_method_owner (&image->cli.ecma, method));
}

static MonoMethod *
resolve_method (FunctionID id, monocle__clr_image **ret_image)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ModuleID module;
	mdToken token;
	ClassID owner = 0;
	instantiation args = { .class_count = 0 };
	HRESULT hr = info->vtbl->GetFunctionInfo2 (info, id, 0, &owner, &module, &token, ARGUMENTS_MAX, &args.method_count,
	                                           args.of_method);
	monocle__clr_image *image = hr < 0 ? NULL : monocle__clr_image_find (module);
	if (!image || (token >> 24) != 0x06 || args.method_count > ARGUMENTS_MAX)
		return NULL;
	*ret_image = image;
	MonoMethod *definition = monocle_method_def (image->cli.record, token);
	uint32_t class_count = image->cli.readable ? owner_generic_params (image, token) : 0;
	if (!image->cli.readable && owner && class_arguments (owner, &args))
		class_count = args.class_count;
	if (!definition || (!class_count && !args.method_count) || class_count > ARGUMENTS_MAX)
		return definition;
	if (class_count && owner && !class_arguments (owner, &args))
		return definition;
	if (class_count && !owner)
		return monocle_method_inst (definition, shared_class (mono_method_get_class (definition), class_count), 0,
		                            NULL);
	return instance_method (definition, owner, &args);
}

MonoMethod *
monocle__clr_method (FunctionID id)
{
	MonoMethod *method = monocle_id_find (MONOCLE_ID_METHOD, id);
	if (method)
		return method;
	monocle__clr_image *image = NULL;
	method = resolve_method (id, &image);
	if (!method)
		return NULL;
	monocle__clr_bind (monocle_method_definition (method) == method ? image : NULL, MONOCLE_ID_METHOD, id, method);
	monocle__clr_code_seen (id, method);
	return method;
}

MonoMethod *
monocle__clr_method_of_keys (MonoMethod *definition, const uintptr_t *keys, uint32_t count, bool class_key)
{
	instantiation args = { .method_count = count - class_key };
	if (class_key && !class_arguments (keys[0], &args))
		return definition;
	for (uint32_t i = class_key; i < count; i++)
		args.of_method[i - class_key] = keys[i];
	return instance_method (definition, keys[0], &args);
}

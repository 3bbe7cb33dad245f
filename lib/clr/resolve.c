/*
 * SPDX-License-Identifier: MIT
 *
 * resolve.c - what the runtime calls by id, and signatures call by token, as records.
 *
 * Everything here may run inside a call probe: it uses only those calls of ICorProfilerInfo that are legal in any
 * context (GetClassIDInfo2, IsArrayClass, GetFunctionInfo2), our own metadata reader, and the core's lock-free
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
	monocle__scratch *scratch = monocle__thread_scratch ();
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
	if (monocle__ecma_get_typedef (&corlib->ecma, token, &row) || strcmp (row.name, "__Canon"))
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
	MonoClass *definition = monocle_class_def (image->record, token);
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
	return monocle__ecma_generic_params (&image->ecma, monocle__ecma_method_owner (&image->ecma, method));
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
	MonoMethod *definition = monocle_method_def (image->record, token);
	uint32_t class_count = image->readable ? owner_generic_params (image, token) : 0;
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
	if (method)
		monocle__clr_bind (monocle_method_definition (method) == method ? image : NULL, MONOCLE_ID_METHOD, id, method);
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

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static MonoClass *
find_in (monocle__clr_image *image, const char *name_space, const char *name)
{
	if (!image || !monocle__clr_image_read_begin (image))
		return NULL;
	uint32_t token = monocle__ecma_find_typedef (&image->ecma, name_space, name);
	monocle__clr_image_read_end (image);
	return token ? monocle_class_def (image->record, token) : NULL;
}

/* Facades (System.Runtime, mscorlib, netstandard) hold no types; nearly all that they forward is in corlib. */
static MonoClass *
find_by_reference (monocle__clr_image *image, uint32_t assemblyref, const char *name_space, const char *name,
                   int valuetype)
{
	monocle__ecma_assembly assembly;
	if (monocle__ecma_get_assemblyref (&image->ecma, assemblyref & 0xFFFFFF, &assembly))
		return NULL;
	MonoClass *klass = find_in (monocle__clr_image_named (assembly.name), name_space, name);
	if (!klass)
		klass = find_in (monocle__clr_corlib (), name_space, name);
	return klass ? klass : monocle_class_named (assembly.name, name_space, name, valuetype);
}

/* The token of the type `name` that is nested in the type `outer`; 0: there is none. */
static uint32_t
find_nested (const monocle__ecma_image *ecma, uint32_t outer, const char *name)
{
	uint32_t rows = monocle__ecma_rows (ecma, MONOCLE__TABLE_NestedClass);
	for (uint32_t rid = 1; rid <= rows; rid++) {
		uint32_t inner = 0, enclosing = 0;
		monocle__ecma_typedef row;
		monocle__ecma_column (ecma, MONOCLE__TABLE_NestedClass, rid, MONOCLE__COL_NestedClass_NestedClass, &inner);
		monocle__ecma_column (ecma, MONOCLE__TABLE_NestedClass, rid, MONOCLE__COL_NestedClass_EnclosingClass,
		                      &enclosing);
		if ((0x02000000 | enclosing) == outer && monocle__ecma_get_typedef (ecma, 0x02000000 | inner, &row) == 0
		    && strcmp (row.name, name) == 0)
			return 0x02000000 | inner;
	}
	return 0;
}

/* The outer class is known by name only, and so is what is in it. */
static MonoClass *
nested_by_name (MonoClass *outer, const char *name, int valuetype)
{
	char path[512];
	const char *outer_name = mono_class_get_name (outer);
	size_t a = strlen (outer_name), b = strlen (name);
	if (a + b + 2 > sizeof path)
		return NULL;
	memcpy (path, outer_name, a);
	path[a] = '/';
	memcpy (path + a + 1, name, b + 1);
	return monocle_class_named ("", mono_class_get_namespace (outer), path, valuetype);
}

static MonoClass *
nested_in (MonoClass *outer, const char *name, int valuetype)
{
	monocle__clr_image *image = monocle__clr_image_of (mono_class_get_image (outer));
	uint32_t token = 0;
	if (image && monocle__clr_image_read_begin (image)) {
		token = find_nested (&image->ecma, monocle_class_token (outer), name);
		monocle__clr_image_read_end (image);
	}
	return token ? monocle_class_def (image->record, token) : nested_by_name (outer, name, valuetype);
}

static MonoClass *
resolve_typeref (monocle__clr_image *image, uint32_t token, int valuetype)
{
	const char *name, *name_space;
	uint32_t scope;
	if (monocle__ecma_get_typeref (&image->ecma, token, &name, &name_space, &scope))
		return NULL;
	switch (scope >> 24) {
	case 0x23:
		return find_by_reference (image, scope, name_space, name, valuetype);
	case 0x01: {
		if (!go_deeper ())
			return NULL;
		MonoClass *outer = resolve_typeref (image, scope, 0);
		come_up ();
		return outer ? nested_in (outer, name, valuetype) : NULL;
	}
	default: {
		MonoClass *klass = find_in (image, name_space, name);
		return klass ? klass : monocle_class_named ("", name_space, name, valuetype);
	}
	}
}

/* What is known by name only today is looked for again: its assembly may be loaded by then. */
static MonoClass *
typeref_class (monocle__clr_image *image, uint32_t token, int valuetype)
{
	uint32_t row = token & 0xFFFFFF;
	if (!row || row > image->typeref_rows)
		return NULL;
	MonoClass *klass = atomic_load_explicit (&image->typerefs[row - 1], memory_order_acquire);
	if (!klass && (klass = resolve_typeref (image, token, valuetype)) && mono_class_get_image (klass))
		atomic_store_explicit (&image->typerefs[row - 1], klass, memory_order_release);
	return klass;
}

static MonoClass *
typespec_class (monocle__clr_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	uint32_t blob, size;
	const uint8_t *data;
	if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_TypeSpec, token & 0xFFFFFF, MONOCLE__COL_TypeSpec_Signature,
	                          &blob) ||
	    monocle__ecma_blob (&image->ecma, blob, &data, &size))
		return NULL;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	MonoType *type = monocle__clr_read_type (image, &cursor, owner, method);
	return type ? mono_class_from_mono_type (type) : NULL;
}

static MonoClass *
class_of_token (monocle__clr_image *image, uint32_t token, MonoClass *owner, MonoMethod *method, int valuetype)
{
	if (!image->readable)
		return NULL;
	switch (token >> 24) {
	case 0x02:
		return monocle_class_def (image->record, token);
	case 0x01:
		return typeref_class (image, token, valuetype);
	case 0x1B:
		return typespec_class (image, token, owner, method);
	default:
		return NULL;
	}
}

MonoClass *
monocle__clr_class_of_token (monocle__clr_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	return class_of_token (image, token, owner, method, 0);
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

static MonoClass *read_class (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner,
                              MonoMethod *method);

static MonoClass *
read_array (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	MonoClass *element = read_class (image, cursor, owner, method);
	uint32_t rank = monocle__ecma_read_u (cursor);
	for (uint32_t sizes = monocle__ecma_read_u (cursor); sizes && !cursor->error; sizes--)
		monocle__ecma_read_u (cursor);
	for (uint32_t bounds = monocle__ecma_read_u (cursor); bounds && !cursor->error; bounds--)
		monocle__ecma_read_s (cursor);
	return element && rank && !cursor->error ? monocle_class_array (element, rank) : NULL;
}

static MonoClass *
read_instance (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	int valuetype = monocle__ecma_read_byte (cursor) == MONOCLE__ET_VALUETYPE;
	MonoClass *definition = class_of_token (image, monocle__ecma_read_type_token (cursor), owner, method, valuetype);
	uint32_t count = monocle__ecma_read_u (cursor);
	MonoType *arguments[ARGUMENTS_MAX];
	if (!definition || count > ARGUMENTS_MAX)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		MonoClass *argument = read_class (image, cursor, owner, method);
		if (!argument)
			return NULL;
		arguments[i] = monocle_type (argument);
	}
	return monocle_class_inst (definition, count, arguments);
}

static MonoClass *
read_function_pointer (monocle__ecma_cursor *cursor)
{
	uint8_t convention = monocle__ecma_read_byte (cursor);
	if (convention & 0x10)
		monocle__ecma_read_u (cursor);
	for (uint32_t types = monocle__ecma_read_u (cursor) + 1; types && !cursor->error; types--)
		monocle__ecma_skip_type (cursor);
	return monocle_class_fnptr ();
}

static MonoClass *
read_pointer (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	MonoClass *element = read_class (image, cursor, owner, method);
	return element ? monocle_class_pointer (element) : NULL;
}

static MonoClass *
read_vector (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	MonoClass *element = read_class (image, cursor, owner, method);
	return element ? monocle_class_array (element, 1) : NULL;
}

static MonoClass *
read_element (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	uint8_t element = monocle__ecma_read_byte (cursor);
	switch (element) {
	case MONOCLE__ET_CMOD_REQD:
	case MONOCLE__ET_CMOD_OPT:
		monocle__ecma_read_type_token (cursor);
		return read_class (image, cursor, owner, method);
	case MONOCLE__ET_PINNED:
	case MONOCLE__ET_SENTINEL:
		return read_class (image, cursor, owner, method);
	case MONOCLE__ET_CLASS:
	case MONOCLE__ET_VALUETYPE:
		return class_of_token (image, monocle__ecma_read_type_token (cursor), owner, method,
		                       element == MONOCLE__ET_VALUETYPE);
	case MONOCLE__ET_VAR:
		return monocle_class_param (owner, NULL, monocle__ecma_read_u (cursor), 0);
	case MONOCLE__ET_MVAR:
		return monocle_class_param (NULL, method, monocle__ecma_read_u (cursor), 0);
	case MONOCLE__ET_GENERICINST:
		return read_instance (image, cursor, owner, method);
	case MONOCLE__ET_ARRAY:
		return read_array (image, cursor, owner, method);
	case MONOCLE__ET_SZARRAY:
		return read_vector (image, cursor, owner, method);
	case MONOCLE__ET_PTR:
		return read_pointer (image, cursor, owner, method);
	case MONOCLE__ET_FNPTR:
		return read_function_pointer (cursor);
	default:
		return cursor->error ? NULL : monocle_class_primitive (element);
	}
}

static MonoClass *
read_class (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	if (cursor->error || !go_deeper ())
		return NULL;
	MonoClass *klass = read_element (image, cursor, owner, method);
	come_up ();
	return klass;
}

MonoType *
monocle__clr_read_type (monocle__clr_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	bool byref = false;
	for (;;) {
		uint8_t next = monocle__ecma_peek_byte (cursor);
		if (next == MONOCLE__ET_BYREF) {
			byref = true;
			monocle__ecma_read_byte (cursor);
		} else if (next == MONOCLE__ET_CMOD_REQD || next == MONOCLE__ET_CMOD_OPT) {
			monocle__ecma_read_byte (cursor);
			monocle__ecma_read_type_token (cursor);
		} else {
			break;
		}
		if (cursor->error)
			return NULL;
	}
	MonoClass *klass = read_class (image, cursor, owner, method);
	if (!klass)
		return NULL;
	return byref ? monocle_type_byref (klass) : monocle_type (klass);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * resolve.c - tokens of types as classes: TypeDef, TypeRef (ECMA-335 II.22.38), TypeSpec, and what facades forward
 * (ExportedType, II.22.14).
 *
 * What is known by name only, since its assembly is not loaded, is a class of that name; it is looked for again the
 * next time.
 */
#include <string.h>
#include "describe-priv.h"

enum { FORWARDS_MAX = 8 }; /* a facade forwards to a facade ... */

bool
monocle__describe_blob (monocle__describe_image *image, uint32_t table, uint32_t rid, uint32_t column,
                        monocle__ecma_cursor *ret_cursor)
{
	uint32_t blob, size;
	const uint8_t *data;
	if (monocle__ecma_column (&image->ecma, table, rid, column, &blob) ||
	    monocle__ecma_blob (&image->ecma, blob, &data, &size))
		return false;
	*ret_cursor = monocle__ecma_cursor_over (data, size);
	return true;
}

/* --- by name ------------------------------------------------------------------------------------------------------ */

static MonoClass *find_in (monocle__describe_image *image, const char *name_space, const char *name, unsigned forwards);

/* The image that `image` forwards the exported type to. */
static monocle__describe_image *
forwarded_to (monocle__describe_image *image, uint32_t exported)
{
	monocle__ecma_assembly assembly;
	uint32_t implementation;
	if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_ExportedType, exported & 0xFFFFFF,
	                          MONOCLE__COL_ExportedType_Implementation, &implementation))
		return NULL;
	uint32_t reference = monocle__ecma_coded_token (MONOCLE__CODED_Implementation, implementation);
	if (reference >> 24 != MONOCLE__TABLE_AssemblyRef ||
	    monocle__ecma_get_assemblyref (&image->ecma, reference & 0xFFFFFF, &assembly))
		return NULL;
	return monocle__describe_owner_now->image_named (image, assembly.name);
}

static MonoClass *
find_in_readable (monocle__describe_image *image, const char *name_space, const char *name, unsigned forwards)
{
	uint32_t token = monocle__describe_index_find (image, name_space, name);
	if (token >> 24 == MONOCLE__TABLE_TypeDef)
		return monocle_class_def (image->record, token);
	return token && forwards ? find_in (forwarded_to (image, token), name_space, name, forwards - 1) : NULL;
}

static MonoClass *
find_in (monocle__describe_image *image, const char *name_space, const char *name, unsigned forwards)
{
	if (!image || !monocle__describe_image_read_begin (image))
		return NULL;
	MonoClass *klass = find_in_readable (image, name_space, name, forwards);
	monocle__describe_image_read_end (image);
	return klass;
}

MonoClass *
monocle__describe_find_class (monocle__describe_image *image, const char *name_space, const char *name)
{
	return find_in (image, name_space, name, FORWARDS_MAX);
}

/* A facade that is not loaded yet forwards to corlib most of the time. */
static MonoClass *
find_by_reference (monocle__describe_image *image, uint32_t assemblyref, const char *name_space, const char *name,
                   int valuetype)
{
	monocle__ecma_assembly assembly;
	if (monocle__ecma_get_assemblyref (&image->ecma, assemblyref & 0xFFFFFF, &assembly))
		return NULL;
	monocle__describe_image *target = monocle__describe_owner_now->image_named (image, assembly.name);
	MonoClass *klass = monocle__describe_find_class (target, name_space, name);
	if (!klass)
		klass = monocle__describe_find_class (monocle__describe_owner_now->corlib (), name_space, name);
	return klass ? klass : monocle_class_named (assembly.name, name_space, name, valuetype);
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
	monocle__describe_image *image = monocle__describe_image_of (mono_class_get_image (outer));
	uint32_t token = 0;
	if (image && monocle__describe_image_read_begin (image)) {
		token = monocle__describe_index_nested (image, monocle_class_token (outer), name);
		monocle__describe_image_read_end (image);
	}
	return token ? monocle_class_def (image->record, token) : nested_by_name (outer, name, valuetype);
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static MonoClass *
resolve_typeref (monocle__describe_image *image, uint32_t token, int valuetype)
{
	const char *name, *name_space;
	uint32_t scope;
	if (monocle__ecma_get_typeref (&image->ecma, token, &name, &name_space, &scope))
		return NULL;
	switch (scope >> 24) {
	case MONOCLE__TABLE_AssemblyRef: return find_by_reference (image, scope, name_space, name, valuetype);
	case MONOCLE__TABLE_TypeRef: {
		monocle__describe_scratch *scratch = monocle__describe_enter ();
		if (!scratch)
			return NULL;
		MonoClass *outer = resolve_typeref (image, scope, 0);
		monocle__describe_leave (scratch);
		return outer ? nested_in (outer, name, valuetype) : NULL;
	}
	default: {
		MonoClass *klass = monocle__describe_find_class (image, name_space, name);
		return klass ? klass : monocle_class_named ("", name_space, name, valuetype);
	}
	}
}

/* What is known by name only today is looked for again: its assembly may be loaded by then. */
static MonoClass *
typeref_class (monocle__describe_image *image, uint32_t token, int valuetype)
{
	uint32_t row = token & 0xFFFFFF;
	if (!row || row > image->typeref_rows)
		return NULL;
	MonoClass *klass = atomic_load_explicit (&image->typerefs[row - 1], memory_order_acquire);
	if (!klass && (klass = resolve_typeref (image, token, valuetype)) && monocle_class_token (klass))
		atomic_store_explicit (&image->typerefs[row - 1], klass, memory_order_release);
	return klass;
}

static MonoClass *
typespec_class (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	monocle__ecma_cursor cursor;
	if (!monocle__describe_blob (image, MONOCLE__TABLE_TypeSpec, token & 0xFFFFFF, MONOCLE__COL_TypeSpec_Signature,
	                             &cursor))
		return NULL;
	MonoType *type = monocle__describe_read_type (image, &cursor, owner, method);
	return type ? mono_class_from_mono_type (type) : NULL;
}

static MonoClass *
typedef_class (monocle__describe_image *image, uint32_t token)
{
	uint32_t row = token & 0xFFFFFF;
	return row && row <= monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_TypeDef)
	         ? monocle_class_def (image->record, token)
	         : NULL;
}

MonoClass *
monocle__describe_class (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
                         int valuetype)
{
	if (!atomic_load (&image->readable) || monocle__describe_is_added (image, token)) {
		const monocle__describe_unreadable *unreadable = monocle__describe_owner_now->unreadable;
		return unreadable ? unreadable->class_of_token (image, token, owner, method, valuetype) : NULL;
	}
	switch (token >> 24) {
	case MONOCLE__TABLE_TypeDef: return typedef_class (image, token);
	case MONOCLE__TABLE_TypeRef: return typeref_class (image, token, valuetype);
	case MONOCLE__TABLE_TypeSpec: return typespec_class (image, token, owner, method);
	default: return NULL;
	}
}

MonoClass *
monocle__describe_class_of_token (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	return monocle__describe_class (image, token, owner, method, 0);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * class-lookup.c - classes by name and by token.
 *
 * Normal context: look-ups may make records, read metadata and resolve other images.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "dispatch/host.h"
#include "error.h"
#include "image.h"

enum { ROW_MASK = 0xffffff, VISIBILITY = 7, NESTED_PUBLIC = 2 };

/* --- by name ------------------------------------------------------------------------------------------------------ */

typedef int (*compare_names) (const char *left, const char *right);

/* `path` is what follows the outermost name: "/Inner/Innermost" or "". */
static MonoClass *
find_nested (MonoClass *klass, const char *path, compare_names compare)
{
	char name[1024];
	while (klass && *path == '/') {
		size_t length = strcspn (++path, "/");
		MonoClass *nested;
		void *iter = NULL;
		if (length >= sizeof name)
			return NULL;
		memcpy (name, path, length);
		name[length] = 0;
		path += length;
		while ((nested = mono_class_get_nested_types (klass, &iter)) && compare (mono_class_get_name (nested), name))
			continue;
		klass = nested;
	}
	return klass;
}

static MonoClass *
find_outermost (MonoImage *image, const char *name_space, const char *name)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!ops->class_from_name || !monocle__image_ask_begin (image))
		return NULL;
	MonoClass *klass = ops->class_from_name (ops->host, image, name_space, name);
	monocle__image_ask_end (image);
	return klass;
}

/* Calls `find` with the part of the name before the first slash. */
static MonoClass *
find_path (MonoImage *image, const char *name_space, const char *path, compare_names compare,
           MonoClass *(*find) (MonoImage *image, const char *name_space, const char *name))
{
	const char *slash = path ? strchr (path, '/') : NULL;
	if (!image || !path || !*path || slash == path)
		return NULL;
	if (!slash)
		return find (image, name_space ? name_space : "", path);
	char *outermost = strndup (path, (size_t) (slash - path));
	if (!outermost)
		return NULL;
	MonoClass *klass = find (image, name_space ? name_space : "", outermost);
	free (outermost);
	return find_nested (klass, slash, compare);
}

MonoClass *
mono_class_from_name (MonoImage *image, const char *name_space, const char *name)
{
	return find_path (image, name_space, name, strcmp, find_outermost);
}

/* A name in the string heap, of a row of a table; NULL: there is none. Between ask_begin and ask_end. */
static const char *
string_column (MonoImage *image, uint32_t table, uint32_t row, uint32_t column)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t offset, size;
	if (!ops->metadata_column || !ops->metadata_heap ||
	    ops->metadata_column (ops->host, image, table, row, column, &offset))
		return NULL;
	return ops->metadata_heap (ops->host, image, MONOCLE_HEAP_STRINGS, offset, &size);
}

/* Is row `row` a type that is not nested and called so, whatever the case? */
static bool
is_called (MonoImage *image, uint32_t row, const char *name_space, const char *name)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t flags;
	const char *own = string_column (image, MONO_TABLE_TYPEDEF, row, MONO_TYPEDEF_NAME);
	if (!own || strcasecmp (own, name))
		return false;
	own = string_column (image, MONO_TABLE_TYPEDEF, row, MONO_TYPEDEF_NAMESPACE);
	return own && !strcasecmp (own, name_space) &&
	       ops->metadata_column (ops->host, image, MONO_TABLE_TYPEDEF, row, MONO_TYPEDEF_FLAGS, &flags) == 0 &&
	       (flags & VISIBILITY) < NESTED_PUBLIC;
}

/* Reads the names of all types; no records but the one that is found. Letters other than A to Z must be equal. */
static MonoClass *
find_outermost_case (MonoImage *image, const char *name_space, const char *name)
{
	uint32_t row = 1;
	if (!monocle__image_ask_begin (image))
		return NULL;
	while (row <= image->class_rows && !is_called (image, row, name_space, name))
		row++;
	monocle__image_ask_end (image);
	return row <= image->class_rows ? monocle_class_def (image, MONO_TOKEN_TYPE_DEF | row) : NULL;
}

MonoClass *
mono_class_from_name_case (MonoImage *image, const char *name_space, const char *name)
{
	return find_path (image, name_space, name, strcasecmp, find_outermost_case);
}

/* --- by token ----------------------------------------------------------------------------------------------------- */

static MonoClass *
resolve (MonoImage *image, uint32_t token)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!ops->class_of_token || !monocle__image_ask_begin (image))
		return NULL;
	MonoClass *klass = ops->class_of_token (ops->host, image, token, NULL, NULL);
	monocle__image_ask_end (image);
	return klass;
}

MonoClass *
mono_class_get (MonoImage *image, uint32_t token)
{
	uint32_t row = token & ROW_MASK;
	if (!image || !row)
		return NULL;
	switch (token - row) {
	case MONO_TOKEN_TYPE_DEF:
		return row <= image->class_rows || mono_image_is_dynamic (image) ? monocle_class_def (image, token) : NULL;
	case MONO_TOKEN_TYPE_REF:
	case MONO_TOKEN_TYPE_SPEC: return resolve (image, token);
	default: return NULL;
	}
}

/* There is no way to get a context, so there is nothing to replace by it. */
MonoClass *
mono_class_get_full (MonoImage *image, uint32_t token, MonoGenericContext *context)
{
	return mono_class_get (image, token);
}

MonoClass *
mono_class_from_typeref (MonoImage *image, uint32_t token)
{
	return (token & ~(uint32_t) ROW_MASK) == MONO_TOKEN_TYPE_REF ? mono_class_get (image, token) : NULL;
}

MonoClass *
mono_class_from_typeref_checked (MonoImage *image, uint32_t token, MonoError *error)
{
	MonoClass *klass = mono_class_from_typeref (image, token);
	if (error) {
		mono_error_init (error);
		if (!klass)
			monocle__error_set (error, MONO_ERROR_TYPE_LOAD, "the type of a TypeRef token is not loaded");
	}
	return klass;
}

static bool
copy_row_name (MonoImage *image, uint32_t table, uint32_t row, char **ret_text)
{
	uint32_t name_column = table == MONO_TABLE_TYPEDEF ? MONO_TYPEDEF_NAME : MONO_TYPEREF_NAME;
	uint32_t space_column = table == MONO_TABLE_TYPEDEF ? MONO_TYPEDEF_NAMESPACE : MONO_TYPEREF_NAMESPACE;
	bool is_there = false;
	if (!monocle__image_ask_begin (image))
		return false;
	const char *name = string_column (image, table, row, name_column);
	const char *name_space = string_column (image, table, row, space_column);
	if (name && name_space)
		is_there = asprintf (ret_text, "%s%s%s", name_space, *name_space ? "." : "", name) >= 0;
	monocle__image_ask_end (image);
	return is_there;
}

/* The row's own name, without the types around it; a TypeSpec has none. */
char *
mono_class_name_from_token (MonoImage *image, uint32_t token)
{
	char *text = NULL;
	uint32_t row = token & ROW_MASK;
	int length;
	switch (token - row) {
	case MONO_TOKEN_TYPE_DEF:
	case MONO_TOKEN_TYPE_REF:
		if (image && copy_row_name (image, token >> 24, row, &text))
			return text;
		length = asprintf (&text, "Invalid type token 0x%08x", token);
		return length < 0 ? NULL : text;
	case MONO_TOKEN_TYPE_SPEC: length = asprintf (&text, "Typespec 0x%08x", token); return length < 0 ? NULL : text;
	default: return NULL;
	}
}

/* --- generic types ------------------------------------------------------------------------------------------------ */

/* Neither a parameter nor a context can be obtained here, so that these two have nothing to do. */
MonoType *
mono_class_inflate_generic_type (MonoType *type, MonoGenericContext *context)
{
	return type;
}

MonoMethod *
mono_class_inflate_generic_method (MonoMethod *method, MonoGenericContext *context)
{
	return method;
}

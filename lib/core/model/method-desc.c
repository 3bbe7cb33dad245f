/*
 * SPDX-License-Identifier: MIT
 *
 * method-desc.c - patterns that name methods: "Namespace.Outer/Nested:Method(int,string)".
 *
 * Only the class may be "*"; a name or an argument list matches exactly, as in Mono 6.8. An outer class matches by
 * prefix there ("Out/Inner`1" names Outer`1/Inner`1), and so it does here. Normal context.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "class.h"
#include "method.h"
#include "table.h"

enum { NESTING_LIMIT = 32 };

/* All pointers point into `text`. */
struct MonoMethodDesc {
	const char *name_space; /* NULL: any */
	const char *klass;      /* "" : any, for a match that is not full */
	const char *name;
	const char *arguments; /* NULL: any */
	bool include_namespace;
	char text[];
};

/* Cuts "NAME (ARGS)" after NAME; false when the parenthesis is not closed. */
static bool
split_arguments (MonoMethodDesc *desc)
{
	char *open = strchr (desc->text, '(');
	if (!open)
		return true;
	char *close = strchr (open, ')');
	if (!close)
		return false;
	*close = 0;
	*open = 0;
	if (open > desc->text && open[-1] == ' ')
		open[-1] = 0;
	desc->arguments = open + 1;
	return true;
}

/* Cuts "N.S.CLASS:NAME"; "::" is accepted too. */
static bool
split_class (MonoMethodDesc *desc)
{
	char *colon = strrchr (desc->text, ':');
	if (!colon)
		return false;
	desc->name = colon + 1;
	if (colon > desc->text && colon[-1] == ':')
		colon--;
	*colon = 0;
	char *dot = strrchr (desc->text, '.');
	desc->klass = dot ? dot + 1 : desc->text;
	if (dot) {
		*dot = 0;
		desc->name_space = desc->text;
	}
	return true;
}

MonoMethodDesc *
mono_method_desc_new (const char *name, mono_bool include_namespace)
{
	size_t size = name ? strlen (name) + 1 : 0;
	MonoMethodDesc *desc = size ? calloc (1, sizeof *desc + size) : NULL;
	if (!desc)
		return NULL;
	memcpy (desc->text, name, size);
	desc->include_namespace = include_namespace != 0;
	if (split_arguments (desc) && split_class (desc))
		return desc;
	free (desc);
	return NULL;
}

/* "N.S.Outer/Inner`1", an allocation. */
static char *
class_path (MonoClass *klass, int depth)
{
	MonoClass *nesting = depth < NESTING_LIMIT ? mono_class_get_nesting_type (klass) : NULL;
	char *outer = nesting ? class_path (nesting, depth + 1) : strdup (mono_class_get_namespace (klass)), *path = NULL;
	const char *separator = nesting ? "/" : outer && *outer ? "." : "";
	if (outer && asprintf (&path, "%s%s%s", outer, separator, mono_class_get_name (klass)) < 0)
		path = NULL;
	free (outer);
	return path;
}

/* The pattern of the method's class, name and arguments, which it matches, and its instances. */
MonoMethodDesc *
mono_method_desc_from_method (MonoMethod *method)
{
	MonoClass *klass = monocle__method_class (method);
	MonoMethodSignature *signature = mono_method_signature (method);
	if (!klass || !signature)
		return NULL;
	char *path = class_path (monocle__class_definition (klass), 0), *text = NULL;
	char *arguments = mono_signature_get_desc (signature, 1);
	MonoMethodDesc *desc = NULL;
	if (path && arguments && asprintf (&text, "%s:%s(%s)", path, mono_method_get_name (method), arguments) >= 0)
		desc = mono_method_desc_new (text, 1);
	else
		text = NULL;
	free (path);
	free (arguments);
	free (text);
	return desc;
}

void
mono_method_desc_free (MonoMethodDesc *desc)
{
	free (desc);
}

mono_bool
mono_method_desc_is_full (MonoMethodDesc *desc)
{
	return desc && desc->klass[0];
}

static bool
arguments_match (const MonoMethodDesc *desc, MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	if (!desc->arguments)
		return true;
	if (!signature)
		return false;
	char *text = mono_signature_get_desc (signature, desc->include_namespace);
	bool is_same = text && !strcmp (text, desc->arguments);
	free (text);
	return is_same;
}

mono_bool
mono_method_desc_match (MonoMethodDesc *desc, MonoMethod *method)
{
	return desc && method && !strcmp (desc->name, mono_method_get_name (method)) && arguments_match (desc, method);
}

/* `length` characters of the pattern are left, the last part of which names `klass`. */
static bool
class_matches (const MonoMethodDesc *desc, size_t length, MonoClass *klass)
{
	size_t start = length;
	while (start > 0 && desc->klass[start - 1] != '/')
		start--;
	const char *name = mono_class_get_name (klass), *part = desc->klass + start;
	bool is_innermost = !desc->klass[length];
	if (strncmp (part, name, length - start) || (is_innermost && name[length - start]))
		return false;
	if (start == 0)
		return !desc->name_space || !strcmp (desc->name_space, mono_class_get_namespace (klass));
	MonoClass *nesting = mono_class_get_nesting_type (klass);
	return nesting && class_matches (desc, start - 1, nesting);
}

mono_bool
mono_method_desc_full_match (MonoMethodDesc *desc, MonoMethod *method)
{
	MonoClass *klass = monocle__method_class (method);
	if (!desc || !klass || !desc->klass[0])
		return 0;
	if (strcmp (desc->klass, "*") && !class_matches (desc, strlen (desc->klass), klass))
		return 0;
	return mono_method_desc_match (desc, method);
}

MonoMethod *
mono_method_desc_search_in_class (MonoMethodDesc *desc, MonoClass *klass)
{
	void *iter = NULL;
	MonoMethod *method;
	while ((method = mono_class_get_methods (klass, &iter)))
		if (mono_method_desc_match (desc, method))
			return method;
	return NULL;
}

MonoMethod *
mono_method_desc_search_in_image (MonoMethodDesc *desc, MonoImage *image)
{
	uint32_t end = desc && image ? monocle__table_end (&image->methods) : 0;
	/* With a namespace Mono looks for a class that is called so. */
	if (end && desc->name_space && !strcmp (desc->klass, "*"))
		return NULL;
	for (uint32_t row = 1; row < end; row++) {
		bool is_row = row <= image->method_rows;
		MonoMethod *method = is_row ? monocle_method_def (image, row) : monocle_method_def_if_known (image, row);
		if (method && mono_method_desc_full_match (desc, method))
			return method;
	}
	return NULL;
}

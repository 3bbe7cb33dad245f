/*
 * SPDX-License-Identifier: MIT
 *
 * type-name.c - types by the names that reflection gives them.
 *
 *     N.S.Outer+Inner`1[[N.S.Argument, assembly],System.Int32][,]*&, assembly, Version=1.2.3.4, ...
 *
 * A name is read once, from the left. Arguments are looked up as they are met; the type itself when its assembly has
 * been read, which comes last. Without an assembly the caller's image is searched, then corlib. Only what is loaded is
 * found: nothing is loaded. Normal context.
 */
#include <string.h>
#include <mono/metadata/reflection.h>
#include "class.h"
#include "image.h"

enum {
	ARGUMENT_LIMIT = 64,
	SUFFIX_LIMIT = 32,
	DEPTH_LIMIT = 32,
	BYREF = 0,
	POINTER = -1,
	BOUNDED = -2, /* what a suffix is; positive: an array's rank */
};

/* Where reading is: the text is written to. */
struct cursor {
	char *at;
	MonoImage *image;
	int depth;
};

/* A type while it is read. */
struct name {
	char *path, *path_end; /* "N.S.Outer/Inner`1", which gets its NUL last */
	char *assembly;        /* NULL: not said */
	uint32_t argument_count, suffix_count;
	bool is_byref;
	MonoType *arguments[ARGUMENT_LIMIT];
	int suffixes[SUFFIX_LIMIT];
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The path: '+' becomes '/', a backslash goes and leaves what it escapes. */
static bool
read_path (struct cursor *cursor, struct name *name)
{
	while (*cursor->at == ' ')
		cursor->at++;
	char *end = name->path = cursor->at;
	while (*cursor->at && !strchr ("[]&*,", *cursor->at)) {
		char c = *cursor->at++;
		if (c == '\\' && *cursor->at)
			c = *cursor->at++;
		else if (c == '+')
			c = '/';
		*end++ = c;
	}
	name->path_end = end;
	return end > name->path && end[-1] != '/' && *name->path != '/';
}

static bool
add_suffix (struct name *name, int suffix)
{
	if (name->is_byref || name->suffix_count == SUFFIX_LIMIT)
		return false;
	if (suffix == BYREF)
		name->is_byref = true;
	else
		name->suffixes[name->suffix_count++] = suffix;
	return true;
}

/* After '[': "*]", "]", ",,]". */
static bool
read_array (struct cursor *cursor, struct name *name)
{
	int rank = 1;
	if (*cursor->at == '*') {
		rank = BOUNDED;
		cursor->at++;
	}
	for (; *cursor->at == ',' && rank > 0; rank++)
		cursor->at++;
	return *cursor->at++ == ']' && rank <= UINT8_MAX && add_suffix (name, rank);
}

static MonoType *read_type (struct cursor *cursor, bool may_have_assembly);

/* After '[': "[N, assembly],N,...]". */
static bool
read_arguments (struct cursor *cursor, struct name *name)
{
	if (name->argument_count || name->suffix_count || name->is_byref)
		return false;
	for (;;) {
		bool in_brackets = *cursor->at == '[';
		cursor->at += in_brackets;
		MonoType *type = read_type (cursor, in_brackets);
		if (!type || mono_type_is_byref (type) || name->argument_count == ARGUMENT_LIMIT)
			return false;
		name->arguments[name->argument_count++] = type;
		if (in_brackets && *cursor->at++ != ']')
			return false;
		char c = *cursor->at++;
		if (c == ']')
			return true;
		if (c != ',')
			return false;
	}
}

static bool
read_suffixes (struct cursor *cursor, struct name *name)
{
	for (;;) {
		bool good;
		switch (*cursor->at) {
		case '&':
			cursor->at++;
			good = add_suffix (name, BYREF);
			break;
		case '*':
			cursor->at++;
			good = add_suffix (name, POINTER);
			break;
		case '[':
			cursor->at++;
			good =
			    strchr ("],*", *cursor->at) && *cursor->at ? read_array (cursor, name) : read_arguments (cursor, name);
			break;
		default: return true;
		}
		if (!good)
			return false;
	}
}

/* The rest of the text, or of the brackets around it. */
static void
read_assembly (struct cursor *cursor, struct name *name)
{
	name->assembly = ++cursor->at;
	cursor->at += strcspn (cursor->at, "]");
}

/* --- looking up --------------------------------------------------------------------------------------------------- */

/* The image of an assembly name of `length` characters; NULL: not loaded. What is said after the name may be wrong. */
static MonoImage *
image_called (const char *text, size_t length)
{
	char *copy = strndup (text, length);
	MonoAssemblyName *name = copy ? mono_assembly_name_new (copy) : NULL;
	if (copy && !name) {
		copy[strcspn (copy, ",")] = 0;
		name = mono_assembly_name_new (copy);
	}
	MonoAssembly *assembly = mono_assembly_loaded (name);
	mono_assembly_name_free (name);
	mono_free (name);
	mono_free (copy);
	return mono_assembly_get_image (assembly);
}

/* The namespace ends at the last dot before what is nested. */
static MonoClass *
class_in (MonoImage *image, const char *path)
{
	size_t outer = strcspn (path, "/"), dot = outer;
	while (dot && path[dot - 1] != '.')
		dot--;
	char *name_space = dot ? strndup (path, dot - 1) : NULL;
	MonoClass *klass = NULL;
	if (image && (!dot || name_space))
		klass = mono_class_from_name (image, dot ? name_space : "", path + dot);
	mono_free (name_space);
	return klass;
}

static MonoClass *
find_class (const struct cursor *cursor, const struct name *name)
{
	if (name->assembly)
		return class_in (image_called (name->assembly, (size_t) (cursor->at - name->assembly)), name->path);
	MonoClass *klass = class_in (cursor->image, name->path);
	return klass ? klass : class_in (monocle__image_corlib (), name->path);
}

static MonoClass *
apply_arguments (MonoClass *klass, const struct name *name)
{
	const monocle__class_desc *desc = klass ? monocle__class_describe (klass) : NULL;
	if (!name->argument_count)
		return klass;
	return desc && desc->generic_params == name->argument_count
	         ? monocle_class_inst (klass, name->argument_count, name->arguments)
	         : NULL;
}

static MonoClass *
apply_suffix (MonoClass *klass, int suffix)
{
	if (suffix == POINTER)
		return monocle_class_pointer (klass);
	if (suffix == BOUNDED)
		return mono_bounded_array_class_get (klass, 1, 1);
	return monocle_class_array (klass, (uint32_t) suffix);
}

/* Up to the end of the text, or to the bracket or comma that ends an argument. NULL: malformed, or not found. */
static MonoType *
read_type (struct cursor *cursor, bool may_have_assembly)
{
	struct name name = { 0 };
	MonoType *type = NULL;
	if (++cursor->depth > DEPTH_LIMIT)
		return NULL;
	bool good = read_path (cursor, &name) && read_suffixes (cursor, &name);
	if (good && may_have_assembly && *cursor->at == ',')
		read_assembly (cursor, &name);
	if (good && (!*cursor->at || strchr ("],", *cursor->at))) {
		/* The path's end may be the character at which reading goes on. */
		char next = *name.path_end;
		*name.path_end = 0;
		MonoClass *klass = apply_arguments (find_class (cursor, &name), &name);
		*name.path_end = next;
		for (uint32_t i = 0; klass && i < name.suffix_count; i++)
			klass = apply_suffix (klass, name.suffixes[i]);
		type = name.is_byref ? monocle_type_byref (klass) : monocle_type (klass);
	}
	cursor->depth--;
	return type;
}

MonoType *
mono_reflection_type_from_name (char *name, MonoImage *image)
{
	struct cursor cursor = { name, image, 0 };
	MonoType *type = name ? read_type (&cursor, true) : NULL;
	return type && !*cursor.at ? type : NULL;
}

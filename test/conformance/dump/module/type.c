/*
 * SPDX-License-Identifier: MIT
 *
 * type.c - answers about types as they stand in signatures, and the classes that are met there.
 *
 * Met classes are gathered while the program's images are walked and get subjects of their own afterwards: instances
 * of the program's generic definitions with all their members, arrays and pointers, and what the framework defines.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"

#define MET_MAX 8192

/* Members of instances name further instances, without end where a generic type nests itself: so many levels then. */
#define LEVELS_OF_INSTANCES 2

typedef struct {
	MonoClass *klass;
	char *name;
} met;

static met seen[MET_MAX];
static int seen_count;
static int in_instance; /* the members of an instance are being walked */

static int
known (MonoClass *klass, const char *name)
{
	for (int i = 0; i < seen_count; i++) {
		if (seen[i].klass == klass || strcmp (seen[i].name, name) == 0)
			return 1;
	}
	return 0;
}

static int
levels (const char *name)
{
	int count = 0;

	for (; *name; name++)
		count += *name == '<' || *name == '[';
	return count;
}

void
dump_meet (MonoClass *klass)
{
	char *name = klass ? mono_type_full_name (mono_class_get_type (klass)) : NULL;

	if (!name)
		return;
	/* Parameters without an owner, !0, lead nowhere. */
	if (!strchr (name, '!') && (!in_instance || levels (name) <= LEVELS_OF_INSTANCES) && seen_count < MET_MAX &&
	    !known (klass, name))
		seen[seen_count++] = (met) { klass, strdup (name) };
	mono_free (name);
}

/*
 * No public function tells whether type parameters stand in an instance. Our programs call them T, TKey, U, compilers
 * <Deep>__T, and !0 has no owner: what looks so behind "<" or a comma is taken for one, at the price of answers about
 * classes that are named alike.
 */
static int
looks_like_parameter (const char *name)
{
	return *name == '!' || *name == '<' || (*name == 'T' && !islower ((unsigned char) name[1])) ||
	       (isupper ((unsigned char) *name) && name[1] && strchr (",>[", name[1]));
}

int
dump_is_open (MonoType *type)
{
	char *name = mono_type_get_name (type);
	char before = '\0';
	int open = mono_type_is_generic_parameter (type);

	for (const char *c = name; c && *c && !open; c++) {
		open = (before == '<' || before == ',') && looks_like_parameter (c);
		before = *c;
	}
	mono_free (name);
	return open;
}

/* Mono's mono_class_get_flags () calls itself without end for the class of a function pointer. */
int
dump_is_interface (MonoClass *klass)
{
	return mono_type_get_type (mono_class_get_type (klass)) != MONO_TYPE_FNPTR &&
	       (mono_class_get_flags (klass) & MONO_TYPE_ATTR_INTERFACE) != 0;
}

static void
dimensions (const char *what, const int *values, int count)
{
	char key[32];

	for (int i = 0; i < count; i++) {
		snprintf (key, sizeof key, "array %s %d", what, i);
		dump_number (key, values[i]);
	}
}

static void
array_answers (MonoType *type)
{
	MonoArrayType *array = mono_type_get_array_type (type);

	dump_number ("array rank", array->rank);
	dump_number ("array sizes", array->numsizes);
	dump_number ("array bounds", array->numlobounds);
	dimensions ("size", array->sizes, array->numsizes);
	dimensions ("bound", array->lobounds, array->numlobounds);
	dump_class ("array element", array->eklass);
}

static void
function_answers (MonoMethodSignature *signature)
{
	dump_yes ("function is known", signature != NULL);
	if (!signature)
		return;
	dump_owned ("function", mono_signature_get_desc (signature, 1));
	dump_named ("function result", mono_signature_get_return_type (signature));
	dump_number ("function convention", mono_signature_get_call_conv (signature));
}

/* What is behind the type, by its code. */
static void
parts (MonoType *type)
{
	switch (mono_type_get_type (type)) {
	case MONO_TYPE_CLASS:
	case MONO_TYPE_VALUETYPE: dump_class ("class of the type", mono_type_get_class (type)); break;
	case MONO_TYPE_PTR: dump_named ("pointee", mono_type_get_ptr_type (type)); break;
	case MONO_TYPE_ARRAY: array_answers (type); break;
	case MONO_TYPE_FNPTR: function_answers (mono_type_get_signature (type)); break;
	default: break;
	}
}

static int
has_modifiers (MonoType *type)
{
	mono_bool required;
	void *iter = NULL;

	return mono_type_get_modifiers (type, &required, &iter) != NULL;
}

/* Mono dies of void here. */
static int
stack_size (MonoType *type, int *ret_alignment)
{
	return dump_is_open (type) || mono_type_is_void (type) ? 0 : mono_type_stack_size (type, ret_alignment);
}

static void
size_answers (MonoType *type)
{
	int alignment = 0;

	dump_number ("size", mono_type_size (type, &alignment));
	dump_number ("alignment", alignment);
}

void
dump_type (const char *what, int number, MonoType *type)
{
	char prefix[64];

	if (number < 0)
		snprintf (prefix, sizeof prefix, "%s ", what);
	else
		snprintf (prefix, sizeof prefix, "%s %d ", what, number);
	dump_prefix ("%s", prefix);
	dump_yes ("is known", type != NULL);
	int alignment = 0;
	if (!type)
		return;
#define TYPE(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	parts (type);
	if (!dump_is_open (type))
		size_answers (type);
	dump_meet (mono_class_from_mono_type (type));
	dump_prefix ("%s", "");
}

static void
met_class (MonoClass *klass, const char *name)
{
	MonoType *type = mono_class_get_type (klass);
	int code = mono_type_get_type (type);

	dump_subject ("met %s", name);
#define CLASS(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	dump_class ("parent", mono_class_get_parent (klass));
	if (mono_class_get_rank (klass) > 0)
		dump_meet (mono_class_get_element_class (klass));
	else if (code == MONO_TYPE_GENERICINST && dump_is_own (mono_class_get_image (klass)))
		dump_members (klass, name);
}

void
dump_met_classes (void)
{
	/* Walking the members of instances finds more. */
	in_instance = 1;
	for (int i = 0; i < seen_count; i++)
		met_class (seen[i].klass, seen[i].name);
	while (seen_count > 0)
		free (seen[--seen_count].name);
	in_instance = 0;
}

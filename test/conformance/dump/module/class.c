/*
 * SPDX-License-Identifier: MIT
 *
 * class.c - answers about the definitions of an image, class by class in the order of its table.
 */
#include <string.h>
#include "dump.h"

static int
below_parent (MonoClass *klass)
{
	MonoClass *parent = mono_class_get_parent (klass);

	return parent && mono_class_is_subclass_of (klass, parent, 0) && mono_class_is_assignable_from (parent, klass);
}

static int32_t
value_size (MonoClass *klass)
{
	uint32_t alignment = 0;

	return mono_class_is_valuetype (klass) ? mono_class_value_size (klass, &alignment) : 0;
}

static uint32_t
value_alignment (MonoClass *klass)
{
	uint32_t alignment = 0;

	if (mono_class_is_valuetype (klass))
		mono_class_value_size (klass, &alignment);
	return alignment;
}

static int
type_size (MonoType *type)
{
	int alignment = 0;

	return mono_type_size (type, &alignment);
}

static void
lookups (MonoImage *image, MonoClass *klass, uint32_t token)
{
	MonoClass *found = mono_class_from_name (image, mono_class_get_namespace (klass), mono_class_get_name (klass));

	/* Nested classes are found by another way only. */
	dump_yes ("is of its name", found == klass);
	dump_yes ("is of its token again", mono_class_get (image, token) == klass);
	dump_owned ("name of the token", mono_class_name_from_token (image, token));
}

static void
class_answers (MonoImage *image, uint32_t token)
{
	MonoClass *klass = mono_class_get (image, token);

	dump_subject ("class %s 0x%08x", mono_image_get_name (image), token);
	dump_yes ("is known", klass != NULL);
	if (!klass)
		return;
#define CLASS(form, key, expression)      dump_##form (key, expression);
#define DEFINITION(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	lookups (image, klass, token);
	if (!dump_is_open (mono_class_get_type (klass))) {
#define CLOSED(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	}
	dump_attributes (mono_custom_attrs_from_class (klass));
	dump_members (klass, NULL);
}

void
dump_classes (MonoImage *image)
{
	uint32_t count = (uint32_t) mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF);

	for (uint32_t i = 1; i <= count; i++)
		class_answers (image, mono_metadata_make_token (MONO_TABLE_TYPEDEF, i));
}

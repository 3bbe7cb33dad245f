/*
 * SPDX-License-Identifier: MIT
 *
 * field.c - what modules ask about fields.
 *
 * Names, types and flags in any context; walking, look-ups and offsets make records or ask the runtime and are said to
 * need normal context. After an image is unloaded what was asked before still answers.
 */
#include "class.h"
#include "field.h"

#include <stdio.h>
#include <string.h>
#include "dispatch/host.h"
#include "image.h"
#include "member.h"

enum {
	STATIC = 0x10,
	HAS_DEFAULT = 0x8000,
	HAS_RVA = 0x100, /* FieldAttributes, II.23.1.5 */
	ROW_MASK = 0xffffff,
};

/* --- the fields of a class ---------------------------------------------------------------------------------------- */

MonoClassField *
mono_class_get_fields (MonoClass *klass, void **iter)
{
	return monocle__member_next (monocle__members_of (klass, MONOCLE_MEMBER_FIELD), iter);
}

int
mono_class_num_fields (MonoClass *klass)
{
	const monocle__member_list *list = monocle__members_of (klass, MONOCLE_MEMBER_FIELD);
	return list ? (int) list->count : 0;
}

MonoClassField *
monocle__field_at (MonoClass *klass, uint32_t index)
{
	void *iter = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter)))
		if (field->member.desc->index == index)
			return field;
	return NULL;
}

MonoClassField *
mono_class_get_field_from_name (MonoClass *klass, const char *name)
{
	for (int depth = 0; klass && name && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass)) {
		void *iter = NULL;
		MonoClassField *field;
		while ((field = mono_class_get_fields (klass, &iter)))
			if (!strcmp (field->member.desc->name, name))
				return field;
	}
	return NULL;
}

/* Base classes of the same image are searched too. */
MonoClassField *
mono_class_get_field (MonoClass *klass, uint32_t token)
{
	MonoImage *image = klass ? monocle__class_image (klass) : NULL;
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass)) {
		void *iter = NULL;
		MonoClassField *field;
		while (monocle__class_image (klass) == image && (field = mono_class_get_fields (klass, &iter)))
			if (field->member.desc->token == token)
				return field;
	}
	return NULL;
}

/* A host that supplies no context for type arguments leaves them open, as Mono does without one. */
MonoClassField *
mono_field_from_token (MonoImage *image, uint32_t token, MonoClass **ret_klass, MonoGenericContext *context)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoClass *klass = NULL;
	uint32_t index = 0;
	int failed = -1;
	if (image && ops->field_of_token && monocle__image_ask_begin (image)) {
		failed = ops->field_of_token (ops->host, image, token, NULL, NULL, &klass, &index);
		monocle__image_ask_end (image);
	}
	MonoClassField *field = !failed && klass ? monocle__field_at (klass, index) : NULL;
	if (ret_klass)
		*ret_klass = field ? klass : NULL;
	return field;
}

/* --- one field ---------------------------------------------------------------------------------------------------- */

const char *
mono_field_get_name (MonoClassField *field)
{
	return field ? field->member.desc->name : NULL;
}

MonoType *
mono_field_get_type (MonoClassField *field)
{
	return field ? monocle__member_type (&field->member) : NULL;
}

MonoClass *
mono_field_get_parent (MonoClassField *field)
{
	return field ? field->member.parent : NULL;
}

uint32_t
mono_field_get_flags (MonoClassField *field)
{
	return field ? field->member.desc->flags : 0;
}

uint32_t
mono_class_get_field_token (MonoClassField *field)
{
	return field ? field->member.desc->token : 0;
}

/* An offset is never 0, since the object's header comes first; so 0 is free to say that it is not known. */
uint32_t
mono_field_get_offset (MonoClassField *field)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t offset = field ? atomic_load_explicit (&field->member.offset, memory_order_relaxed) : 0;
	if (!field || offset || field->member.desc->flags & STATIC || !ops->field_offset)
		return offset;
	MonoImage *image = monocle__class_image (field->member.parent);
	if (!monocle__image_ask_begin (image))
		return 0;
	if (ops->field_offset (ops->host, field->member.parent, field->member.desc->index, &offset) != 0)
		offset = 0;
	monocle__image_ask_end (image);
	atomic_store_explicit (&field->member.offset, offset, memory_order_relaxed);
	return offset;
}

/* The constant's blob is in the arena; the data of a field with an RVA only in the image. */
const char *
mono_field_get_data (MonoClassField *field)
{
	if (!field)
		return NULL;
	const monocle__member_desc *desc = field->member.desc;
	if (desc->flags & HAS_DEFAULT)
		return desc->constant;
	MonoImage *image = monocle__class_image (field->member.parent);
	return desc->flags & HAS_RVA && image && !atomic_load (&image->unloaded) ? desc->data : NULL;
}

char *
mono_field_full_name (MonoClassField *field)
{
	char *text;
	if (!field)
		return NULL;
	const char *name_space = mono_class_get_namespace (field->member.parent);
	int length = asprintf (&text, "%s%s%s:%s", name_space, *name_space ? "." : "",
	                       mono_class_get_name (field->member.parent), field->member.desc->name);
	return length < 0 ? NULL : text;
}

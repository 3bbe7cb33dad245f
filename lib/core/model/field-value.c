/*
 * SPDX-License-Identifier: MIT
 *
 * field-value.c - what is in fields: bytes copied from where the host says they are, constants from metadata.
 *
 * Reading an instance field is allowed wherever the object may be looked at, once its offset is known; the first time,
 * and for static fields, the host may have to look the class up: normal context. Nothing is written to a field, and no
 * static constructor runs. What cannot be told reads as zeros.
 */
#include <string.h>
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "log.h"
#include "member.h"

enum { STATIC = 0x10, LITERAL = 0x40, HAS_RVA = 0x100 }; /* FieldAttributes, II.23.1.5 */

/* Copies a value of the field's type, or zeros from nowhere. */
static void
copy_value (MonoClassField *field, void *to, const void *from)
{
	int alignment, size = mono_type_size (mono_field_get_type (field), &alignment);
	if (from)
		memcpy (to, from, (size_t) size);
	else
		memset (to, 0, (size_t) size);
}

/* Where an instance field is; NULL: unknown. */
static const char *
address_in (MonoObject *object, MonoClassField *field)
{
	uint32_t offset = object ? mono_field_get_offset (field) : 0;
	return offset ? (const char *) object + offset : NULL;
}

static const void *
static_address (MonoClassField *field)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoImage *image = monocle__class_image (field->member.parent);
	const void *address = NULL;
	if (!ops->static_address)
		MONOCLE__LOG_ONCE ("static fields are not served by this host; they read as zeros");
	else if (monocle__image_ask_begin (image)) {
		address = ops->static_address (ops->host, field->member.parent, field->member.desc->index);
		monocle__image_ask_end (image);
	}
	return address;
}

/* The bytes of a literal after its blob's length (II.24.2.4); NULL: text, or none. */
static const void *
constant_of (const monocle__member_desc *desc)
{
	const char *blob = desc->constant;
	if (!blob || desc->constant_type == MONO_TYPE_STRING || desc->constant_type == MONO_TYPE_CLASS)
		return NULL;
	unsigned char first = (unsigned char) *blob;
	return blob + (first < 0x80 ? 1 : first < 0xC0 ? 2 : 4);
}

static void
copy_constant (MonoClassField *field, void *to)
{
	const monocle__member_desc *desc = field->member.desc;
	int alignment, size = mono_type_size (mono_field_get_type (field), &alignment);
	const void *from = constant_of (desc);
	if (desc->constant_type == MONO_TYPE_STRING)
		MONOCLE__LOG_ONCE ("the value of a constant string cannot be made an object by this host; it reads as NULL");
	if (from && (uint32_t) size <= desc->constant_size)
		memcpy (to, from, (size_t) size);
	else
		memset (to, 0, (size_t) size);
}

/* --- mono_field_* ------------------------------------------------------------------------------------------------- */

void
mono_field_get_value (MonoObject *object, MonoClassField *field, void *value)
{
	if (field && value && !(mono_field_get_flags (field) & STATIC))
		copy_value (field, value, address_in (object, field));
}

void
mono_field_static_get_value (MonoVTable *vtable, MonoClassField *field, void *value)
{
	uint32_t flags = mono_field_get_flags (field);
	const void *from;
	if (!value || !(flags & STATIC))
		return;
	if (flags & LITERAL)
		copy_constant (field, value);
	else if ((from = static_address (field)) || !(flags & HAS_RVA))
		copy_value (field, value, from);
	else
		copy_value (field, value, mono_field_get_data (field)); /* what the image has there */
}

/* Making a box is the runtime's business. */
MonoObject *
mono_field_get_value_object (MonoDomain *domain, MonoClassField *field, MonoObject *object)
{
	MonoType *type = mono_field_get_type (field);
	MonoObject *value = NULL;
	if (!type)
		return NULL;
	if (mono_class_is_valuetype (mono_class_from_mono_type (type))) {
		MONOCLE__LOG_ONCE ("mono_field_get_value_object makes no boxes on this host; it returned NULL");
		return NULL;
	}
	if (mono_field_get_flags (field) & STATIC)
		mono_field_static_get_value (NULL, field, &value);
	else
		mono_field_get_value (object, field, &value);
	return value;
}

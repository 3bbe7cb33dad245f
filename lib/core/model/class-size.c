/*
 * SPDX-License-Identifier: MIT
 *
 * class-size.c - how much room instances, values, elements and static fields take.
 *
 * Primitives, enums and references are known without a host; what a struct or an object takes only its runtime knows.
 * Sizes are those of the runtime that runs: an object's header is 16 bytes on Mono and 8 on CoreCLR, and
 * mono_class_instance_size () less mono_class_value_size () is the header on both. 0: unknown. Normal context.
 */
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "member.h"
#include "type.h"

enum { STATIC = 0x10, LITERAL = 0x40 }; /* FieldAttributes, II.23.1.5 */

/* Bytes of what has a size of its own; 0: a struct or nothing at all. */
static uint32_t
size_of_code (uint32_t code)
{
	switch (code) {
	case MONO_TYPE_BOOLEAN:
	case MONO_TYPE_I1:
	case MONO_TYPE_U1: return 1;
	case MONO_TYPE_CHAR:
	case MONO_TYPE_I2:
	case MONO_TYPE_U2: return 2;
	case MONO_TYPE_I4:
	case MONO_TYPE_U4:
	case MONO_TYPE_R4: return 4;
	case MONO_TYPE_I8:
	case MONO_TYPE_U8:
	case MONO_TYPE_R8: return 8;
	case MONO_TYPE_I:
	case MONO_TYPE_U:
	case MONO_TYPE_PTR:
	case MONO_TYPE_FNPTR: return (uint32_t) sizeof (void *);
	default: return 0;
	}
}

/* Of a primitive or an enum. */
static uint32_t
simple_size (MonoClass *klass)
{
	MonoType *base = monocle__class_enum_base (klass);
	return size_of_code (monocle__type_code (base ? base : monocle_type (klass)));
}

static bool
ask_layout (MonoClass *klass, monocle_layout_info *ret)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoImage *image = monocle__class_image (klass);
	*ret = (monocle_layout_info) { .size = sizeof *ret };
	if (!ops->describe_layout || !monocle__image_ask_begin (image))
		return false;
	bool is_known = ops->describe_layout (ops->host, klass, ret) == 0 && ret->instance_size >= ret->header_size;
	monocle__image_ask_end (image);
	return is_known;
}

/* --- alignment ---------------------------------------------------------------------------------------------------- */

/*
 * The alignment of a class is the strictest of its fields, those of its bases included; a packing that metadata gives
 * (II.22.8) limits it. A struct that metadata puts into itself ends with `work`, the fields that may still be looked
 * at.
 */
static uint32_t align_of_class (MonoClass *klass, uint32_t *work);

static uint32_t
align_of_type (MonoType *type, uint32_t *work)
{
	if (!type || type->is_byref || !mono_class_is_valuetype (type->klass))
		return (uint32_t) sizeof (void *);
	return align_of_class (type->klass, work);
}

static uint32_t
packed (MonoClass *klass, uint32_t alignment)
{
	uint32_t packing = 0, size, token = monocle_class_token (klass);
	MonoImage *image = monocle__class_image (klass);
	if (token && image && alignment > 1)
		mono_metadata_packing_from_typedef (image, token, &packing, &size);
	return packing && packing < alignment ? packing : alignment;
}

static uint32_t
align_of_fields (MonoClass *klass, uint32_t *work)
{
	uint32_t strictest = 1;
	void *iter = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter))) {
		if (mono_field_get_flags (field) & STATIC)
			continue;
		if (!*work)
			return (uint32_t) sizeof (void *);
		--*work;
		uint32_t own = align_of_type (mono_field_get_type (field), work);
		strictest = own > strictest ? own : strictest;
	}
	return packed (klass, strictest);
}

static uint32_t
align_of_class (MonoClass *klass, uint32_t *work)
{
	uint32_t strictest = simple_size (klass);
	if (strictest)
		return strictest;
	strictest = 1;
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass)) {
		uint32_t own = align_of_fields (klass, work);
		strictest = own > strictest ? own : strictest;
	}
	return strictest;
}

static uint32_t
alignment_of (MonoClass *klass)
{
	uint32_t work = 1000;
	return monocle__members_are_told () ? align_of_class (klass, &work) : (uint32_t) sizeof (void *);
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* Bytes of a value; 0: unknown. *ret_alignment may be NULL. Normal context. */
static uint32_t
value_size (MonoClass *klass, uint32_t *ret_alignment)
{
	monocle_layout_info layout = { 0 };
	uint32_t size = simple_size (klass), alignment = size;
	if (!size && ask_layout (klass, &layout))
		size = layout.instance_size - layout.header_size;
	if (!alignment && ret_alignment)
		alignment = layout.alignment ? layout.alignment : alignment_of (klass);
	if (ret_alignment)
		*ret_alignment = alignment;
	return size;
}

int32_t
mono_class_value_size (MonoClass *klass, uint32_t *align)
{
	if (align)
		*align = 0;
	return klass ? (int32_t) value_size (klass, align) : 0;
}

int32_t
mono_class_instance_size (MonoClass *klass)
{
	monocle_layout_info layout;
	return klass && ask_layout (klass, &layout) ? (int32_t) layout.instance_size : 0;
}

/* Where the next static field of a type begins, and what is after it: Mono puts them one after the other. */
static uint64_t
behind_static (uint64_t at, MonoType *type)
{
	int alignment = 1, size = type ? mono_type_size (type, &alignment) : 0;
	return (at + (uint32_t) alignment - 1) / (uint32_t) alignment * (uint32_t) alignment + (uint32_t) size;
}

/* A runtime may keep them elsewhere, in pieces. Then it is what they would take together. */
int32_t
mono_class_data_size (MonoClass *klass)
{
	monocle_layout_info layout;
	uint64_t size = 0;
	void *iter = NULL;
	MonoClassField *field;
	if (klass && ask_layout (klass, &layout) && layout.static_size)
		return (int32_t) layout.static_size;
	while ((field = mono_class_get_fields (klass, &iter)))
		if ((mono_field_get_flags (field) & (STATIC | LITERAL)) == STATIC)
			size = behind_static (size, mono_field_get_type (field));
	return size <= INT32_MAX ? (int32_t) size : 0;
}

int32_t
mono_class_min_align (MonoClass *klass)
{
	uint32_t alignment = 0;
	if (klass)
		value_size (klass, &alignment);
	return (int32_t) alignment;
}

int32_t
mono_class_array_element_size (MonoClass *klass)
{
	if (!klass)
		return 0;
	return mono_class_is_valuetype (klass) ? (int32_t) value_size (klass, NULL) : (int32_t) sizeof (void *);
}

int32_t
mono_array_element_size (MonoClass *ac)
{
	return ac && ac->kind == MONOCLE__CLASS_ARRAY ? mono_class_array_element_size (ac->element) : 0;
}

/* Mono gives void the size of nothing and the alignment of one byte. */
int
mono_type_size (MonoType *type, int *alignment)
{
	uint32_t size = 0, align = 0;
	if (type && monocle__type_code (type) != MONO_TYPE_VOID && !type->is_byref && mono_class_is_valuetype (type->klass))
		size = value_size (type->klass, &align);
	else if (type && (type->is_byref || monocle__type_code (type) != MONO_TYPE_VOID))
		size = align = (uint32_t) sizeof (void *);
	if (alignment)
		*alignment = align ? (int) align : 1;
	return (int) size;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * attribute.c - custom attributes on tokens (ECMA-335 II.22.10), in the order of the table.
 */
#include "attribute.h"
#include "describe-priv.h"

static uint32_t
nth_row (const monocle__ecma_image *ecma, uint32_t token, uint32_t index)
{
	uint32_t row = monocle__attribute_row (ecma, token, 0);
	while (row && index--)
		row = monocle__attribute_row (ecma, token, row);
	return row;
}

/* The constructor's class, or, where its image is not loaded, what the reference says. */
static MonoClass *
attribute_class (monocle__describe_image *image, const monocle__attribute *attribute, MonoMethod *constructor)
{
	uint32_t parent;
	if (constructor)
		return mono_method_get_class (constructor);
	if (attribute->constructor_token >> 24 != MONOCLE__TABLE_MemberRef ||
	    monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MemberRef, attribute->constructor_token & 0xFFFFFF,
	                          MONOCLE__COL_MemberRef_Class, &parent))
		return NULL;
	parent = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	return monocle__describe_class_of_token (image, parent, NULL, NULL);
}

static int
describe_attribute (void *host, MonoImage *record, uint32_t token, uint32_t index, monocle_attribute_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	monocle__attribute attribute;
	if (!image)
		return MONOCLE_E_UNKNOWN;
	uint32_t row = nth_row (&image->ecma, token, index);
	if (!row)
		return MONOCLE_E_NOT_FOUND;
	if (monocle__attribute_get (&image->ecma, row, &attribute))
		return MONOCLE_E_UNKNOWN;
	ret->constructor = monocle__describe_method (image, attribute.constructor_token, NULL, NULL);
	ret->klass = attribute_class (image, &attribute, ret->constructor);
	ret->data = attribute.value;
	ret->data_size = attribute.size;
	return MONOCLE_OK;
}

void
monocle__describe_attribute_ops (monocle_host_ops *ops)
{
	ops->describe_attribute = describe_attribute;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * token.c - the operations on tokens, signature bytes and raw metadata of an image.
 */
#include <string.h>
#include "describe-priv.h"

static MonoClass *
class_of_token (void *host, MonoImage *record, uint32_t token, MonoClass *klass, MonoMethod *method)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	return image ? monocle__describe_class_of_token (image, token, klass, method) : NULL;
}

static MonoMethod *
method_of_token (void *host, MonoImage *record, uint32_t token, MonoClass *klass, MonoMethod *method)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	return image ? monocle__describe_method (image, token, klass, method) : NULL;
}

static int
field_of_token (void *host, MonoImage *record, uint32_t token, MonoClass *klass, MonoMethod *method,
                MonoClass **ret_klass, uint32_t *ret_index)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	return image ? monocle__describe_field (image, token, klass, method, ret_klass, ret_index) : MONOCLE_E_UNKNOWN;
}

/* --- signature bytes ---------------------------------------------------------------------------------------------- */

static monocle__ecma_cursor
cursor_between (const uint8_t *at, const uint8_t *end)
{
	size_t size = end > at ? (size_t) (end - at) : 0;
	return monocle__ecma_cursor_over (at, size > UINT32_MAX ? UINT32_MAX : (uint32_t) size);
}

static MonoType *
read_type (void *host, MonoImage *record, const uint8_t **at, const uint8_t *end, MonoClass *klass, MonoMethod *method)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	monocle__ecma_cursor cursor = cursor_between (*at, end);
	MonoType *type = image ? monocle__describe_read_type (image, &cursor, klass, method) : NULL;
	if (type)
		*at = cursor.at;
	return type;
}

static int
read_signature (void *host, MonoImage *record, const uint8_t **at, const uint8_t *end, MonoClass *klass,
                MonoMethod *method, monocle_signature_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	monocle__ecma_cursor cursor = cursor_between (*at, end);
	int result = image ? monocle__describe_read_signature (image, &cursor, klass, method, ret) : MONOCLE_E_UNKNOWN;
	if (!result)
		*at = cursor.at;
	return result;
}

/* --- raw metadata ------------------------------------------------------------------------------------------------- */

static const void *
string_at (const monocle__ecma_image *ecma, uint32_t offset, uint32_t *ret_size)
{
	const char *string = monocle__ecma_string (ecma, offset);
	if (string)
		*ret_size = (uint32_t) strlen (string);
	return string;
}

static const void *
rva_at (const monocle__ecma_image *ecma, uint32_t offset, uint32_t *ret_size)
{
	size_t available = 0;
	const void *data = monocle__ecma_rva (ecma, offset, &available);
	*ret_size = available > UINT32_MAX ? UINT32_MAX : (uint32_t) available;
	return data;
}

static const void *
metadata_heap (void *host, MonoImage *record, monocle_heap_kind heap, uint32_t offset, uint32_t *ret_size)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	const uint8_t *data;
	if (!image)
		return NULL;
	switch (heap) {
	case MONOCLE_HEAP_STRINGS: return string_at (&image->ecma, offset, ret_size);
	case MONOCLE_HEAP_BLOB: return monocle__ecma_blob (&image->ecma, offset, &data, ret_size) ? NULL : data;
	case MONOCLE_HEAP_USER_STRINGS:
		return monocle__ecma_user_string (&image->ecma, offset, &data, ret_size) ? NULL : data;
	case MONOCLE_HEAP_GUID: *ret_size = 16; return monocle__ecma_guid (&image->ecma, offset);
	case MONOCLE_HEAP_RVA: return rva_at (&image->ecma, offset, ret_size);
	default: return NULL;
	}
}

static int
metadata_column (void *host, MonoImage *record, uint32_t table, uint32_t row, uint32_t column, uint32_t *ret_value)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	return image && monocle__ecma_column (&image->ecma, table, row, column, ret_value) == 0 ? MONOCLE_OK
	                                                                                        : MONOCLE_E_UNKNOWN;
}

void
monocle__describe_token_ops (monocle_host_ops *ops)
{
	ops->class_of_token = class_of_token;
	ops->method_of_token = method_of_token;
	ops->field_of_token = field_of_token;
	ops->read_type = read_type;
	ops->read_signature = read_signature;
	ops->metadata_heap = metadata_heap;
	ops->metadata_column = metadata_column;
}

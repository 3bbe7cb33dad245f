/*
 * SPDX-License-Identifier: MIT
 *
 * metadata-blob.c - the heaps of an image, and what is in blobs: numbers, modifiers, types, array shapes.
 *
 * Heap answers are borrowed from the image. Functions that take a bare pointer believe it, as Mono does: it has no end,
 * so the host is given one that no signature reaches. Any context, but for what allocates. ECMA-335 II.23.2, II.24.2.
 */
#include "metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dispatch/host.h"
#include "image.h"

enum {
	BLOB_LIMIT = 1 << 24, /* longer than any signature (II.15.4.1.1: 65,535 parameters) */
	LENGTH_1 = 0x80,
	LENGTH_2 = 0x4000,
	SIGN_BIT_1 = 0x40,
	SIGN_BIT_2 = 0x2000,
	SIGN_BIT_4 = 0x10000000,
	ROW_MASK = 0xffffff,
};

/* --- heaps -------------------------------------------------------------------------------------------------------- */

const uint8_t *
monocle__metadata_heap (MonoImage *image, monocle_heap_kind heap, uint32_t offset, uint32_t *ret_size)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t size = 0;
	if (!image || !ops->metadata_heap || !monocle__image_ask_begin (image))
		return NULL;
	const uint8_t *bytes = ops->metadata_heap (ops->host, image, heap, offset, &size);
	monocle__image_ask_end (image);
	if (bytes && ret_size)
		*ret_size = size;
	return bytes;
}

/*
 * Where the length before `size` bytes begins. Writers encode it as short as possible; where one did not, a
 * shorter reading that gives the same size does as well.
 */
static const uint8_t *
behind_length (const uint8_t *bytes, uint32_t size)
{
	if (size < LENGTH_1 && bytes[-1] == size)
		return bytes - 1;
	if (size < LENGTH_2 && bytes[-2] == (LENGTH_1 | size >> 8) && bytes[-1] == (size & 0xff))
		return bytes - 2;
	return bytes - 4;
}

static const char *
heap_with_length (MonoImage *image, monocle_heap_kind heap, uint32_t offset)
{
	uint32_t size = 0;
	const uint8_t *bytes = monocle__metadata_heap (image, heap, offset, &size);
	return bytes ? (const char *) behind_length (bytes, size) : NULL;
}

const char *
mono_metadata_string_heap (MonoImage *meta, uint32_t table_index)
{
	return (const char *) monocle__metadata_heap (meta, MONOCLE_HEAP_STRINGS, table_index, NULL);
}

/* An image without a heap has an empty blob all the same. */
const char *
mono_metadata_blob_heap (MonoImage *meta, uint32_t table_index)
{
	const char *blob = heap_with_length (meta, MONOCLE_HEAP_BLOB, table_index);
	return blob || table_index || !meta ? blob : "";
}

const char *
mono_metadata_user_string (MonoImage *meta, uint32_t table_index)
{
	const char *blob = heap_with_length (meta, MONOCLE_HEAP_USER_STRINGS, table_index);
	return blob || table_index || !meta ? blob : "";
}

const char *
mono_metadata_guid_heap (MonoImage *meta, uint32_t table_index)
{
	return (const char *) monocle__metadata_heap (meta, MONOCLE_HEAP_GUID, table_index, NULL);
}

/* The first three fields of a GUID are little-endian numbers, the rest is bytes: where each text byte comes from. */
static char *
guid_text (const uint8_t *guid, const char digits[16], bool with_dashes)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char *text = guid ? malloc (37) : NULL, *at = text;
	for (int i = 0; text && i < 16; i++) {
		if (with_dashes && (i == 4 || i == 6 || i == 8 || i == 10))
			*at++ = '-';
		*at++ = digits[guid[order[i]] >> 4];
		*at++ = digits[guid[order[i]] & 15];
	}
	if (text)
		*at = 0;
	return text;
}

char *
mono_guid_to_string (const uint8_t *guid)
{
	return guid_text (guid, "0123456789ABCDEF", true);
}

char *
mono_guid_to_string_minimal (const uint8_t *guid)
{
	return guid_text (guid, "0123456789abcdef", false);
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* How many bytes the number at `ptr` has. */
static int
length_of (const uint8_t *ptr)
{
	return *ptr & 0x80 ? *ptr & 0x40 ? 4 : 2 : 1;
}

uint32_t
mono_metadata_decode_value (const char *ptr, const char **rptr)
{
	const uint8_t *at = (const uint8_t *) ptr;
	if (rptr)
		*rptr = at ? ptr + length_of (at) : NULL;
	if (!at)
		return 0;
	switch (length_of (at)) {
	case 1: return at[0];
	case 2: return (uint32_t) (at[0] & 0x3f) << 8 | at[1];
	default: return (uint32_t) (at[0] & 0x1f) << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
	}
}

uint32_t
mono_metadata_decode_blob_size (const char *ptr, const char **rptr)
{
	return mono_metadata_decode_value (ptr, rptr);
}

/*
 * II.23.2: the sign is the lowest bit, and the number is rotated by one within its 7, 14 or 29 bits. Mono looks
 * at the value instead of its width there, and is wrong for what is far below zero: see doc/differences.md.
 */
int32_t
mono_metadata_decode_signed_value (const char *ptr, const char **rptr)
{
	uint32_t value = mono_metadata_decode_value (ptr, rptr);
	if (!ptr || !(value & 1))
		return (int32_t) (value >> 1);
	int length = length_of ((const uint8_t *) ptr);
	int32_t bit = length == 1 ? SIGN_BIT_1 : length == 2 ? SIGN_BIT_2 : SIGN_BIT_4;
	return (int32_t) (value >> 1) - bit;
}

void
mono_metadata_encode_value (uint32_t value, char *bug, char **endbuf)
{
	char *out = bug;
	if (value < LENGTH_1) {
		*out++ = (char) value;
	} else if (value < LENGTH_2) {
		*out++ = (char) (0x80 | value >> 8);
		*out++ = (char) value;
	} else {
		*out++ = (char) (0xc0 | value >> 24);
		*out++ = (char) (value >> 16);
		*out++ = (char) (value >> 8);
		*out++ = (char) value;
	}
	if (endbuf)
		*endbuf = out;
}

uint32_t
mono_metadata_parse_typedef_or_ref (MonoImage *m, const char *ptr, const char **rptr)
{
	return mono_metadata_token_from_dor (mono_metadata_decode_value (ptr, rptr));
}

int
mono_metadata_parse_custom_mod (MonoImage *m, MonoCustomMod *dest, const char *ptr, const char **rptr)
{
	bool is_required = ptr && *ptr == MONO_TYPE_CMOD_REQD;
	if (rptr)
		*rptr = ptr;
	if (!is_required && !(ptr && *ptr == MONO_TYPE_CMOD_OPT))
		return 0;
	uint32_t token = mono_metadata_parse_typedef_or_ref (m, ptr + 1, rptr);
	if (dest)
		*dest = (MonoCustomMod) { .required = is_required, .token = token & 0x7fffffff };
	return 1;
}

/* --- types -------------------------------------------------------------------------------------------------------- */

MonoType *
monocle__metadata_type (MonoImage *image, const uint8_t **at, const uint8_t *end)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!image || !ops->read_type || !monocle__image_ask_begin (image))
		return NULL;
	MonoType *type = ops->read_type (ops->host, image, at, end, NULL, NULL);
	monocle__image_ask_end (image);
	return type;
}

MonoType *
mono_metadata_parse_type (MonoImage *m, MonoParseTypeMode mode, short opt_attrs, const char *ptr, const char **rptr)
{
	const uint8_t *at = (const uint8_t *) ptr;
	MonoType *type = ptr ? monocle__metadata_type (m, &at, at + BLOB_LIMIT) : NULL;
	if (rptr)
		*rptr = (const char *) at;
	return type;
}

MonoType *
mono_metadata_parse_param (MonoImage *m, const char *ptr, const char **rptr)
{
	return mono_metadata_parse_type (m, MONO_PARSE_PARAM, 0, ptr, rptr);
}

MonoType *
mono_metadata_parse_field_type (MonoImage *m, short field_flags, const char *ptr, const char **rptr)
{
	return mono_metadata_parse_type (m, MONO_PARSE_FIELD, field_flags, ptr, rptr);
}

MonoType *
mono_type_create_from_typespec (MonoImage *image, uint32_t type_spec)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	uint32_t row = type_spec & ROW_MASK;
	if (!held || row > monocle__metadata_rows (image, MONO_TABLE_TYPESPEC))
		return NULL;
	uint32_t size = 0, offset = monocle__metadata_cell (image, MONO_TABLE_TYPESPEC, row, MONO_TYPESPEC_SIGNATURE);
	const uint8_t *blob = offset ? monocle__metadata_heap (image, MONOCLE_HEAP_BLOB, offset, &size) : NULL;
	return blob ? monocle__metadata_type (image, &blob, blob + size) : NULL;
}

/* Types live for ever. */
void
mono_metadata_free_type (MonoType *type)
{
}

/* `count` numbers, of which no more are kept than an array has dimensions. */
static bool
read_bounds (const char **at, bool is_signed, uint8_t *ret_count, int **ret_bounds)
{
	uint32_t count = mono_metadata_decode_value (*at, at);
	if (!count)
		return true;
	int *bounds = count <= UINT8_MAX ? calloc (count, sizeof *bounds) : NULL;
	if (!bounds)
		return false;
	for (uint32_t i = 0; i < count; i++)
		bounds[i] =
		    is_signed ? mono_metadata_decode_signed_value (*at, at) : (int) mono_metadata_decode_value (*at, at);
	*ret_count = (uint8_t) count;
	*ret_bounds = bounds;
	return true;
}

MonoArrayType *
mono_metadata_parse_array (MonoImage *m, const char *ptr, const char **rptr)
{
	const char *at = ptr;
	MonoType *element = mono_metadata_parse_type (m, MONO_PARSE_TYPE, 0, ptr, &at);
	MonoArrayType *array = element ? calloc (1, sizeof *array) : NULL;
	if (!array)
		return NULL;
	array->eklass = mono_class_from_mono_type (element);
	array->rank = (uint8_t) mono_metadata_decode_value (at, &at);
	if (!read_bounds (&at, false, &array->numsizes, &array->sizes) ||
	    !read_bounds (&at, true, &array->numlobounds, &array->lobounds)) {
		mono_metadata_free_array (array);
		return NULL;
	}
	if (rptr)
		*rptr = at;
	return array;
}

void
mono_metadata_free_array (MonoArrayType *array)
{
	if (!array)
		return;
	free (array->sizes);
	free (array->lobounds);
	free (array);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * marshal-spec.c - marshalling descriptors (ECMA-335 II.23.4, and Mono's and the CLR's additions).
 *
 * A descriptor is read within its length; what it does not say is -1 of an LPARRAY and 0 of everything else, as Mono
 * has it. What is read belongs to the caller. Normal context.
 */
#include <stdlib.h>
#include <string.h>
#include "records.h"

/* What is left of a descriptor. */
struct cursor {
	const char *at, *end;
};

/* Is a whole number left? */
static bool
has_more (const struct cursor *cursor)
{
	ptrdiff_t left = cursor->end - cursor->at;
	return left > 0 && left >= (*cursor->at & 0x80 ? *cursor->at & 0x40 ? 4 : 2 : 1);
}

/* The next number, `fallback` when there is none. */
static uint32_t
number (struct cursor *cursor, uint32_t fallback)
{
	return has_more (cursor) ? mono_metadata_decode_value (cursor->at, &cursor->at) : fallback;
}

static void
read_array (struct cursor *cursor, MonoMarshalSpec *spec)
{
	enum { HAS_PARAMETER = 1 };
	spec->data.array_data.elem_type = (MonoMarshalNative) number (cursor, 0);
	spec->data.array_data.param_num = (int16_t) number (cursor, UINT32_MAX);
	spec->data.array_data.num_elem = (int32_t) number (cursor, UINT32_MAX);
	if (has_more (cursor))
		spec->data.array_data.elem_mult = (int16_t) (number (cursor, 0) & HAS_PARAMETER);
	else
		spec->data.array_data.elem_mult = -1;
}

/* A string behind its length; an allocation, NULL: there is none, or no memory. */
static char *
text (struct cursor *cursor)
{
	uint32_t length = number (cursor, 0);
	if (length > (size_t) (cursor->end - cursor->at))
		length = (uint32_t) (cursor->end - cursor->at);
	char *copy = strndup (cursor->at, length);
	cursor->at += length;
	return copy;
}

/* GUID and unmanaged type come first; they are not used. */
static void
read_custom (struct cursor *cursor, MonoMarshalSpec *spec, MonoImage *image)
{
	free (text (cursor));
	free (text (cursor));
	spec->data.custom_data.custom_name = text (cursor);
	spec->data.custom_data.cookie = text (cursor);
	spec->data.custom_data.image = image;
}

MonoMarshalSpec *
mono_metadata_parse_marshal_spec (MonoImage *image, const char *ptr)
{
	MonoMarshalSpec *spec = ptr ? calloc (1, sizeof *spec) : NULL;
	struct cursor cursor = { ptr, ptr };
	if (!spec)
		return NULL;
	uint32_t size = mono_metadata_decode_blob_size (ptr, &cursor.at);
	cursor.end = cursor.at + size;
	spec->native = (MonoMarshalNative) number (&cursor, 0);
	switch (spec->native) {
	case MONO_NATIVE_LPARRAY: read_array (&cursor, spec); break;
	case MONO_NATIVE_BYVALTSTR:
	case MONO_NATIVE_BYVALARRAY: spec->data.array_data.num_elem = (int32_t) number (&cursor, 0); break;
	case MONO_NATIVE_CUSTOM: read_custom (&cursor, spec, image); break;
	case MONO_NATIVE_SAFEARRAY: spec->data.safearray_data.elem_type = (MonoMarshalVariant) number (&cursor, 0); break;
	default: break;
	}
	return spec;
}

void
mono_metadata_free_marshal_spec (MonoMarshalSpec *spec)
{
	if (!spec)
		return;
	if (spec->native == MONO_NATIVE_CUSTOM) {
		free (spec->data.custom_data.custom_name);
		free (spec->data.custom_data.cookie);
	}
	free (spec);
}

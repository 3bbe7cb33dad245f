/*
 * SPDX-License-Identifier: MIT
 *
 * metadata-calls.c - the calls about rows, heaps and blobs. Rows of the program matrix.cs are found by what is in them,
 * not by number; blobs are written here.
 */
#include <mono/metadata/row-indexes.h>
#include "calls.h"

/* The tables that are read. ECMA-335 II.22. */
enum { TYPE_DEF = 2, FIELD = 4, METHOD = 6, PARAM = 8 };

/* --- rows --------------------------------------------------------------------------------------------------------- */

uint32_t
name_in_row (MonoImage *image)
{
	uint32_t columns[MONO_TYPEDEF_SIZE];

	mono_metadata_decode_row (mono_image_get_table_info (image, TYPE_DEF), 1, columns, MONO_TYPEDEF_SIZE);
	return columns[MONO_TYPEDEF_NAME];
}

uint32_t
name_in_table_row (MonoImage *image)
{
	uint32_t columns[MONO_TYPEDEF_SIZE];

	mono_metadata_decode_table_row (image, TYPE_DEF, 1, columns, MONO_TYPEDEF_SIZE);
	return columns[MONO_TYPEDEF_NAME];
}

uint32_t
column (MonoImage *image, int table, int row, unsigned int number)
{
	return mono_metadata_decode_row_col (mono_image_get_table_info (image, table), row, number);
}

uint32_t
row_of_class (MonoClass *klass)
{
	return mono_class_get_type_token (klass) & 0xFFFFFF;
}

int
interfaces_listed (const subject *s)
{
	unsigned int count = 0;
	MonoClass **list = mono_metadata_interfaces_from_typedef (s->image, mono_class_get_type_token (s->klass), &count);

	mono_free (list);
	return (int) count;
}

uint32_t
packing_of (const subject *s)
{
	uint32_t packing = 77, size = 77;
	uint32_t row = mono_metadata_packing_from_typedef (s->image, mono_class_get_type_token (s->klass), &packing, &size);

	return row ? packing : 77;
}

uint32_t
offset_in_field_row (const subject *s)
{
	uint32_t offset = 7, rva = 7, row = mono_class_get_field_token (s->field) & 0xFFFFFF;

	mono_metadata_field_info (s->image, row - 1, &offset, &rva, NULL);
	return offset + rva;
}

/* --- heaps -------------------------------------------------------------------------------------------------------- */

const char *
name_in_heap (const subject *s)
{
	return mono_metadata_string_heap (
	    s->image, column (s->image, TYPE_DEF, (int) row_of_class (s->klass) - 1, MONO_TYPEDEF_NAME));
}

int
blob_begins (const subject *s)
{
	uint32_t row = mono_method_get_token (s->method) & 0xFFFFFF;
	const char *blob =
	    mono_metadata_blob_heap (s->image, column (s->image, METHOD, (int) row - 1, MONO_METHOD_SIGNATURE));

	return blob ? (unsigned char) blob[1] : -1;
}

const char *
body_in_file (const subject *s)
{
	uint32_t row = mono_method_get_token (s->method) & 0xFFFFFF;

	return mono_image_rva_map (s->image, column (s->image, METHOD, (int) row - 1, MONO_METHOD_RVA));
}

/* --- numbers in blobs --------------------------------------------------------------------------------------------- */

int
encoded_bytes (uint32_t value)
{
	char buffer[8], *end = buffer;

	mono_metadata_encode_value (value, buffer, &end);
	return (int) (end - buffer) * 1000 + (unsigned char) buffer[0];
}

int
required_modifier (MonoImage *image)
{
	static const char blob[] = { 0x1F, 0x05, 0x08, 0 };
	MonoCustomMod modifier = { 0, 0 };
	const char *end = blob;

	return mono_metadata_parse_custom_mod (image, &modifier, blob, &end) ? (int) modifier.token : -1;
}

/* --- types and signatures in blobs -------------------------------------------------------------------------------- */

/* int[,]. Not given back, nor are the types below: real Mono takes them from the image and dies of freeing them. */
int
parsed_rank (MonoImage *image)
{
	static const char blob[] = { 0x08, 2, 0, 0, 0 };
	MonoArrayType *array = mono_metadata_parse_array (image, blob, NULL);

	return array ? array->rank : -1;
}

static int
code_of (MonoType *type)
{
	return type ? mono_type_get_type (type) : -1;
}

/* string[] */
static const char vector[] = { 0x1D, 0x0E, 0 };

int
parsed_type (MonoImage *image)
{
	return code_of (mono_metadata_parse_type (image, MONO_PARSE_TYPE, 0, vector, NULL));
}

int
parsed_param (MonoImage *image)
{
	return code_of (mono_metadata_parse_param (image, vector, NULL));
}

int
parsed_field_type (MonoImage *image)
{
	return code_of (mono_metadata_parse_field_type (image, 0, vector, NULL));
}

int
spec_type (MonoImage *image)
{
	MonoType *type = mono_type_create_from_typespec (image, 0x1B000001);

	return type ? mono_type_get_type (type) : -1;
}

/* static int (string[]) */
int
parsed_parameters (MonoImage *image)
{
	static const char blob[] = { 0x00, 1, 0x08, 0x1D, 0x0E, 0 };
	MonoMethodSignature *signature = mono_metadata_parse_method_signature (image, 0, blob, NULL);
	int count = signature ? (int) mono_signature_get_param_count (signature) : -1;

	if (signature)
		mono_metadata_free_method_signature (signature);
	return count;
}

int
allocated_parameters (MonoImage *image)
{
	MonoMethodSignature *signature = mono_metadata_signature_alloc (image, 3);

	return signature ? (int) mono_signature_get_param_count (signature) : -1;
}

int
copied_parameters (MonoMethodSignature *signature)
{
	MonoMethodSignature *copy = mono_metadata_signature_dup (signature);

	return copy ? (int) mono_signature_get_param_count (copy) : -1;
}

uint32_t
parsed_code_size (const subject *s)
{
	MonoMethodHeader *header = mono_metadata_parse_mh (s->image, body_in_file (s));
	uint32_t size = header ? code_size (header) : 0;

	if (header)
		mono_metadata_free_mh (header);
	return size;
}

/* An LPSTR. */
int
parsed_native_type (MonoImage *image)
{
	static const char blob[] = { 1, 0x14, 0 };
	MonoMarshalSpec *spec = mono_metadata_parse_marshal_spec (image, blob);
	int native = spec ? (int) spec->native : -1;

	if (spec)
		mono_metadata_free_marshal_spec (spec);
	return native;
}

MonoType *
type_by_name (const subject *s)
{
	char name[] = "Space.Subject"; /* it is written to */

	return mono_reflection_type_from_name (name, s->image);
}

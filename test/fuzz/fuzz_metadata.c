/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_metadata.c - any bytes as an image, through Mono's functions for rows, heaps, bodies, IL, attributes and names;
 * then again when the image is gone, when none of them may find anything.
 *
 * What takes a bare pointer believes it, as on Mono, and is not called.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/reflection.h>
#include <mono/metadata/tokentype.h>
#include "file-host.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { ROWS_MAX = 32, COLUMNS = 10, MEMORY_MAX = 1 << 30 };

/* Bytes that somebody could read: all must be there. */
static uint32_t sum;

static void
touch (const void *bytes, size_t size)
{
	for (size_t i = 0; bytes && i < size; i++)
		sum += ((const uint8_t *) bytes)[i];
}

static uint32_t
row_count (MonoImage *image, int table)
{
	int rows = mono_image_get_table_rows (image, table);
	/* One more than there are. */
	return rows < ROWS_MAX ? (uint32_t) rows + 1 : ROWS_MAX;
}

static void
touch_blob (const char *blob)
{
	const char *at;
	uint32_t size = blob ? mono_metadata_decode_blob_size (blob, &at) : 0;
	if (blob)
		touch (at, size);
}

static void
ask_heaps (MonoImage *image, uint32_t offset)
{
	const char *text = mono_metadata_string_heap (image, offset);
	touch (text, text ? strlen (text) + 1 : 0);
	touch_blob (mono_metadata_blob_heap (image, offset));
	touch_blob (mono_metadata_user_string (image, offset));
	touch (mono_metadata_guid_heap (image, offset), 16);
}

static void
ask_rows (MonoImage *image)
{
	uint32_t cells[COLUMNS];
	for (int table = 0; table < 0x2d; table++) {
		const MonoTableInfo *info = mono_image_get_table_info (image, table);
		for (uint32_t row = 0; row < row_count (image, table); row++) {
			mono_metadata_decode_row (info, (int) row, cells, COLUMNS);
			for (int i = 0; i < COLUMNS; i++)
				ask_heaps (image, cells[i]);
			mono_metadata_translate_token_index (image, table, row);
			mono_metadata_custom_attrs_from_index (image, row << 5 | (uint32_t) table);
			mono_custom_attrs_free (mono_custom_attrs_from_index (image, row << 5 | (uint32_t) table));
			mono_ldtoken (image, (uint32_t) table << 24 | row, NULL, NULL);
		}
	}
}

static void
ask_type (MonoImage *image, uint32_t row)
{
	unsigned end, count = 0;
	uint32_t packing, size;
	mono_metadata_nested_in_typedef (image, row);
	mono_metadata_nesting_typedef (image, row, 0);
	mono_free (mono_metadata_interfaces_from_typedef (image, row, &count));
	mono_metadata_events_from_typedef (image, row, &end);
	mono_metadata_properties_from_typedef (image, row, &end);
	mono_metadata_methods_from_event (image, row, &end);
	mono_metadata_methods_from_property (image, row, &end);
	mono_metadata_packing_from_typedef (image, row, &packing, &size);
	mono_custom_attrs_free (mono_custom_attrs_from_class (mono_class_get (image, MONO_TOKEN_TYPE_DEF | row)));
}

static void
ask_field (MonoImage *image, uint32_t row)
{
	uint32_t offset, rva;
	MonoMarshalSpec *spec = NULL;
	mono_metadata_typedef_from_field (image, row);
	mono_metadata_get_constant_index (image, MONO_TOKEN_FIELD_DEF | row, 0);
	mono_metadata_field_info (image, row, &offset, &rva, &spec);
	mono_metadata_free_marshal_spec (spec);
}

static void
ask_body (MonoMethod *method)
{
	uint32_t size;
	void *iter = NULL;
	MonoExceptionClause clause;
	MonoMethodHeader *header = mono_method_get_header (method);
	const unsigned char *code = mono_method_header_get_code (header, &size, NULL);
	touch (code, size);
	if (code)
		mono_free (mono_disasm_code (NULL, method, code, code + size));
	while (mono_method_header_get_clauses (header, method, &iter, &clause))
		sum += clause.try_offset;
	mono_metadata_free_mh (header);
}

static void
ask_method (MonoImage *image, uint32_t row)
{
	MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | row, NULL);
	mono_metadata_typedef_from_method (image, row);
	mono_metadata_implmap_from_method (image, row);
	mono_metadata_declsec_from_index (image, row << 2 | 1);
	if (!method)
		return;
	MonoMethodDesc *desc = mono_method_desc_from_method (method);
	if (desc)
		mono_method_desc_match (desc, method);
	mono_method_desc_free (desc);
	ask_body (method);
	mono_custom_attrs_free (mono_custom_attrs_from_method (method));
	mono_custom_attrs_free (mono_custom_attrs_from_param (method, row & 3));
}

static void
ask_signatures (MonoImage *image, uint32_t row)
{
	MonoMethodSignature *signature = mono_metadata_parse_signature (image, MONO_TOKEN_SIGNATURE | row);
	mono_metadata_signature_equal (signature, signature);
	mono_metadata_free_method_signature (signature);
	MonoType *type = mono_type_create_from_typespec (image, MONO_TOKEN_TYPE_SPEC | row);
	mono_free (type ? mono_type_full_name (type) : NULL);
}

static void
ask_file (MonoImage *image)
{
	uint32_t size = 0;
	const char *bytes = mono_image_get_strong_name (image, &size);
	touch (bytes, bytes ? size : 0);
	bytes = mono_image_get_public_key (image, &size);
	touch (bytes, bytes ? size : 0);
	mono_image_strong_name_position (image, &size);
	mono_image_has_authenticode_entry (image);
	mono_image_ensure_section (image, ".text");
	for (uint32_t offset = 0; offset < 256; offset += 8) {
		bytes = mono_image_get_resource (image, offset, &size);
		touch (bytes, bytes ? size : 0);
	}
	mono_custom_attrs_free (mono_custom_attrs_from_assembly (mono_image_get_assembly (image)));
	MonoAssemblyName *name = mono_assembly_name_new ("x");
	mono_assembly_name_free (name);
	for (int i = 0; name && i < ROWS_MAX; i++) {
		mono_assembly_get_assemblyref (image, i, name);
		mono_free (mono_stringify_assembly_name (name));
	}
	mono_free (name);
}

static void
ask (MonoImage *image)
{
	ask_rows (image);
	ask_file (image);
	for (uint32_t row = 0; row < row_count (image, MONO_TABLE_TYPEDEF); row++)
		ask_type (image, row);
	for (uint32_t row = 0; row < row_count (image, MONO_TABLE_FIELD); row++)
		ask_field (image, row);
	for (uint32_t row = 0; row < row_count (image, MONO_TABLE_METHOD); row++)
		ask_method (image, row);
	for (uint32_t row = 0; row < ROWS_MAX; row++)
		ask_signatures (image, row);
}

static void
run (const uint8_t *data, size_t size, bool mapped)
{
	MonoImage *image = file_host_open_bytes ("hostile.dll", data, size, mapped);
	if (!image)
		return;
	ask (image);
	file_host_close (image);
	if (mono_metadata_string_heap (image, 0) || mono_image_rva_map (image, 0x2000))
		abort ();
	ask (image);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	file_host_start ();
	run (data, size, false);
	run (data, size, true);
	if (monocle_records_size () > MEMORY_MAX)
		_exit (0);
	return 0;
}

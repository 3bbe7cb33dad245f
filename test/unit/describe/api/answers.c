/*
 * SPDX-License-Identifier: MIT
 *
 * answers.c - prints what the runtime says of an image's metadata, one line for each question.
 *
 * It is a profiler module that links nothing, libmono-profiler-metadataanswers.so: under real Mono it asks Mono. The
 * same source, in ours.c, asks the core over a host that opens files. test_answers.py compares line by line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/reflection.h>
#include <mono/metadata/tokentype.h>

static FILE *out;

/* So that bytes can be compared on a line. FNV-1a. */
static uint32_t
hash (const void *bytes, size_t size)
{
	uint32_t value = 2166136261u;
	for (size_t i = 0; i < size; i++)
		value = (value ^ ((const uint8_t *) bytes)[i]) * 16777619u;
	return value;
}

static void
put_free (const char *before, char *text)
{
	fprintf (out, "%s%s", before, text ? text : "(null)");
	mono_free (text);
}

static void
put_type (const char *before, MonoType *type)
{
	put_free (before, type ? mono_type_full_name (type) : NULL);
}

static uint32_t
cell (MonoImage *image, int table, int row, unsigned column)
{
	return mono_metadata_decode_table_row_col (image, table, row - 1, column);
}

static int
rows (MonoImage *image, int table)
{
	return mono_image_get_table_rows (image, table);
}

/* --- tables and heaps --------------------------------------------------------------------------------------------- */

static const uint8_t columns[] = { 5, 3, 6, 1, 3, 1, 6, 1, 3, 2, 3, 4, 3, 2, 3, 3, 2, 1, 2, 1, 3, 2, 1,
	                               3, 3, 3, 1, 1, 4, 2, 0, 0, 9, 1, 3, 9, 2, 4, 3, 5, 4, 2, 4, 2, 2 };

static void
print_rows (MonoImage *image)
{
	uint32_t cells[16];
	for (int table = 0; table < (int) sizeof columns; table++) {
		const MonoTableInfo *info = mono_image_get_table_info (image, table);
		int count = mono_table_info_get_rows (info);
		fprintf (out, "table %x: %d\n", table, count);
		for (int row = 0; row < count; row++) {
			mono_metadata_decode_row (info, row, cells, columns[table]);
			fprintf (out, "row %x.%d:", table, row);
			for (int column = 0; column < columns[table]; column++)
				fprintf (out, " %x%s", cells[column],
				         cells[column] == mono_metadata_decode_row_col (info, row, (unsigned) column) ? "" : "!");
			fprintf (out, " translated %u\n", mono_metadata_translate_token_index (image, table, (uint32_t) row + 1));
		}
	}
}

static void
print_blob (const char *what, int row, const char *blob)
{
	const char *at = NULL;
	uint32_t size = blob ? mono_metadata_decode_blob_size (blob, &at) : 0;
	fprintf (out, "%s %d: %u +%d %x\n", what, row, size, blob ? (int) (at - blob) : 0, blob ? hash (at, size) : 0);
}

static void
print_heaps (MonoImage *image)
{
	for (int row = 1; row <= rows (image, MONO_TABLE_METHOD); row++) {
		fprintf (out, "method name %d: %s\n", row,
		         mono_metadata_string_heap (image, cell (image, MONO_TABLE_METHOD, row, MONO_METHOD_NAME)));
		print_blob ("method blob", row,
		            mono_metadata_blob_heap (image, cell (image, MONO_TABLE_METHOD, row, MONO_METHOD_SIGNATURE)));
	}
	for (int row = 1; row <= rows (image, MONO_TABLE_CONSTANT); row++)
		print_blob ("constant", row,
		            mono_metadata_blob_heap (image, cell (image, MONO_TABLE_CONSTANT, row, MONO_CONSTANT_VALUE)));
	for (int row = 1; row <= rows (image, MONO_TABLE_CUSTOMATTRIBUTE); row++)
		print_blob (
		    "attribute blob", row,
		    mono_metadata_blob_heap (image, cell (image, MONO_TABLE_CUSTOMATTRIBUTE, row, MONO_CUSTOM_ATTR_VALUE)));
	const char *guid = mono_metadata_guid_heap (image, cell (image, MONO_TABLE_MODULE, 1, MONO_MODULE_MVID));
	put_free ("mvid ", mono_guid_to_string ((const uint8_t *) guid));
	put_free (" ", mono_guid_to_string_minimal ((const uint8_t *) guid));
	fprintf (out, " %s\n", mono_image_get_guid (image));
}

/* The first strings of the program, one behind the other. */
static void
print_user_strings (MonoImage *image)
{
	uint32_t offset = 1;
	for (int i = 0; i < 5000; i++) {
		const char *at, *blob = mono_metadata_user_string (image, offset);
		uint32_t size = mono_metadata_decode_blob_size (blob, &at);
		if (!size)
			break;
		fprintf (out, "user string %x: %u %x\n", offset, size, hash (at, size));
		offset += (uint32_t) (at - blob) + size;
	}
}

static void
print_interfaces (MonoImage *image, uint32_t type)
{
	unsigned count = 0;
	MonoClass **list = mono_metadata_interfaces_from_typedef (image, type, &count);
	for (unsigned i = 0; i < count; i++)
		put_type (" : ", mono_class_get_type (list[i]));
	mono_free (list);
}

static void
print_types (MonoImage *image)
{
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_TYPEDEF); row++) {
		unsigned end;
		uint32_t packing = 99, size = 99, start;
		fprintf (out, "type %u: in %x first nested %u", row, mono_metadata_nested_in_typedef (image, row),
		         mono_metadata_nesting_typedef (image, row, 1));
		start = mono_metadata_events_from_typedef (image, row - 1, &end);
		fprintf (out, " events %u-%u", start, end);
		start = mono_metadata_properties_from_typedef (image, row - 1, &end);
		fprintf (out, " properties %u-%u", start, end);
		start = mono_metadata_packing_from_typedef (image, MONO_TOKEN_TYPE_DEF | row, &packing, &size);
		fprintf (out, " layout %u %u %u", start, packing, size);
		fprintf (out, " security %d", (int) mono_metadata_declsec_from_index (image, row << 2));
		print_interfaces (image, MONO_TOKEN_TYPE_DEF | row);
		fputc ('\n', out);
	}
}

static void
print_marshal (const char *blob)
{
	MonoMarshalSpec *spec = blob ? mono_metadata_parse_marshal_spec (NULL, blob) : NULL;
	if (!spec)
		return;
	fprintf (out, " marshal %x", spec->native);
	if (spec->native == MONO_NATIVE_CUSTOM)
		fprintf (out, " %s %s", spec->data.custom_data.custom_name, spec->data.custom_data.cookie);
	else if (spec->native == MONO_NATIVE_SAFEARRAY)
		fprintf (out, " %x %d", spec->data.safearray_data.elem_type, spec->data.safearray_data.num_elem);
	else
		fprintf (out, " %x %d %d %d", spec->data.array_data.elem_type, spec->data.array_data.num_elem,
		         spec->data.array_data.param_num, spec->data.array_data.elem_mult);
	mono_metadata_free_marshal_spec (spec);
}

static void
print_members (MonoImage *image)
{
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_METHOD); row++)
		fprintf (out, "method %u: type %u import %u security %d\n", row, mono_metadata_typedef_from_method (image, row),
		         mono_metadata_implmap_from_method (image, row - 1),
		         (int) mono_metadata_declsec_from_index (image, row << 2 | 1));
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_FIELD); row++) {
		uint32_t offset = 99, rva = 99;
		mono_metadata_field_info (image, row - 1, &offset, &rva, NULL);
		fprintf (out, "field %u: type %u constant %u offset %x rva %x", row,
		         mono_metadata_typedef_from_field (image, row),
		         mono_metadata_get_constant_index (image, MONO_TOKEN_FIELD_DEF | row, 0), offset, rva);
		print_marshal (mono_metadata_get_marshal_info (image, row - 1, 1));
		fputc ('\n', out);
	}
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_PARAM); row++) {
		fprintf (out, "param %u: constant %u", row,
		         mono_metadata_get_constant_index (image, MONO_TOKEN_PARAM_DEF | row, 0));
		print_marshal (mono_metadata_get_marshal_info (image, row - 1, 0));
		fputc ('\n', out);
	}
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_PROPERTY); row++) {
		unsigned end;
		uint32_t start = mono_metadata_methods_from_property (image, row - 1, &end);
		fprintf (out, "property %u: %u-%u constant %u\n", row, start, end,
		         mono_metadata_get_constant_index (image, MONO_TOKEN_PROPERTY | row, 0));
	}
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_EVENT); row++) {
		unsigned end;
		uint32_t start = mono_metadata_methods_from_event (image, row - 1, &end);
		fprintf (out, "event %u: %u-%u\n", row, start, end);
	}
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

static void
print_signature (const char *what, int row, MonoMethodSignature *signature)
{
	fprintf (out, "%s %d:", what, row);
	put_type (" ", mono_signature_get_return_type (signature));
	put_free (" (", mono_signature_get_desc (signature, 1));
	fprintf (out, ") convention %u this %d explicit %d\n", mono_signature_get_call_conv (signature),
	         mono_signature_is_instance (signature), mono_signature_explicit_this (signature));
}

static void
print_method_signature (MonoImage *image, int row)
{
	const char *end, *at;
	const char *blob = mono_metadata_blob_heap (image, cell (image, MONO_TABLE_METHOD, row, MONO_METHOD_SIGNATURE));
	MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | (uint32_t) row, NULL);
	uint32_t size = mono_metadata_decode_blob_size (blob, &at);
	MonoMethodSignature *signature = mono_metadata_parse_method_signature (image, row, at, &end);
	MonoMethodSignature *copy = mono_metadata_signature_dup (signature);
	print_signature ("signature", row, signature);
	fprintf (out, "signature %d: rest %d copy %d own %d\n", row, (int) (at + size - end),
	         mono_metadata_signature_equal (signature, copy),
	         mono_metadata_signature_equal (mono_method_signature (method), mono_method_signature (method)));
	mono_metadata_free_method_signature (copy);
	mono_metadata_free_method_signature (signature);
}

static void
print_standalone (MonoImage *image, int row)
{
	const char *at;
	mono_metadata_decode_blob_size (
	    mono_metadata_blob_heap (image, cell (image, MONO_TABLE_STANDALONESIG, row, MONO_STAND_ALONE_SIGNATURE)), &at);
	if ((*at & 15) > MONO_CALL_VARARG)
		return;
	MonoMethodSignature *signature = mono_metadata_parse_signature (image, MONO_TOKEN_SIGNATURE | (uint32_t) row);
	print_signature ("standalone", row, signature);
	mono_metadata_free_method_signature (signature);
}

static void
print_signatures (MonoImage *image)
{
	for (int row = 1; row <= rows (image, MONO_TABLE_METHOD); row++)
		print_method_signature (image, row);
	for (int row = 1; row <= rows (image, MONO_TABLE_STANDALONESIG); row++)
		print_standalone (image, row);
	for (int row = 1; row <= rows (image, MONO_TABLE_TYPESPEC); row++) {
		fprintf (out, "typespec %d:", row);
		put_type (" ", mono_type_create_from_typespec (image, MONO_TOKEN_TYPE_SPEC | (uint32_t) row));
		fputc ('\n', out);
	}
	for (int row = 1; row <= rows (image, MONO_TABLE_FIELD); row++) {
		const char *at, *end;
		const char *blob = mono_metadata_blob_heap (image, cell (image, MONO_TABLE_FIELD, row, MONO_FIELD_SIGNATURE));
		uint32_t size = mono_metadata_decode_blob_size (blob, &at);
		MonoType *type = mono_metadata_parse_field_type (image, 0, at + 1, &end);
		fprintf (out, "field type %d:", row);
		put_type (" ", type);
		fprintf (out, " rest %d byref %d code %x\n", (int) (at + size - end), mono_type_is_byref (type),
		         mono_type_get_type (type));
	}
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static void
print_clauses (MonoMethodHeader *header, MonoMethod *method)
{
	void *iter = NULL;
	MonoExceptionClause clause;
	while (mono_method_header_get_clauses (header, method, &iter, &clause)) {
		fprintf (out, " [%u %u+%u %u+%u", clause.flags, clause.try_offset, clause.try_len, clause.handler_offset,
		         clause.handler_len);
		if (clause.flags == MONO_EXCEPTION_CLAUSE_FILTER)
			fprintf (out, " %u", clause.data.filter_offset);
		else if (clause.flags == MONO_EXCEPTION_CLAUSE_NONE)
			put_type (" ", mono_class_get_type (clause.data.catch_class));
		fputc (']', out);
	}
}

static void
print_header (const char *what, int row, MonoMethodHeader *header, MonoMethod *method)
{
	uint32_t size, stack, locals;
	mono_bool init_locals;
	const unsigned char *code = mono_method_header_get_code (header, &size, &stack);
	MonoType **types = mono_method_header_get_locals (header, &locals, &init_locals);
	fprintf (out, "%s %d: %u %x stack %u locals %u %d clauses %d", what, row, size, hash (code, size), stack, locals,
	         init_locals, mono_method_header_get_num_clauses (header));
	for (uint32_t i = 0; i < locals; i++)
		put_type (" ", types[i]);
	print_clauses (header, method);
	fputc ('\n', out);
	mono_metadata_free_mh (header);
}

static void
print_il (int row, MonoMethod *method, MonoMethodHeader *header)
{
	uint32_t size;
	const unsigned char *next = NULL, *code = mono_method_header_get_code (header, &size, NULL);
	char *text = mono_disasm_code (NULL, method, code, code + size);
	char *one = mono_disasm_code_one (NULL, method, code, &next);
	fprintf (out, "il %d: %zu %x +%d %s", row, strlen (text), hash (text, strlen (text)), (int) (next - code), one);
	mono_free (text);
	mono_free (one);
}

/* Generic parameters mean nothing to mono_metadata_parse_mh (), so only methods without are read that way. */
static int
is_open (MonoMethod *method)
{
	char *name = mono_type_get_name (mono_class_get_type (mono_method_get_class (method)));
	int open = strchr (name, '<') && strncmp (name, "<Module>", 8) && name[0] != '<';
	mono_free (name);
	name = mono_method_full_name (method, 0);
	const char *colon = strrchr (name, ':');
	open |= colon && strchr (colon, '<') != NULL;
	mono_free (name);
	return open;
}

static void
print_bodies (MonoImage *image)
{
	for (int row = 1; row <= rows (image, MONO_TABLE_METHOD); row++) {
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | (uint32_t) row, NULL);
		MonoError error;
		mono_error_init (&error);
		MonoMethodHeader *header = mono_method_get_header_checked (method, &error);
		if (header) {
			print_il (row, method, header);
			print_header ("body", row, header, method);
		} else
			fprintf (out, "body %d: none %d\n", row, mono_error_get_error_code (&error));
		mono_error_cleanup (&error);
		uint32_t rva = cell (image, MONO_TABLE_METHOD, row, MONO_METHOD_RVA);
		if (header && rva && !is_open (method)) {
			header = mono_metadata_parse_mh (image, mono_image_rva_map (image, rva));
			print_header ("body at address", row, header, method);
		}
	}
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static void
print_attributes (const char *what, uint32_t token, MonoCustomAttrInfo *list)
{
	if (!list)
		return;
	fprintf (out, "attributes of %s %x: %d %s", what, token, list->num_attrs, mono_image_get_name (list->image));
	for (int i = 0; i < list->num_attrs; i++) {
		put_free (" ", mono_method_full_name (list->attrs[i].ctor, 1));
		fprintf (out, " %u %x", list->attrs[i].data_size, hash (list->attrs[i].data, list->attrs[i].data_size));
	}
	MonoClass *obsolete = mono_class_from_name (mono_get_corlib (), "System", "ObsoleteAttribute");
	MonoClass *base = mono_class_from_name (mono_get_corlib (), "System", "Attribute");
	fprintf (out, " obsolete %d any %d\n", mono_custom_attrs_has_attr (list, obsolete),
	         mono_custom_attrs_has_attr (list, base));
	mono_custom_attrs_free (list);
}

static void
print_member_attributes (MonoClass *klass)
{
	void *iter = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter)))
		print_attributes ("field", mono_class_get_field_token (field), mono_custom_attrs_from_field (klass, field));
	iter = NULL;
	MonoProperty *property;
	while ((property = mono_class_get_properties (klass, &iter)))
		print_attributes ("property", mono_class_get_property_token (property),
		                  mono_custom_attrs_from_property (klass, property));
	iter = NULL;
	MonoEvent *event;
	while ((event = mono_class_get_events (klass, &iter)))
		print_attributes ("event", mono_class_get_event_token (event), mono_custom_attrs_from_event (klass, event));
}

static void
print_all_attributes (MonoImage *image)
{
	uint32_t before = 0;
	print_attributes ("assembly", 0, mono_custom_attrs_from_assembly (mono_image_get_assembly (image)));
	for (uint32_t row = 1; row <= (uint32_t) rows (image, MONO_TABLE_METHOD); row++) {
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | row, NULL);
		print_attributes ("method", row, mono_custom_attrs_from_method (method));
		uint32_t count = mono_signature_get_param_count (mono_method_signature (method));
		for (uint32_t param = 0; param <= count; param++)
			print_attributes ("param", row << 8 | param, mono_custom_attrs_from_param (method, param));
	}
	for (uint32_t row = 2; row <= (uint32_t) rows (image, MONO_TABLE_TYPEDEF); row++) {
		MonoClass *klass = mono_class_get (image, MONO_TOKEN_TYPE_DEF | row);
		print_attributes ("class", row, mono_custom_attrs_from_class (klass));
		print_member_attributes (klass);
	}
	for (int row = 1; row <= rows (image, MONO_TABLE_CUSTOMATTRIBUTE); row++) {
		uint32_t parent = cell (image, MONO_TABLE_CUSTOMATTRIBUTE, row, MONO_CUSTOM_ATTR_PARENT);
		if (parent == before)
			continue;
		before = parent;
		fprintf (out, "first attribute of %x: %u\n", parent, mono_metadata_custom_attrs_from_index (image, parent));
		print_attributes ("index", parent, mono_custom_attrs_from_index (image, parent));
	}
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void
print_file (MonoImage *image)
{
	uint32_t size = 0, offset;
	const char *bytes = mono_image_get_public_key (image, &size);
	fprintf (out, "public key: %u %x\n", size, bytes ? hash (bytes, size) : 0);
	size = 0;
	bytes = mono_image_get_strong_name (image, &size);
	fprintf (out, "strong name: %u %x", size, bytes ? hash (bytes, size) : 0);
	size = 0;
	offset = mono_image_strong_name_position (image, &size);
	fprintf (out, " at %u %u\n", offset, size);
	fprintf (out, "entry point %x authenticode %d sections %d %d %d\n", mono_image_get_entry_point (image),
	         mono_image_has_authenticode_entry (image), mono_image_ensure_section (image, ".text"),
	         mono_image_ensure_section (image, ".nope"), mono_image_ensure_section_idx (image, 0));
	fprintf (out, "rva 0 %d far %d\n", mono_image_rva_map (image, 0) != NULL,
	         mono_image_rva_map (image, 0x7000000) != NULL);
	for (int row = 1; row <= rows (image, MONO_TABLE_MANIFESTRESOURCE); row++) {
		size = 0;
		offset = cell (image, MONO_TABLE_MANIFESTRESOURCE, row, MONO_MANIFEST_OFFSET);
		bytes = mono_image_get_resource (image, offset, &size);
		fprintf (out, "resource %d: %u %x\n", row, size, bytes ? hash (bytes, size) : 0);
	}
	bytes = mono_image_get_resource (image, 0x7000000, NULL);
	fprintf (out, "no resource: %d\n", bytes != NULL);
}

static void
print_assembly_names (MonoImage *image)
{
	MonoAssemblyName *name = mono_assembly_name_new ("x");
	mono_assembly_name_free (name);
	fprintf (out, "fill %d", mono_assembly_fill_assembly_name (image, name));
	put_free (" ", mono_stringify_assembly_name (name));
	fputc ('\n', out);
	for (int i = 0; i < rows (image, MONO_TABLE_ASSEMBLYREF); i++) {
		mono_assembly_get_assemblyref (image, i, name);
		fprintf (out, "reference %d", i);
		put_free (" ", mono_stringify_assembly_name (name));
		fprintf (out, " %s %s\n", mono_assembly_name_get_name (name), mono_assembly_name_get_culture (name));
	}
	mono_free (name);
}

#include "answers-texts.h"

static void
print_image (MonoImage *image)
{
	fprintf (out, "image %s\n", mono_image_get_name (image));
	print_rows (image);
	print_heaps (image);
	print_user_strings (image);
	print_types (image);
	print_members (image);
	print_signatures (image);
	print_bodies (image);
	print_all_attributes (image);
	print_file (image);
	print_assembly_names (image);
}

static void
print_everything (MonoImage *program)
{
	print_image (mono_get_corlib ());
	print_image (program);
	print_texts (program);
}

/* --- as a module -------------------------------------------------------------------------------------------------- */

static void
shutdown_begin (MonoProfiler *prof)
{
	out = fopen (getenv ("ANSWERS"), "w");
	print_everything (mono_assembly_get_image (mono_assembly_get_main ()));
	fclose (out);
}

void mono_profiler_init_metadataanswers (const char *desc);

void
mono_profiler_init_metadataanswers (const char *desc)
{
	mono_profiler_set_runtime_shutdown_begin_callback (mono_profiler_create (NULL), shutdown_begin);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_metadata.c - rows, heaps, bodies, attributes and names over a host of a few lines: what is malformed, missing,
 * unloaded or out of memory. What well-formed images give is compared with Mono's answers in test_answers.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/reflection.h>
#include "failing-memory.h"
#include "model/records.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

/* --- the host: one image ------------------------------------------------------------------------------------------ */

enum { CLASSES = 4, METHODS = 4, ROWS = 6, BLOBS = 1024 };

static MonoImage *image, *gone;
static uint8_t blobs[BLOBS], file[BLOBS];
static uint32_t file_size;
static int body_result, attributes, unknown_attribute;
static monocle_body_info body;
static monocle_clause_info clauses[2];

/* NestedClass, ClassLayout and InterfaceImpl of a few rows; the cells of all other tables are unknown. */
static const uint32_t nested[][2] = { { 2, 1 }, { 3, 1 }, { 4, 2 } };
static const uint32_t layout[][3] = { { 4, 16, 2 }, { 8, 24, 4 } };
static const uint32_t interfaces[][2] = { { 2, 3 << 2 }, { 2, 2 }, { 3, 2 << 2 | 3 }, { 4, 4 << 2 } };

static int
metadata_column (void *host, MonoImage *of, uint32_t table, uint32_t row, uint32_t column, uint32_t *ret_value)
{
	const uint32_t *cells = NULL;
	uint32_t count = 0;
	if (table == MONO_TABLE_NESTEDCLASS && row - 1 < 3) {
		cells = nested[row - 1];
		count = 2;
	} else if (table == MONO_TABLE_CLASSLAYOUT && row - 1 < 2) {
		cells = layout[row - 1];
		count = 3;
	} else if (table == MONO_TABLE_INTERFACEIMPL && row - 1 < 4) {
		cells = interfaces[row - 1];
		count = 2;
	} else if (table == MONO_TABLE_STANDALONESIG && row == 1) {
		static const uint32_t at = 512;
		cells = &at;
		count = 1;
	}
	if (column >= count)
		return MONOCLE_E_UNKNOWN;
	*ret_value = cells[column];
	return 0;
}

/* How many held the image when its bytes were handed out, the question itself included: the least of all answers. */
static uint32_t holders = UINT32_MAX;

/* Blob n begins behind its length at offset n of `blobs`. */
static const void *
metadata_heap (void *host, MonoImage *of, monocle_heap_kind heap, uint32_t offset, uint32_t *ret_size)
{
	if (atomic_load (&of->describing) < holders)
		holders = atomic_load (&of->describing);
	if (heap == MONOCLE_HEAP_RVA && offset < file_size) {
		*ret_size = file_size - offset;
		return file + offset;
	}
	if (heap != MONOCLE_HEAP_BLOB || offset >= BLOBS)
		return NULL;
	const char *at;
	*ret_size = mono_metadata_decode_blob_size ((const char *) blobs + offset, &at);
	return at;
}

static int
describe_image (void *host, MonoImage *of, monocle_image_info *ret)
{
	static uint32_t rows[64];
	static const uint8_t key[] = { 1, 2, 3 };
	rows[MONO_TABLE_TYPEDEF] = CLASSES;
	rows[MONO_TABLE_METHOD] = METHODS;
	rows[MONO_TABLE_NESTEDCLASS] = 3;
	rows[MONO_TABLE_CLASSLAYOUT] = 2;
	rows[MONO_TABLE_INTERFACEIMPL] = 4;
	rows[MONO_TABLE_STANDALONESIG] = 1;
	rows[MONO_TABLE_ASSEMBLY] = 1;
	rows[MONO_TABLE_EVENTMAP] = ROWS; /* whose cells are unknown */
	ret->assembly_name = "scripted";
	ret->culture = "";
	ret->table_rows = rows;
	ret->public_key = key;
	ret->public_key_size = sizeof key;
	ret->entry_point = 0x06000001;
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	ret->name = "C";
	ret->generic_params = monocle_class_token (klass) == 0x02000003;
	return 0;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret)
{
	ret->name = "M";
	ret->klass = monocle_class_def (monocle_method_image (method), 0x02000003);
	return 0;
}

static MonoClass *
class_of_token (void *host, MonoImage *of, uint32_t token, MonoClass *klass, MonoMethod *method)
{
	return token >> 24 == 2 && (token & 0xffffff) <= CLASSES ? monocle_class_def (of, token) : NULL;
}

/* Primitives and !n. */
static MonoType *
read_type (void *host, MonoImage *of, const uint8_t **at, const uint8_t *end, MonoClass *klass, MonoMethod *method)
{
	uint8_t element = *(*at)++;
	if (element == MONO_TYPE_VAR)
		return monocle_type (monocle_class_param (klass, NULL, *(*at)++, 0));
	return monocle_type (monocle_class_primitive (element));
}

static int
describe_body (void *host, MonoMethod *method, monocle_body_info *ret)
{
	*ret = body;
	return body_result;
}

static int
describe_clause (void *host, MonoMethod *method, uint32_t index, monocle_clause_info *ret)
{
	if (index >= 2)
		return MONOCLE_E_UNKNOWN;
	*ret = clauses[index];
	return 0;
}

static int
describe_attribute (void *host, MonoImage *of, uint32_t token, uint32_t index, monocle_attribute_info *ret)
{
	if (index >= (uint32_t) attributes)
		return MONOCLE_E_NOT_FOUND;
	ret->constructor = (int) index == unknown_attribute ? NULL : monocle_method_def (of, 0x06000001 + index);
	ret->data = blobs;
	ret->data_size = index;
	return 0;
}

static int
start (void **state)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops, .api_version = MONOCLE_HOST_API_VERSION, .name = "scripted",
		.describe_image = describe_image, .describe_class = describe_class, .describe_method = describe_method,
		.metadata_column = metadata_column, .metadata_heap = metadata_heap, .class_of_token = class_of_token,
		.read_type = read_type, .describe_body = describe_body, .describe_clause = describe_clause,
		.describe_attribute = describe_attribute,
	};
	assert_int_equal (monocle_host_init (&ops), 0);
	image = monocle_image_new ("/app/scripted.dll", 0, CLASSES, METHODS, NULL);
	gone = monocle_image_new ("/app/gone.dll", 0, CLASSES, METHODS, NULL);
	monocle_image_set_assembly_visible (image);
	monocle_image_unload (gone);
	return 0;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void
what_is_not_in_a_table_reads_as_zero (void **state)
{
	const MonoTableInfo *table = mono_image_get_table_info (image, MONO_TABLE_NESTEDCLASS);
	uint32_t cells[4] = { 9, 9, 9, 9 };
	assert_int_equal (mono_table_info_get_rows (table), 3);
	mono_metadata_decode_row (table, 1, cells, 3);
	assert_int_equal (cells[0], 3);
	assert_int_equal (cells[1], 1);
	assert_int_equal (cells[2], 0);
	assert_int_equal (cells[3], 9);
	assert_int_equal (mono_metadata_decode_row_col (table, 3, 0), 0);
	assert_int_equal (mono_metadata_decode_row_col (table, -1, 0), 0);
	assert_int_equal (mono_metadata_decode_row_col (table, INT32_MAX, 0), 0);
	assert_int_equal (mono_metadata_decode_row_col (NULL, 0, 0), 0);
	assert_int_equal (mono_metadata_decode_table_row_col (image, 200, 0, 0), 0);
	assert_int_equal (mono_metadata_decode_table_row_col (NULL, MONO_TABLE_NESTEDCLASS, 0, 0), 0);
	mono_metadata_decode_row (table, 0, NULL, 3);
	mono_metadata_decode_row (NULL, 0, cells, 1);
	assert_int_equal (cells[0], 0);
	assert_null (mono_image_get_table_info (image, -1));
	assert_null (mono_image_get_table_info (image, 64));
	assert_null (mono_image_get_table_info (NULL, 2));
	assert_int_equal (mono_table_info_get_rows (NULL), 0);
}

static void
searches_find_what_hangs_on_a_type (void **state)
{
	uint32_t packing = 9, size = 9;
	assert_int_equal (mono_metadata_nested_in_typedef (image, 0x02000004), 0x02000002);
	assert_int_equal (mono_metadata_nested_in_typedef (image, 1), 0);
	assert_int_equal (mono_metadata_nesting_typedef (image, 1, 0), 1);
	assert_int_equal (mono_metadata_nesting_typedef (image, 0x02000001, 2), 2);
	assert_int_equal (mono_metadata_nesting_typedef (image, 1, 3), 0);
	assert_int_equal (mono_metadata_packing_from_typedef (image, 3, &packing, &size), 0);
	assert_int_equal (packing, 9);
	assert_int_equal (mono_metadata_packing_from_typedef (image, 4, &packing, &size), 2);
	assert_int_equal (packing, 8);
	assert_int_equal (size, 24);
	assert_int_equal (mono_metadata_packing_from_typedef (image, 2, NULL, NULL), 1);
}

/* Of the two interfaces of type 2 one is a class of the image; that of type 3 has a tag that means nothing. */
static void
interfaces_that_lead_nowhere_are_left_out (void **state)
{
	unsigned count = 9;
	MonoClass **list = mono_metadata_interfaces_from_typedef (image, 2, &count);
	assert_int_equal (count, 1);
	assert_ptr_equal (list[0], monocle_class_def (image, 0x02000003));
	mono_free (list);
	list = mono_metadata_interfaces_from_typedef (image, 0x02000003, &count);
	assert_int_equal (count, 0);
	mono_free (list);
	assert_null (mono_metadata_interfaces_from_typedef (image, 0, &count));
	assert_null (mono_metadata_interfaces_from_typedef (image, 1, NULL));
	failing_memory_allowed = 0;
	assert_null (mono_metadata_interfaces_from_typedef (image, 2, &count));
	failing_memory_allowed = -1;
	assert_int_equal (count, 0);
}

static void
tables_that_are_not_there_have_nothing_to_find (void **state)
{
	unsigned end = 9;
	uint32_t offset = 9, rva = 9;
	MonoMarshalSpec *spec = (MonoMarshalSpec *) &end;
	assert_int_equal (mono_metadata_typedef_from_field (image, 1), 0);
	assert_int_equal (mono_metadata_typedef_from_method (image, METHODS + 1), 0);
	assert_int_equal (mono_metadata_events_from_typedef (image, 1, &end), 0);
	assert_int_equal (end, 0);
	assert_int_equal (mono_metadata_properties_from_typedef (NULL, 1, &end), 0);
	assert_int_equal (mono_metadata_methods_from_event (image, 1, &end), 0);
	assert_int_equal (mono_metadata_methods_from_property (image, UINT32_MAX, &end), 0);
	assert_null (mono_metadata_get_marshal_info (image, 1, 1));
	assert_int_equal (mono_metadata_custom_attrs_from_index (image, 35), 0);
	assert_int_equal (mono_metadata_declsec_from_index (image, 5), UINT32_MAX);
	assert_int_equal (mono_metadata_implmap_from_method (image, 0), 0);
	assert_int_equal (mono_metadata_get_constant_index (image, MONO_TOKEN_FIELD_DEF | 1, 0), 0);
	assert_int_equal (mono_metadata_get_constant_index (image, MONO_TOKEN_METHOD_DEF | 1, 0), 0);
	mono_metadata_field_info (image, 0, &offset, &rva, &spec);
	assert_int_equal (offset, UINT32_MAX);
	assert_int_equal (rva, 0);
	assert_null (spec);
	mono_metadata_field_info (NULL, 0, NULL, NULL, NULL);
	assert_int_equal (mono_metadata_translate_token_index (image, MONO_TABLE_FIELD, 5), 5);
	assert_int_equal (mono_metadata_translate_token_index (image, 1000, 5), 5);
	assert_int_equal (mono_metadata_token_from_dor (7), 0);
}

/* --- blobs -------------------------------------------------------------------------------------------------------- */

static void
numbers_come_back_as_they_were_written (void **state)
{
	for (uint32_t bit = 0; bit < 29; bit++)
		for (int step = -1; step <= 1; step++) {
			uint32_t value = (1u << bit) + (uint32_t) step;
			char bytes[4], *end;
			const char *at;
			mono_metadata_encode_value (value, bytes, &end);
			assert_int_equal (end - bytes, value < 0x80 ? 1 : value < 0x4000 ? 2 : 4);
			assert_int_equal (mono_metadata_decode_value (bytes, &at), value);
			assert_ptr_equal (at, end);
		}
	assert_int_equal (mono_metadata_decode_value (NULL, NULL), 0);
	assert_int_equal (mono_metadata_decode_signed_value (NULL, NULL), 0);
}

/* The examples of ECMA-335 II.23.2, among them those that Mono reads wrongly. */
static void
signed_numbers_are_read_as_the_standard_has_them (void **state)
{
	static const struct {
		const char *bytes;
		int32_t value;
	} examples[] = {
		{ "\x06", 3 }, { "\x7b", -3 }, { "\x80\x80", 64 }, { "\x01", -64 }, { "\xc0\x00\x40\x00", 8192 },
		{ "\x80\x01", -8192 }, { "\xdf\xff\xff\xfe", 268435455 }, { "\xc0\x00\x00\x01", -268435456 },
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		assert_int_equal (mono_metadata_decode_signed_value (examples[i].bytes, NULL), examples[i].value);
}

/* Lengths of one, two and four bytes, as short as possible and not. */
static void
blobs_begin_with_their_length (void **state)
{
	static const struct {
		const char *bytes;
		size_t written;
		uint32_t size;
	} lengths[] = {
		{ "\x05", 1, 5 }, { "\x81\x00", 2, 256 }, { "\xc0\x00\x01\x00", 4, 256 }, { "\xc0\x00\x00\x90", 4, 0x90 },
		{ "\x80\x90", 2, 0x90 }, { "\x80\x05", 2, 5 }, { "\xc0\x00\x00\x05", 4, 5 },
	};
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const char *at;
		memcpy (blobs + 16, lengths[i].bytes, lengths[i].written);
		const char *blob = mono_metadata_blob_heap (image, 16);
		assert_int_equal (mono_metadata_decode_blob_size (blob, &at), lengths[i].size);
		assert_ptr_equal (at, blobs + 16 + lengths[i].written);
	}
	assert_null (mono_metadata_blob_heap (image, BLOBS));
	assert_null (mono_metadata_string_heap (image, 1));
	assert_null (mono_metadata_user_string (image, 1));
	assert_null (mono_metadata_guid_heap (image, 1));
	assert_string_equal (mono_metadata_user_string (image, 0), "");
	assert_null (mono_metadata_blob_heap (NULL, 0));
	assert_null (mono_guid_to_string (NULL));
}

static void
malformed_types_are_no_types (void **state)
{
	const char *at = NULL;
	assert_null (mono_metadata_parse_type (image, MONO_PARSE_TYPE, 0, "\x77", &at));
	assert_null (mono_metadata_parse_type (image, MONO_PARSE_TYPE, 0, NULL, &at));
	assert_null (mono_metadata_parse_type (NULL, MONO_PARSE_TYPE, 0, "\x08", &at));
	assert_null (mono_metadata_parse_array (image, "\x77\x02", &at));
	assert_null (mono_metadata_parse_array (image, "\x08\x02\x81\x00", &at)); /* 256 sizes */
	mono_metadata_free_array (NULL);
	assert_null (mono_type_create_from_typespec (image, 0x1b000001));
	assert_null (mono_metadata_parse_signature (image, 0x11000001)); /* locals */
	assert_null (mono_metadata_parse_signature (image, 0x11000002));
	assert_null (mono_metadata_parse_signature (image, 0x06000001));
	assert_null (mono_metadata_parse_method_signature (image, 0, "\x06\x08", &at));
	assert_null (mono_metadata_parse_method_signature (image, 0, NULL, &at));
	assert_int_equal (mono_metadata_parse_custom_mod (image, NULL, NULL, &at), 0);
	for (failing_memory_allowed = 0; failing_memory_allowed < 3; failing_memory_allowed++) {
		long n = failing_memory_allowed;
		assert_null (mono_metadata_parse_array (image, "\x08\x02\x02\x03\x04\x01\x05", &at));
		failing_memory_allowed = n;
	}
	failing_memory_allowed = -1;
}

static void
signatures_of_ones_own_are_freed_and_those_of_methods_are_not (void **state)
{
	MonoMethodSignature *empty = mono_metadata_signature_alloc (image, 2), *copy = mono_metadata_signature_dup (empty);
	void *iter = NULL;
	assert_int_equal (mono_signature_get_param_count (empty), 2);
	assert_null (mono_signature_get_return_type (empty));
	assert_null (mono_signature_get_params (empty, &iter));
	assert_true (mono_metadata_signature_equal (empty, copy));
	assert_false (mono_metadata_signature_equal (empty, NULL));
	mono_metadata_free_method_signature (empty);
	mono_metadata_free_method_signature (copy);
	mono_metadata_free_method_signature (NULL);
	assert_null (mono_metadata_signature_dup (NULL));
	assert_null (mono_metadata_signature_alloc (image, 70000));
	failing_memory_allowed = 0;
	assert_null (mono_metadata_signature_alloc (image, 1));
	failing_memory_allowed = -1;
}

/* A descriptor says less, or more, than its length allows. */
static void
marshalling_descriptors_are_read_within_their_length (void **state)
{
	static const char *const blobs_of[] = {
		"\x00", "\x01\x2a", "\x02\x2a\x50", "\x03\x2c\x00\x00", ("\x05\x2c\x7f" "abc"), "\x02\x17\x08", "\x01\x1d",
	};
	for (size_t i = 0; i < sizeof blobs_of / sizeof *blobs_of; i++) {
		MonoMarshalSpec *spec = mono_metadata_parse_marshal_spec (image, blobs_of[i]);
		assert_non_null (spec);
		assert_int_equal (spec->native, i == 0 ? 0 : blobs_of[i][1]);
		mono_metadata_free_marshal_spec (spec);
	}
	assert_null (mono_metadata_parse_marshal_spec (image, NULL));
	mono_metadata_free_marshal_spec (NULL);
	for (int n = 0; n < 5; n++) {
		failing_memory_allowed = n;
		mono_metadata_free_marshal_spec (mono_metadata_parse_marshal_spec (image, "\x09\x2c\x00\x00\x02" "ab\x02xy"));
	}
	failing_memory_allowed = -1;
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static void
set_body (uint32_t locals, uint32_t clause_count)
{
	static MonoType *types[2];
	types[0] = monocle_type (monocle_class_param (monocle_class_def (image, 0x02000003), NULL, 0, 0));
	types[1] = NULL;
	body = (monocle_body_info) { .size = sizeof body, .code = blobs, .code_size = 7, .max_stack = 3, .init_locals = 1,
		                         .local_count = locals, .locals = types, .clause_count = clause_count };
	clauses[0] = (monocle_clause_info) { .flags = MONO_EXCEPTION_CLAUSE_NONE, .try_offset = 1, .try_length = 2,
		                                 .catch_class = mono_class_from_mono_type (types[0]) };
	clauses[1] = (monocle_clause_info) { .flags = MONO_EXCEPTION_CLAUSE_FILTER, .filter_offset = 5 };
	body_result = 0;
}

static void
a_body_is_as_its_method_has_it (void **state)
{
	MonoType *integer = monocle_type (monocle_class_primitive (MONO_TYPE_I4));
	MonoClass *klass = monocle_class_inst (monocle_class_def (image, 0x02000003), 1, &integer);
	MonoMethod *method = monocle_method_inst (monocle_method_def (image, 0x06000001), klass, 0, NULL);
	MonoExceptionClause clause;
	uint32_t size, stack, locals;
	mono_bool init;
	void *iter = NULL;
	set_body (2, 2);
	MonoMethodHeader *header = mono_method_get_header (method);
	assert_ptr_equal (mono_method_header_get_code (header, &size, &stack), blobs);
	assert_int_equal (size, 7);
	assert_int_equal (stack, 3);
	MonoType **types = mono_method_header_get_locals (header, &locals, &init);
	assert_int_equal (locals, 2);
	assert_true (init);
	assert_ptr_equal (types[0], integer);
	assert_ptr_equal (types[1], mono_class_get_type (mono_get_object_class ()));
	assert_int_equal (mono_method_header_get_num_clauses (header), 2);
	assert_true (mono_method_header_get_clauses (header, method, &iter, &clause));
	assert_ptr_equal (clause.data.catch_class, mono_get_int32_class ());
	assert_true (mono_method_header_get_clauses (header, method, &iter, &clause));
	assert_int_equal (clause.data.filter_offset, 5);
	assert_false (mono_method_header_get_clauses (header, method, &iter, &clause));
	mono_metadata_free_mh (header);
}

static void
a_method_without_a_body_says_so (void **state)
{
	MonoMethod *method = monocle_method_def (image, 0x06000002);
	MonoError error;
	uint32_t count = 9;
	body_result = MONOCLE_E_UNKNOWN;
	assert_null (mono_method_get_header_checked (method, &error));
	assert_int_equal (mono_error_get_error_code (&error), MONO_ERROR_BAD_IMAGE);
	assert_string_equal (mono_error_get_message (&error), "Method has no body");
	mono_error_cleanup (&error);
	set_body (0, 100000); /* more clauses than there can be */
	assert_null (mono_method_get_header (method));
	set_body (1, 0);
	failing_memory_allowed = 0;
	assert_null (mono_method_get_header (method));
	failing_memory_allowed = -1;
	assert_null (mono_method_get_header (NULL));
	assert_null (mono_method_get_header (monocle_method_def (gone, 0x06000001)));
	assert_null (mono_method_header_get_code (NULL, &count, NULL));
	assert_int_equal (count, 0);
	assert_null (mono_method_header_get_locals (NULL, &count, NULL));
	assert_int_equal (mono_method_header_get_num_clauses (NULL), 0);
	mono_metadata_free_mh (NULL);
}

/* II.25.4.3: flags and size of header, stack, code size, locals; then a section. */
static uint8_t *
fat_body (uint8_t flags, uint32_t code_size, uint32_t locals_token)
{
	static uint8_t bytes[256] __attribute__ ((aligned (4)));
	memset (bytes, 0, sizeof bytes);
	bytes[0] = flags;
	bytes[1] = 0x30;
	bytes[2] = 8;
	memcpy (bytes + 4, &code_size, 4);
	memcpy (bytes + 8, &locals_token, 4);
	return bytes;
}

static void
a_body_at_an_address_is_read_or_refused (void **state)
{
	uint32_t size, stack;
	MonoMethodHeader *header = mono_metadata_parse_mh (image, "\x0a\x00\x00\x2a");
	mono_method_header_get_code (header, &size, &stack);
	assert_int_equal (size, 2);
	assert_int_equal (stack, 8);
	mono_metadata_free_mh (header);
	assert_null (mono_metadata_parse_mh (image, "\x01"));
	assert_null (mono_metadata_parse_mh (image, NULL));
	assert_null (mono_metadata_parse_mh (NULL, "\x0a"));

	memcpy (blobs + 512, "\x04\x07\x02\x08\x0e", 5);
	uint8_t *bytes = fat_body (0x13, 3, 0x11000001);
	header = mono_metadata_parse_mh (image, (const char *) bytes);
	MonoType **types = mono_method_header_get_locals (header, &size, NULL);
	assert_int_equal (size, 2);
	assert_ptr_equal (types[1], mono_class_get_type (mono_get_string_class ()));
	mono_metadata_free_mh (header);

	memcpy (blobs + 512, "\x04\x07\x02\x08\x77", 5); /* a type that is none */
	assert_null (mono_metadata_parse_mh (image, (const char *) bytes));
	memcpy (blobs + 512, "\x05\x07\xc0\xff\xff\xff", 6); /* more locals than there can be */
	assert_null (mono_metadata_parse_mh (image, (const char *) bytes));
	bytes[1] = 0x20;
	assert_null (mono_metadata_parse_mh (image, (const char *) bytes));
}

static void
sections_of_clauses_follow_the_code (void **state)
{
	MonoExceptionClause clause;
	void *iter = NULL;
	uint8_t *bytes = fat_body (0x0b, 3, 0);
	/* A small section with one finally, another kind of section, a fat one with a catch. */
	memcpy (bytes + 16, "\x81\x10\x00\x00\x02\x00\x01\x00\x02\x03\x00\x04\x00\x00\x00\x00", 16);
	memcpy (bytes + 32, "\x82\x04\x00\x00", 4);
	memcpy (bytes + 36, "\x41\x1c\x00\x00", 4);
	memcpy (bytes + 60, "\x02\x00\x00\x02", 4);
	MonoMethodHeader *header = mono_metadata_parse_mh (image, (const char *) bytes);
	assert_int_equal (mono_method_header_get_num_clauses (header), 2);
	assert_true (mono_method_header_get_clauses (header, NULL, &iter, &clause));
	assert_int_equal (clause.flags, MONO_EXCEPTION_CLAUSE_FINALLY);
	assert_int_equal (clause.handler_offset, 3);
	assert_int_equal (clause.handler_len, 4);
	assert_true (mono_method_header_get_clauses (header, NULL, &iter, &clause));
	assert_ptr_equal (clause.data.catch_class, monocle_class_def (image, 0x02000002));
	mono_metadata_free_mh (header);
}

/* --- IL as text --------------------------------------------------------------------------------------------------- */

static void
assert_il (const char *bytes, size_t size, const char *expected)
{
	char *text = mono_disasm_code (NULL, monocle_method_def (image, 0x06000002), (const mono_byte *) bytes,
	                               (const mono_byte *) bytes + size);
	assert_string_equal (text, expected);
	mono_free (text);
}

static void
il_that_is_cut_off_ends_before_its_last_instruction (void **state)
{
	body_result = MONOCLE_E_UNKNOWN;
	assert_il ("\x00\x2a", 2, "IL_0000: nop       \nIL_0001: ret       \n");
	assert_il ("\x00\x20\x01\x02\x03", 5, "IL_0000: nop       \n");
	assert_il ("\x00\xfe", 2, "IL_0000: nop       \n");
	assert_il ("\x45\xff\xff\xff\xff\x00\x00\x00\x00", 9, "");
	assert_il ("\x45\x01\x00\x00\x00\xff\xff\xff\xff\x2a", 10, "IL_0000: switch    (IL_0008)\nIL_0009: ret       \n");
	assert_il ("\x24\xfe\xff\x2a", 4, "IL_0000: unused99  \nIL_0001:           \nIL_0003: ret       \n");
	assert_il ("\x72\x99\x00\x00\x70", 5, "IL_0000: ldstr     \"\"\n");
	assert_il ("", 0, "");
	assert_null (mono_disasm_code (NULL, NULL, (const mono_byte *) "", NULL));
	assert_null (mono_disasm_code_one (NULL, NULL, NULL, NULL));
}

static char *
indent (MonoDisHelper *helper, MonoMethod *method, uint32_t offset)
{
	return strdup (helper->user_data);
}

static char *
name_token (MonoDisHelper *helper, MonoMethod *method, uint32_t token)
{
	return token == 0x0a000001 ? strdup ("<reference>") : NULL;
}

static void
a_helper_says_how_il_is_written (void **state)
{
	MonoDisHelper helper = { "|", "%u ", "->%u", indent, name_token, "> " };
	static const mono_byte code[] = { 0x2b, 0x01, 0x00, 0x28, 0x01, 0x00, 0x00, 0x0a };
	const mono_byte *next;
	char *text = mono_disasm_code (&helper, monocle_method_def (image, 0x06000002), code, code + sizeof code);
	assert_string_equal (text, "> 0 br.s      ->3|> 2 nop       |> 3 call      <reference>|");
	mono_free (text);
	helper = (MonoDisHelper) { 0 };
	text = mono_disasm_code_one (&helper, monocle_method_def (image, 0x06000002), code, &next);
	assert_string_equal (text, "br.s      1");
	assert_ptr_equal (next, code + 2);
	mono_free (text);
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static void
attributes_without_a_constructor_are_left_out (void **state)
{
	MonoMethod *method = monocle_method_def (image, 0x06000001);
	attributes = 3;
	unknown_attribute = 1;
	MonoCustomAttrInfo *list = mono_custom_attrs_from_method (method);
	assert_int_equal (list->num_attrs, 2);
	assert_ptr_equal (list->image, image);
	assert_int_equal (list->attrs[1].data_size, 2);
	assert_true (mono_custom_attrs_has_attr (list, monocle_class_def (image, 0x02000003)));
	assert_false (mono_custom_attrs_has_attr (list, monocle_class_def (image, 0x02000004)));
	mono_custom_attrs_free (list);
	attributes = 1;
	unknown_attribute = 0;
	assert_null (mono_custom_attrs_from_method (method));
	attributes = 0;
	assert_null (mono_custom_attrs_from_class (monocle_class_def (image, 0x02000001)));
	attributes = 1;
	unknown_attribute = -1;
	failing_memory_allowed = 0;
	assert_null (mono_custom_attrs_from_method (method));
	failing_memory_allowed = -1;
	assert_null (mono_custom_attrs_from_method (NULL));
	assert_null (mono_custom_attrs_from_class (mono_get_object_class ()));
	assert_null (mono_custom_attrs_from_assembly (NULL));
	assert_null (mono_custom_attrs_from_index (image, 31)); /* a tag of no table, and row 0 */
	assert_null (mono_custom_attrs_from_index (image, 1 << 5 | 30));
	assert_null (mono_custom_attrs_from_param (method, 0));
	assert_null (mono_custom_attrs_from_method (monocle_method_def (gone, 0x06000001)));
	assert_false (mono_custom_attrs_has_attr (NULL, mono_get_object_class ()));
	mono_custom_attrs_free (NULL);
	list = mono_custom_attrs_from_assembly (monocle_image_assembly (image));
	assert_int_equal (list->num_attrs, 1);
	mono_custom_attrs_free (list);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void
names_of_images_are_borrowed_and_parsed_ones_are_not (void **state)
{
	MonoAssemblyName *own = mono_assembly_get_name (monocle_image_assembly (image));
	MonoAssemblyName *name = mono_assembly_name_new ("scripted, Culture=de");
	mono_assembly_name_free (own);
	assert_string_equal (mono_assembly_name_get_name (own), "scripted");
	assert_null (mono_assembly_loaded (name));
	mono_assembly_name_free (name);
	mono_assembly_name_free (name);
	assert_null (mono_stringify_assembly_name (name));
	assert_null (mono_assembly_loaded (name));
	assert_true (mono_assembly_fill_assembly_name (image, name));
	assert_ptr_equal (mono_assembly_loaded (name), monocle_image_assembly (image));
	assert_false (mono_assembly_fill_assembly_name (NULL, name));
	assert_false (mono_assembly_fill_assembly_name (image, NULL));
	mono_assembly_get_assemblyref (image, 0, name); /* there is none */
	assert_null (mono_assembly_name_get_name (name));
	assert_false (mono_assembly_names_equal (name, own));
	mono_free (name);
	assert_null (mono_assembly_name_new (NULL));
	for (int n = 0; n <= 4; n++) {
		failing_memory_allowed = n;
		name = mono_assembly_name_new ("scripted, Culture=de");
		assert_int_equal (name != NULL, n == 4);
		mono_assembly_name_free (name);
		free (name);
	}
	failing_memory_allowed = -1;
}

static void
nothing_is_loaded_and_what_is_there_is_found (void **state)
{
	MonoImageOpenStatus status = 9;
	assert_ptr_equal (mono_image_open ("/app/scripted.dll", &status), image);
	assert_int_equal (status, MONO_IMAGE_OK);
	assert_null (mono_image_open ("/app/gone.dll", &status));
	assert_int_equal (status, MONO_IMAGE_ERROR_ERRNO);
	assert_non_null (mono_image_strerror (status));
	assert_null (mono_image_open (NULL, NULL));
	assert_null (mono_image_open_full ("/app/scripted.dll", &status, 1));
	assert_ptr_equal (mono_assembly_open ("/app/scripted.dll", &status), monocle_image_assembly (image));
	assert_int_equal (status, MONO_IMAGE_OK);
	assert_null (mono_assembly_open ("/etc/passwd", &status));
	assert_int_equal (status, MONO_IMAGE_ERROR_ERRNO);
	assert_ptr_equal (mono_assembly_load_with_partial_name ("SCRIPTED", NULL), monocle_image_assembly (image));
	assert_null (mono_assembly_load_with_partial_name ("scripted,", NULL));
	assert_null (mono_assembly_load (NULL, NULL, &status));
	assert_null (mono_image_loaded_full ("scripted", 1));
}

static void
names_of_types_that_are_malformed_name_nothing (void **state)
{
	static const char *const names[] = { "", " ", "[", "]", "C[", "C[[", "C[[C", "C[C", "C[C]]", "C&&", "+", "C+", "\\",
		                                 "C\\", "C,", "C, ", "C,,", "C[,", "C[*", "C[*,]", "C]", "C[]&*", "/", "C/" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *copy = strdup (names[i]);
		assert_null (mono_reflection_type_from_name (copy, image));
		free (copy);
	}
	char deep[400];
	memset (deep, '[', sizeof deep);
	for (size_t i = 0; i < sizeof deep; i += 2)
		deep[i] = 'C';
	deep[sizeof deep - 1] = 0;
	assert_null (mono_reflection_type_from_name (deep, image));
	assert_null (mono_reflection_type_from_name (NULL, image));
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void
put32 (uint32_t at, uint32_t value)
{
	memcpy (file + at, &value, 4);
}

/* A PE32 of one section, its CLI header at 0x200, resources at 0x280, a strong name at 0x2c0. */
static void
make_file (void)
{
	memset (file, 0, sizeof file);
	file_size = 0x300;
	put32 (0x3c, 0x40);
	memcpy (file + 0x40, "PE", 2);
	file[0x46] = 1;      /* sections */
	file[0x54] = 0xe0;   /* optional header */
	file[0x58] = 0x0b;
	file[0x59] = 0x01;
	put32 (0x58 + 60, 0x180);
	put32 (0x58 + 92, 16);
	put32 (0x58 + 96 + 14 * 8, 0x200);
	put32 (0x58 + 96 + 14 * 8 + 4, 72);
	memcpy (file + 0x138, ".text", 5);
	put32 (0x138 + 12, 0x200);
	put32 (0x138 + 16, 0x100);
	put32 (0x138 + 20, 0x1000);
	put32 (0x200 + 24, 0x280);
	put32 (0x200 + 28, 0x20);
	put32 (0x200 + 32, 0x2c0);
	put32 (0x200 + 36, 0x10);
	put32 (0x280, 5);
}

static void
a_file_shows_its_resources_strong_name_and_sections (void **state)
{
	uint32_t size = 9;
	make_file ();
	assert_ptr_equal (mono_image_get_resource (image, 0, &size), file + 0x284);
	assert_int_equal (size, 5);
	assert_ptr_equal (mono_image_get_strong_name (image, &size), file + 0x2c0);
	assert_int_equal (size, 0x10);
	assert_int_equal (mono_image_strong_name_position (image, NULL), 0x10c0);
	assert_true (mono_image_ensure_section (image, ".text"));
	assert_false (mono_image_ensure_section (image, ".tex"));
	assert_false (mono_image_ensure_section (image, ".textureless"));
	assert_true (mono_image_ensure_section_idx (image, 0));
	assert_false (mono_image_ensure_section_idx (image, 1));
	assert_false (mono_image_ensure_section_idx (image, -1));
	assert_null (mono_image_rva_map (image, 0));
	assert_null (mono_image_rva_map (image, 0x17f));
	assert_ptr_equal (mono_image_rva_map (image, 0x210), file + 0x210);
	assert_false (mono_image_has_authenticode_entry (image));
	put32 (0x58 + 96 + 4 * 8, 0x400);
	put32 (0x58 + 96 + 4 * 8 + 4, 0x100);
	assert_true (mono_image_has_authenticode_entry (image));
	assert_int_equal (mono_image_get_entry_point (image), 0x06000001);
	assert_memory_equal (mono_image_get_public_key (image, &size), "\1\2\3", 3);
	assert_int_equal (size, 3);
}

static bool
was_held (void)
{
	uint32_t least = holders;
	holders = UINT32_MAX;
	return least >= 2 && least != UINT32_MAX && !atomic_load (&image->describing);
}

/* Whoever reads bytes keeps the image from being unmapped until it has read them. */
static void
bytes_are_read_while_their_image_is_held (void **state)
{
	MonoAssemblyName name;
	uint32_t size;
	make_file ();
	holders = UINT32_MAX;
	mono_image_get_resource (image, 0, &size);
	assert_true (was_held ());
	mono_image_get_strong_name (image, &size);
	assert_true (was_held ());
	mono_image_strong_name_position (image, NULL);
	assert_true (was_held ());
	mono_image_ensure_section (image, ".text");
	assert_true (was_held ());
	mono_image_rva_map (image, 0x210);
	assert_true (was_held ());
	mono_metadata_parse_signature (image, 0x11000001);
	assert_true (was_held ());
	mono_assembly_get_assemblyref (gone, 0, &name);
	assert_null (mono_assembly_name_get_name (&name));
	assert_int_equal (atomic_load (&gone->describing), 0);
}

static void
a_resource_never_reaches_past_its_file (void **state)
{
	make_file ();
	put32 (0x280, 0x1d); /* one more than the directory holds */
	assert_null (mono_image_get_resource (image, 0, NULL));
	put32 (0x280, UINT32_MAX);
	assert_null (mono_image_get_resource (image, 0, NULL));
	assert_null (mono_image_get_resource (image, 0x1d, NULL));
	assert_null (mono_image_get_resource (image, UINT32_MAX, NULL));
	put32 (0x200 + 28, UINT32_MAX); /* a directory that does */
	put32 (0x280, 0x100);
	assert_null (mono_image_get_resource (image, 0, NULL));
	put32 (0x200 + 36, 0x100);
	assert_null (mono_image_get_strong_name (image, NULL));
}

/* Each header, cut at each byte and with each byte at its extremes, is read without a wild step. */
static void
broken_headers_are_survived (void **state)
{
	static const char *const sections[] = { ".text" };
	for (uint32_t at = 0; at < 0x260; at++)
		for (int what = 0; what < 3; what++) {
			make_file ();
			if (what == 2)
				file_size = at;
			else
				file[at] = what ? 0xff : 0x80;
			mono_image_get_resource (image, 0, NULL);
			mono_image_get_strong_name (image, NULL);
			mono_image_strong_name_position (image, NULL);
			mono_image_has_authenticode_entry (image);
			mono_image_ensure_section (image, sections[0]);
			mono_image_rva_map (image, 0x200);
		}
	make_file ();
	file_size = 0;
	assert_null (mono_image_get_resource (image, 0, NULL));
	assert_null (mono_image_get_resource (gone, 0, NULL));
	assert_null (mono_image_get_public_key (NULL, NULL));
	assert_int_equal (mono_image_get_entry_point (NULL), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (what_is_not_in_a_table_reads_as_zero),
	cmocka_unit_test (searches_find_what_hangs_on_a_type),
	cmocka_unit_test (interfaces_that_lead_nowhere_are_left_out),
	cmocka_unit_test (tables_that_are_not_there_have_nothing_to_find),
	cmocka_unit_test (numbers_come_back_as_they_were_written),
	cmocka_unit_test (signed_numbers_are_read_as_the_standard_has_them),
	cmocka_unit_test (blobs_begin_with_their_length),
	cmocka_unit_test (malformed_types_are_no_types),
	cmocka_unit_test (signatures_of_ones_own_are_freed_and_those_of_methods_are_not),
	cmocka_unit_test (marshalling_descriptors_are_read_within_their_length),
	cmocka_unit_test (a_body_is_as_its_method_has_it),
	cmocka_unit_test (a_method_without_a_body_says_so),
	cmocka_unit_test (a_body_at_an_address_is_read_or_refused),
	cmocka_unit_test (sections_of_clauses_follow_the_code),
	cmocka_unit_test (il_that_is_cut_off_ends_before_its_last_instruction),
	cmocka_unit_test (a_helper_says_how_il_is_written),
	cmocka_unit_test (attributes_without_a_constructor_are_left_out),
	cmocka_unit_test (names_of_images_are_borrowed_and_parsed_ones_are_not),
	cmocka_unit_test (nothing_is_loaded_and_what_is_there_is_found),
	cmocka_unit_test (names_of_types_that_are_malformed_name_nothing),
	cmocka_unit_test (a_file_shows_its_resources_strong_name_and_sections),
	cmocka_unit_test (bytes_are_read_while_their_image_is_held),
	cmocka_unit_test (a_resource_never_reaches_past_its_file),
	cmocka_unit_test (broken_headers_are_survived),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, start, NULL);
}

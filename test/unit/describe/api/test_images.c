/*
 * SPDX-License-Identifier: MIT
 *
 * test_images.c - a core library read through Mono's API and by lib/ecma: every cell, body, clause and attribute is the
 * same. Argument: the runtime whose library it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/reflection.h>
#include <mono/metadata/tokentype.h>
#include "attribute.h"
#include "ecma.h"
#include "file-host.h"
#include "il.h"
#include "runtime_image.h"

static struct runtime_image file;
static monocle__ecma_image ecma;
static MonoImage *image;

static int
open_library (void **state)
{
	file_host_start ();
	image = file_host_open (file.path);
	return !image || monocle__ecma_open_pe (&ecma, file.data, file.size, false) ? -1 : 0;
}

static void
every_cell_is_read_alike (void **state)
{
	uint64_t cells = 0, rows = 0;
	for (uint32_t table = 0; table <= MONOCLE__TABLE_GenericParamConstraint; table++) {
		const MonoTableInfo *info = mono_image_get_table_info (image, (int) table);
		uint32_t count = monocle__ecma_rows (&ecma, table);
		assert_int_equal (mono_table_info_get_rows (info), count);
		for (uint32_t row = 1; row <= count; row++, rows++) {
			uint32_t decoded[MONOCLE__COLUMN_MAX + 1], value, column = 0;
			mono_metadata_decode_row (info, (int) row - 1, decoded, MONOCLE__COLUMN_MAX + 1);
			for (; monocle__ecma_column (&ecma, table, row, column, &value) == 0; column++, cells++)
				assert_int_equal (decoded[column], value);
			for (; column <= MONOCLE__COLUMN_MAX; column++)
				assert_int_equal (decoded[column], 0);
		}
	}
	printf ("%s: %lu cells of %lu rows\n", file.path, cells, rows);
	assert_true (rows > 100000 && cells > 300000);
}

static uint32_t
cell (uint32_t table, uint32_t row, uint32_t column)
{
	uint32_t value = 0;
	assert_int_equal (monocle__ecma_column (&ecma, table, row, column, &value), 0);
	return value;
}

static const uint8_t *
raw_body (uint32_t row, size_t *ret_size)
{
	uint32_t rva = cell (MONOCLE__TABLE_MethodDef, row, MONOCLE__COL_MethodDef_RVA);
	return rva ? monocle__ecma_rva (&ecma, rva, ret_size) : NULL;
}

static uint32_t
same_clauses (MonoMethodHeader *header, MonoMethod *method, const uint8_t *raw, size_t size)
{
	MonoExceptionClause clause;
	monocle__il_raw_clause expected;
	uint32_t count = 0;
	for (void *iter = NULL; mono_method_header_get_clauses (header, method, &iter, &clause); count++) {
		assert_int_equal (monocle__il_read_clause (raw, size, count, &expected), 0);
		assert_int_equal (clause.flags, expected.flags);
		assert_int_equal (clause.try_offset, expected.try_offset);
		assert_int_equal (clause.try_len, expected.try_length);
		assert_int_equal (clause.handler_offset, expected.handler_offset);
		assert_int_equal (clause.handler_len, expected.handler_length);
		if (clause.flags == MONO_EXCEPTION_CLAUSE_FILTER)
			assert_int_equal (clause.data.filter_offset, expected.token_or_filter);
		else if (clause.flags == MONO_EXCEPTION_CLAUSE_NONE)
			assert_ptr_equal (clause.data.catch_class, mono_class_get (image, expected.token_or_filter));
	}
	return count;
}

static void
same_header (MonoMethodHeader *header, MonoMethod *method, const uint8_t *raw, size_t size)
{
	monocle__il_header expected;
	uint32_t code_size, stack;
	mono_bool init_locals;
	assert_int_equal (monocle__il_read_header (raw, size, &expected), 0);
	const uint8_t *code = mono_method_header_get_code (header, &code_size, &stack);
	mono_method_header_get_locals (header, NULL, &init_locals);
	assert_int_equal (code_size, expected.code_size);
	assert_int_equal (stack, expected.max_stack);
	assert_int_equal (init_locals, expected.init_locals);
	assert_memory_equal (code, expected.code, code_size);
	assert_int_equal (mono_method_header_get_num_clauses (header), expected.clause_count);
	assert_int_equal (same_clauses (header, method, raw, size), expected.clause_count);
}

/* As the method's, and at its address. */
static void
every_body_is_read_alike (void **state)
{
	uint32_t bodies = 0, none = 0;
	for (uint32_t row = 1; row <= monocle__ecma_rows (&ecma, MONOCLE__TABLE_MethodDef); row++) {
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | row, NULL);
		MonoMethodHeader *header = mono_method_get_header (method);
		size_t size = 0;
		const uint8_t *raw = raw_body (row, &size);
		assert_int_equal (header != NULL, raw != NULL);
		none += !raw;
		if (!raw)
			continue;
		same_header (header, method, raw, size);
		mono_metadata_free_mh (header);
		const char *at = mono_image_rva_map (image, cell (MONOCLE__TABLE_MethodDef, row, MONOCLE__COL_MethodDef_RVA));
		header = mono_metadata_parse_mh (image, at);
		same_header (header, method, raw, size);
		mono_metadata_free_mh (header);
		bodies++;
	}
	printf ("%u bodies, %u methods without\n", bodies, none);
	assert_true (bodies > 15000 && none > 500);
}

/* Those of one parent stand together, so that each row is met once. */
static void
every_attribute_is_listed_in_order (void **state)
{
	uint32_t rows = monocle__ecma_rows (&ecma, MONOCLE__TABLE_CustomAttribute), listed = 0;
	for (uint32_t row = 1; row <= rows;) {
		uint32_t parent = cell (MONOCLE__TABLE_CustomAttribute, row, MONOCLE__COL_CustomAttribute_Parent);
		MonoCustomAttrInfo *list = mono_custom_attrs_from_index (image, parent);
		assert_non_null (list);
		for (int i = 0; i < list->num_attrs; i++, row++, listed++) {
			monocle__attribute expected;
			assert_int_equal (monocle__attribute_get (&ecma, row, &expected), 0);
			assert_int_equal (list->attrs[i].data_size, expected.size);
			assert_memory_equal (list->attrs[i].data, expected.value, expected.size);
			assert_ptr_equal (list->attrs[i].ctor, mono_get_method (image, expected.constructor_token, NULL));
		}
		assert_true (row > rows ||
		             cell (MONOCLE__TABLE_CustomAttribute, row, MONOCLE__COL_CustomAttribute_Parent) != parent);
		mono_custom_attrs_free (list);
	}
	printf ("%u attributes\n", listed);
	assert_int_equal (listed, rows);
	assert_true (listed > 5000);
}

static void
every_method_is_found_by_its_own_pattern (void **state)
{
	uint32_t rows = monocle__ecma_rows (&ecma, MONOCLE__TABLE_MethodDef), checked = 0;
	for (uint32_t row = 1; row <= rows; row += 17, checked++) {
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | row, NULL);
		MonoMethodDesc *desc = mono_method_desc_from_method (method);
		if (!mono_method_desc_full_match (desc, method))
			fail_msg ("%s", mono_method_full_name (method, 1));
		mono_method_desc_free (desc);
	}
	assert_true (checked > 1000);
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_cell_is_read_alike),
		cmocka_unit_test (every_body_is_read_alike),
		cmocka_unit_test (every_attribute_is_listed_in_order),
		cmocka_unit_test (every_method_is_found_by_its_own_pattern),
	};
	int missing = argc < 2 ? 1 : runtime_image_open (&file, argv[1]);
	if (missing)
		return missing;
	return cmocka_run_group_tests (tests, open_library, NULL);
}

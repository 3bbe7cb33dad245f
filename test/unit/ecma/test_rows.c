/*
 * SPDX-License-Identifier: MIT
 *
 * test_rows.c - rows.c over the house of builder.h, as it is and with its tables damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "builder.h"
#include "ecma.h"

enum { MODULE = 0x02000001, OUTER = 0x02000002, INNER = 0x02000003, LAST = 0x02000004 };
enum { RUN = 0x06000001, STOP = 0x06000002, MAIN = 0x06000003 };

static monocle__ecma_image image;
static struct bytes house;

static int
build (void **state)
{
	house = build_house ();
	return monocle__ecma_open_metadata (&image, house.data, house.size);
}

static int
tear_down (void **state)
{
	bytes_free (&house);
	return 0;
}

/* Overwrites a cell of two bytes and opens the image anew. */
static void
set_cell (uint32_t table, uint32_t rid, uint32_t column, uint16_t value)
{
	const monocle__ecma_table *rows = &image.tables[table];
	size_t at = (size_t) (rows->data - house.data) + (rid - 1) * rows->row_size + rows->column_offset[column];
	assert_int_equal (rows->column_size[column], 2);
	house.data[at] = (uint8_t) value;
	house.data[at + 1] = (uint8_t) (value >> 8);
	assert_int_equal (monocle__ecma_open_metadata (&image, house.data, house.size), 0);
}

static void
a_type_tells_its_names_members_and_parents (void **state)
{
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, OUTER, &type), 0);
	assert_string_equal (type.name, "Outer`1");
	assert_string_equal (type.name_space, "N");
	assert_int_equal (type.flags, 1);
	assert_int_equal (type.extends_token, 0x01000001);
	assert_int_equal (type.first_field, 1);
	assert_int_equal (type.end_field, 2);
	assert_int_equal (type.first_method, 1);
	assert_int_equal (type.end_method, 3);
	assert_int_equal (type.enclosing_token, 0);
	assert_int_equal (type.generic_params, 1);
}

static void
a_nested_type_without_methods_has_an_empty_run (void **state)
{
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, INNER, &type), 0);
	assert_string_equal (type.name_space, "");
	assert_int_equal (type.first_method, type.end_method);
	assert_int_equal (type.enclosing_token, OUTER);
	assert_int_equal (type.generic_params, 0);
}

static void
the_last_type_owns_the_rest (void **state)
{
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, LAST, &type), 0);
	assert_int_equal (type.first_method, 3);
	assert_int_equal (type.end_method, 4);
	assert_int_equal (type.first_field, 2);
	assert_int_equal (type.end_field, 2);
}

static void
a_type_without_parents_has_no_tokens_for_them (void **state)
{
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, MODULE, &type), 0);
	assert_int_equal (type.extends_token, 0);
	assert_int_equal (type.enclosing_token, 0);
}

static void
a_method_tells_its_name_flags_owner_and_signature (void **state)
{
	monocle__ecma_methoddef method;
	const uint8_t *signature;
	uint32_t size;
	assert_int_equal (monocle__ecma_get_methoddef (&image, RUN, &method), 0);
	assert_string_equal (method.name, "Run");
	assert_int_equal (method.rva, 0x2050);
	assert_int_equal (method.flags, 0x86);
	assert_int_equal (method.iflags, 0);
	assert_int_equal (monocle__ecma_method_owner (&image, RUN), OUTER);
	assert_int_equal (monocle__ecma_generic_params (&image, RUN), 2);
	assert_int_equal (monocle__ecma_blob (&image, method.signature, &signature, &size), 0);
	assert_int_equal (size, 6);
	assert_int_equal (signature[0], 0x30);
}

static void
methods_find_their_types_past_types_without_methods (void **state)
{
	assert_int_equal (monocle__ecma_method_owner (&image, RUN), OUTER);
	assert_int_equal (monocle__ecma_method_owner (&image, STOP), OUTER);
	assert_int_equal (monocle__ecma_method_owner (&image, MAIN), LAST);
	assert_int_equal (monocle__ecma_method_owner (&image, 0x06000004), 0);
	assert_int_equal (monocle__ecma_method_owner (&image, 0x06000000), 0);
	assert_int_equal (monocle__ecma_method_owner (&image, OUTER), 0);
}

static void
tokens_that_name_no_row_are_range_errors (void **state)
{
	static const uint32_t types[] = { 0, 0x02000000, 0x02000005, 0x02FFFFFF, RUN, UINT32_MAX };
	monocle__ecma_typedef type;
	monocle__ecma_methoddef method;
	const char *name, *name_space;
	uint32_t scope;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		assert_int_equal (monocle__ecma_get_typedef (&image, types[i], &type), MONOCLE__ECMA_E_RANGE);
		assert_int_equal (monocle__ecma_enclosing (&image, types[i]), 0);
	}
	assert_int_equal (monocle__ecma_get_methoddef (&image, OUTER, &method), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_get_methoddef (&image, 0x06000004, &method), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_get_typeref (&image, 0x01000002, &name, &name_space, &scope),
	                  MONOCLE__ECMA_E_RANGE);
}

static void
generic_parameters_have_their_names (void **state)
{
	assert_int_equal (monocle__ecma_generic_params (&image, OUTER), 1);
	assert_int_equal (monocle__ecma_generic_params (&image, RUN), 2);
	assert_int_equal (monocle__ecma_generic_params (&image, STOP), 0);
	assert_int_equal (monocle__ecma_generic_params (&image, 0x01000001), 0);
	assert_string_equal (monocle__ecma_generic_param_name (&image, OUTER, 0), "T");
	assert_string_equal (monocle__ecma_generic_param_name (&image, RUN, 0), "U");
	assert_string_equal (monocle__ecma_generic_param_name (&image, RUN, 1), "V");
	assert_null (monocle__ecma_generic_param_name (&image, RUN, 2));
	assert_null (monocle__ecma_generic_param_name (&image, STOP, 0));
}

static void
tables_out_of_order_are_searched_all_the_same (void **state)
{
	/* T of Outer now stands behind U of Run, and in front of V. */
	set_cell (MONOCLE__TABLE_GenericParam, 2, MONOCLE__COL_GenericParam_Owner, 2 << 1 | 0);
	set_cell (MONOCLE__TABLE_GenericParam, 3, MONOCLE__COL_GenericParam_Owner, 1 << 1 | 1);
	set_cell (MONOCLE__TABLE_GenericParam, 2, MONOCLE__COL_GenericParam_Number, 0);
	set_cell (MONOCLE__TABLE_GenericParam, 3, MONOCLE__COL_GenericParam_Number, 1);
	assert_int_equal (image.sorted >> MONOCLE__TABLE_GenericParam & 1, 0);
	assert_int_equal (monocle__ecma_generic_params (&image, OUTER), 1);
	assert_int_equal (monocle__ecma_generic_params (&image, RUN), 2);
	assert_string_equal (monocle__ecma_generic_param_name (&image, OUTER, 0), "V");
	assert_string_equal (monocle__ecma_generic_param_name (&image, RUN, 1), "T");
}

static void
a_type_whose_methods_stand_out_of_order_keeps_them (void **state)
{
	/* Outer begins behind Last: its run is contradictory, so it is empty; Last keeps Main. */
	set_cell (MONOCLE__TABLE_TypeDef, 2, MONOCLE__COL_TypeDef_MethodList, 4);
	monocle__ecma_typedef type;
	assert_int_equal (image.sorted >> MONOCLE__TABLE_TypeDef & 1, 0);
	assert_int_equal (monocle__ecma_get_typedef (&image, OUTER, &type), 0);
	assert_int_equal (type.first_method, type.end_method);
	assert_int_equal (monocle__ecma_method_owner (&image, MAIN), LAST);
}

static void
a_run_from_row_zero_begins_at_the_first_row (void **state)
{
	set_cell (MONOCLE__TABLE_TypeDef, 1, MONOCLE__COL_TypeDef_MethodList, 0);
	set_cell (MONOCLE__TABLE_TypeDef, 2, MONOCLE__COL_TypeDef_MethodList, 0);
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, OUTER, &type), 0);
	assert_int_equal (type.first_method, 1);
	assert_int_equal (type.end_method, 3);
	assert_int_equal (monocle__ecma_method_owner (&image, RUN), OUTER);
}

static void
runs_end_where_their_table_ends (void **state)
{
	set_cell (MONOCLE__TABLE_TypeDef, 3, MONOCLE__COL_TypeDef_MethodList, 0xFFFF);
	set_cell (MONOCLE__TABLE_TypeDef, 4, MONOCLE__COL_TypeDef_MethodList, 0xFFFF);
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, OUTER, &type), 0);
	assert_int_equal (type.end_method, 4);
	assert_int_equal (monocle__ecma_get_typedef (&image, LAST, &type), 0);
	assert_int_equal (type.first_method, 4);
	assert_int_equal (type.end_method, 4);
	assert_int_equal (monocle__ecma_method_owner (&image, MAIN), OUTER);
}

static void
a_broken_name_makes_the_row_an_error (void **state)
{
	monocle__ecma_typedef type;
	monocle__ecma_methoddef method;
	monocle__ecma_assembly assembly;
	const char *name, *name_space;
	uint32_t scope;
	set_cell (MONOCLE__TABLE_TypeDef, 2, MONOCLE__COL_TypeDef_Name, 0xFFFF);
	set_cell (MONOCLE__TABLE_MethodDef, 1, MONOCLE__COL_MethodDef_Name, 0xFFFF);
	set_cell (MONOCLE__TABLE_TypeRef, 1, MONOCLE__COL_TypeRef_Namespace, 0xFFFF);
	set_cell (MONOCLE__TABLE_Assembly, 1, MONOCLE__COL_Assembly_Culture, 0xFFFF);
	set_cell (MONOCLE__TABLE_AssemblyRef, 1, MONOCLE__COL_AssemblyRef_PublicKeyOrToken, 0xFFFF);
	assert_int_equal (monocle__ecma_get_typedef (&image, OUTER, &type), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (monocle__ecma_get_methoddef (&image, RUN, &method), MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (monocle__ecma_get_typeref (&image, 0x01000001, &name, &name_space, &scope),
	                  MONOCLE__ECMA_E_FORMAT);
	assert_int_equal (monocle__ecma_get_assembly (&image, &assembly), MONOCLE__ECMA_E_FORMAT);
	assert_true (monocle__ecma_get_assemblyref (&image, 1, &assembly) < 0);
	assert_int_equal (monocle__ecma_get_methoddef (&image, STOP, &method), 0);
}

static void
an_enclosing_type_that_does_not_come_before_is_none (void **state)
{
	static const uint16_t not_before[] = { 0, 3, 4, 99 };
	for (size_t i = 0; i < sizeof not_before / sizeof not_before[0]; i++) {
		set_cell (MONOCLE__TABLE_NestedClass, 1, MONOCLE__COL_NestedClass_EnclosingClass, not_before[i]);
		assert_int_equal (monocle__ecma_enclosing (&image, INNER), 0);
	}
}

static void
an_assembly_tells_its_name_version_and_key (void **state)
{
	static const uint16_t version[4] = { 1, 2, 3, 4 };
	static const uint8_t token[8] = { 0xb7, 0x7a, 0x5c, 0x56, 0x19, 0x34, 0xe0, 0x89 };
	monocle__ecma_assembly assembly;
	uint8_t computed[8];
	assert_int_equal (monocle__ecma_get_assembly (&image, &assembly), 0);
	assert_string_equal (assembly.name, "house");
	assert_string_equal (assembly.culture, "");
	assert_memory_equal (assembly.version, version, sizeof version);
	assert_int_equal (assembly.flags, 1);
	monocle__ecma_public_key_token (assembly.public_key, assembly.public_key_size, computed);
	assert_memory_equal (computed, token, 8);

	assert_int_equal (monocle__ecma_get_assemblyref (&image, 1, &assembly), 0);
	assert_string_equal (assembly.name, "mscorlib");
	assert_int_equal (assembly.public_key_size, 8);
	assert_memory_equal (assembly.public_key, token, 8);
	assert_int_equal (monocle__ecma_get_assemblyref (&image, 2, &assembly), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__ecma_get_assemblyref (&image, 0, &assembly), MONOCLE__ECMA_E_RANGE);
}

static void
a_reference_tells_its_names_and_scope (void **state)
{
	const char *name, *name_space;
	uint32_t scope;
	assert_int_equal (monocle__ecma_get_typeref (&image, 0x01000001, &name, &name_space, &scope), 0);
	assert_string_equal (name, "Object");
	assert_string_equal (name_space, "System");
	assert_int_equal (scope, 0x23000001);
}

static void
types_are_found_by_name_unless_nested (void **state)
{
	assert_int_equal (monocle__ecma_find_typedef (&image, "N", "Outer`1"), OUTER);
	assert_int_equal (monocle__ecma_find_typedef (&image, "", "<Module>"), MODULE);
	assert_int_equal (monocle__ecma_find_typedef (&image, "N", "Last"), LAST);
	assert_int_equal (monocle__ecma_find_typedef (&image, NULL, "<Module>"), MODULE);
	assert_int_equal (monocle__ecma_find_typedef (&image, "", "Last"), 0);
	assert_int_equal (monocle__ecma_find_typedef (&image, "", "Inner"), 0);
}

static void
the_mvid_is_written_as_people_write_it (void **state)
{
	char text[37];
	assert_int_equal (monocle__ecma_mvid (&image, text), 0);
	assert_string_equal (text, "33221100-5544-7766-8899-AABBCCDDEEFF");
	set_cell (MONOCLE__TABLE_Module, 1, MONOCLE__COL_Module_Mvid, 2);
	assert_int_equal (monocle__ecma_mvid (&image, text), MONOCLE__ECMA_E_RANGE);
}

#define test(name) cmocka_unit_test_setup_teardown (name, build, tear_down)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		test (a_type_tells_its_names_members_and_parents),
		test (a_nested_type_without_methods_has_an_empty_run),
		test (the_last_type_owns_the_rest),
		test (a_type_without_parents_has_no_tokens_for_them),
		test (a_method_tells_its_name_flags_owner_and_signature),
		test (methods_find_their_types_past_types_without_methods),
		test (tokens_that_name_no_row_are_range_errors),
		test (generic_parameters_have_their_names),
		test (tables_out_of_order_are_searched_all_the_same),
		test (a_type_whose_methods_stand_out_of_order_keeps_them),
		test (a_run_from_row_zero_begins_at_the_first_row),
		test (runs_end_where_their_table_ends),
		test (a_broken_name_makes_the_row_an_error),
		test (an_enclosing_type_that_does_not_come_before_is_none),
		test (an_assembly_tells_its_name_version_and_key),
		test (a_reference_tells_its_names_and_scope),
		test (types_are_found_by_name_unless_nested),
		test (the_mvid_is_written_as_people_write_it),
	};
	return cmocka_run_group_tests_name ("ecma rows", tests, NULL, NULL);
}

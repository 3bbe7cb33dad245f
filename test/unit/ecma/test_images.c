/*
 * SPDX-License-Identifier: MIT
 *
 * test_images.c - everything in the core library of a real runtime reads.
 *
 *   test-ecma-images mono|coreclr
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "builder.h"
#include "ecma.h"
#include "runtime_image.h"
#include "walk.h"

static struct runtime_image file;
static monocle__ecma_image image;
static struct walk walk;

/* What is known of the two core libraries without reading them. */
static struct facts {
	const char *runtime, *assembly;
	uint8_t public_key_token[8];
	bool is_readytorun;
	uint32_t min_types, min_methods;
} const all_facts[] = {
	{ "mono", "mscorlib", { 0xb7, 0x7a, 0x5c, 0x56, 0x19, 0x34, 0xe0, 0x89 }, false, 2000, 20000 },
	{ "coreclr", "System.Private.CoreLib", { 0x7c, 0xec, 0x85, 0xd7, 0xbe, 0xa7, 0x79, 0x8e }, true, 2000, 20000 },
};
static const struct facts *facts;

static void
every_cell_of_every_row_reads (void **state)
{
	assert_int_equal (walk.bad_cells, 0);
	assert_true (walk.cells > 100000);
}

static void
every_type_method_and_parameter_has_its_name (void **state)
{
	assert_int_equal (walk.bad_typedefs, 0);
	assert_int_equal (walk.bad_methods, 0);
	assert_int_equal (walk.bad_names, 0);
	assert_int_equal (walk.bad_references, 0);
	assert_int_equal (walk.bad_generic_params, 0);
	assert_true (walk.typedefs > facts->min_types);
	assert_true (walk.methods > facts->min_methods);
	assert_true (walk.params > facts->min_methods);
}

/* Each count is taken from the owners' side and compared with the size of the table. */
static void
owners_and_enclosing_types_account_for_every_row (void **state)
{
	assert_int_equal (walk.bad_owners, 0);
	assert_int_equal (walk.bad_nested, 0);
	assert_int_equal (walk.nested, monocle__ecma_rows (&image, MONOCLE__TABLE_NestedClass));
	assert_int_equal (walk.generic_params, monocle__ecma_rows (&image, MONOCLE__TABLE_GenericParam));
}

static void
every_signature_ends_exactly_where_its_blob_ends (void **state)
{
	if (walk.bad_signatures)
		print_message ("first malformed signature: %08x\n", (unsigned) walk.first_bad_signature);
	assert_int_equal (walk.bad_signatures, 0);
	assert_int_equal (walk.long_signatures, 0);
	assert_true (walk.signatures > 50000);
}

static void
known_types_are_found_with_their_parameters (void **state)
{
	uint32_t dictionary = monocle__ecma_find_typedef (&image, "System.Collections.Generic", "Dictionary`2");
	monocle__ecma_typedef type;
	assert_int_equal (monocle__ecma_get_typedef (&image, dictionary, &type), 0);
	assert_int_equal (type.generic_params, 2);
	assert_int_equal (type.extends_token, monocle__ecma_find_typedef (&image, "System", "Object"));
	assert_string_equal (monocle__ecma_generic_param_name (&image, dictionary, 0), "TKey");
	assert_string_equal (monocle__ecma_generic_param_name (&image, dictionary, 1), "TValue");
	assert_int_equal (monocle__ecma_find_typedef (&image, "System.Collections.Generic", "Enumerator"), 0);
}

static void
the_assembly_is_who_it_is (void **state)
{
	monocle__ecma_assembly assembly;
	uint8_t token[8];
	char mvid[37];
	assert_int_equal (monocle__ecma_get_assembly (&image, &assembly), 0);
	assert_string_equal (assembly.name, facts->assembly);
	assert_true (assembly.version[0] >= 4);
	monocle__ecma_public_key_token (assembly.public_key, assembly.public_key_size, token);
	assert_memory_equal (token, facts->public_key_token, 8);
	assert_int_equal (monocle__ecma_mvid (&image, mvid), 0);
	assert_int_equal (strlen (mvid), 36);
	assert_int_equal (image.is_readytorun, facts->is_readytorun);
}

static void
the_image_as_a_loader_maps_it_reads_the_same (void **state)
{
	struct bytes flat = { .data = file.data, .size = file.size }, mapped = map_pe (&flat);
	static monocle__ecma_image loaded;
	struct walk loaded_walk;
	assert_int_equal (monocle__ecma_mapped_size (file.data), mapped.size);
	assert_int_equal (monocle__ecma_open_pe (&loaded, mapped.data, mapped.size, true), 0);
	assert_int_equal (loaded.metadata_size, image.metadata_size);
	assert_memory_equal (loaded.metadata, image.metadata, image.metadata_size);
	walk_image (&loaded, &loaded_walk);
	assert_memory_equal (&loaded_walk, &walk, sizeof walk);
	assert_int_equal (loaded.is_readytorun, image.is_readytorun);
	bytes_free (&mapped);
}

static int
open_image (void **state)
{
	int error = monocle__ecma_open_pe (&image, file.data, file.size, false);
	if (!error)
		walk_image (&image, &walk);
	return error;
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_cell_of_every_row_reads),
		cmocka_unit_test (every_type_method_and_parameter_has_its_name),
		cmocka_unit_test (owners_and_enclosing_types_account_for_every_row),
		cmocka_unit_test (every_signature_ends_exactly_where_its_blob_ends),
		cmocka_unit_test (known_types_are_found_with_their_parameters),
		cmocka_unit_test (the_assembly_is_who_it_is),
		cmocka_unit_test (the_image_as_a_loader_maps_it_reads_the_same),
	};
	facts = &all_facts[argc > 1 && strcmp (argv[1], "coreclr") == 0];
	int missing = runtime_image_open (&file, facts->runtime);
	if (missing)
		return missing;
	printf ("%s\n", file.path);
	int failed = cmocka_run_group_tests_name (facts->assembly, tests, open_image, NULL);
	runtime_image_close (&file);
	return failed;
}

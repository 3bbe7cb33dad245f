/*
 * SPDX-License-Identifier: MIT
 *
 * test_file_host.c - every row of a core library is described. Argument: the runtime whose library it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <mono/metadata/image.h>
#include <mono/metadata/row-indexes.h>
#include "file-host.h"
#include "runtime_image.h"

static struct runtime_image file;

static void
everything_in_a_core_library_is_described (void **state)
{
	file_host_counts counts;
	MonoImage *image = file_host_open (file.path);
	assert_non_null (image);
	file_host_walk (image, &counts, stdout);
	printf ("%s: %lu classes, %lu methods, %lu fields, %lu properties, %lu events, %lu nested, %lu interfaces,\n"
	        "%lu params, %lu bodies, %lu clauses, %lu attributes, %lu tokens, %lu names; %lu unknown, %lu unresolved\n",
	        file.path, counts.classes, counts.methods, counts.fields, counts.properties, counts.events, counts.nested,
	        counts.interfaces, counts.params, counts.bodies, counts.clauses, counts.attributes, counts.tokens,
	        counts.names, counts.unknown, counts.unresolved);
	assert_int_equal (counts.unknown, 0);
	assert_int_equal (counts.unresolved, 0);
	assert_true (counts.classes > 2000 && counts.methods > 20000 && counts.bodies > 15000 && counts.tokens > 5000);
}

/* As when a signal handler asks while what it interrupts still copies. */
static void
a_list_of_types_outlasts_what_is_asked_next (void **state)
{
	const monocle_host_ops *ops = file_host_ops ();
	MonoImage *image = file_host_open (file.path);
	monocle_signature_info first = { .size = sizeof first }, next = first;
	uint32_t row = 0, rows = (uint32_t) mono_image_get_table_rows (image, MONO_TABLE_METHOD), asked = 0;
	while (first.param_count < 3 && row < rows)
		assert_int_equal (ops->describe_signature (ops->host, monocle_method_def (image, ++row), &first), 0);
	MonoType *known[] = { first.params[0], first.params[1], first.params[2] };
	for (row = 1; row <= rows && asked < 1000; row++, asked += next.param_count)
		assert_int_equal (ops->describe_signature (ops->host, monocle_method_def (image, row), &next), 0);
	assert_true (asked >= 1000);
	assert_memory_equal (known, first.params, sizeof known);
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (everything_in_a_core_library_is_described),
		cmocka_unit_test (a_list_of_types_outlasts_what_is_asked_next),
	};
	int missing = argc < 2 ? 1 : runtime_image_open (&file, argv[1]);
	if (missing)
		return missing;
	file_host_start ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}

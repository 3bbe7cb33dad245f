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
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/row-indexes.h>
#include "describe.h"
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

/* --- an image that is not readable -------------------------------------------------------------------------------- */

static char asked[8]; /* a letter for each question that came to the owner */

static void
note (char letter)
{
	asked[strlen (asked)] = letter;
}

static int
owner_image (MonoImage *record, monocle_image_info *ret)
{
	note ('i');
	return MONOCLE_OK;
}

static int
owner_class (MonoClass *klass, monocle_class_info *ret)
{
	note ('c');
	return MONOCLE_OK;
}

static int
owner_method (MonoMethod *method, monocle_method_info *ret)
{
	note ('m');
	return MONOCLE_OK;
}

static int
owner_signature (MonoMethod *method, monocle_signature_info *ret)
{
	note ('s');
	return MONOCLE_OK;
}

static const char *
owner_param (MonoClass *klass, MonoMethod *method, uint32_t index)
{
	note ('p');
	return "T";
}

static MonoClass *
owner_parent (MonoClass *klass)
{
	note ('b');
	return klass;
}

/* How many of the six questions are answered. */
static unsigned
ask_all (MonoImage *image, MonoClass *klass)
{
	const monocle_host_ops *ops = file_host_ops ();
	MonoMethod *method = monocle_method_def (image, 0x06000001);
	monocle_image_info of_image = { .size = sizeof of_image };
	monocle_class_info of_class = { .size = sizeof of_class };
	monocle_method_info of_method = { .size = sizeof of_method };
	monocle_signature_info signature = { .size = sizeof signature };
	memset (asked, 0, sizeof asked);
	unsigned answers = ops->describe_image (ops->host, image, &of_image) == MONOCLE_OK;
	answers += ops->describe_class (ops->host, klass, &of_class) == MONOCLE_OK;
	answers += ops->describe_method (ops->host, method, &of_method) == MONOCLE_OK;
	answers += ops->describe_signature (ops->host, method, &signature) == MONOCLE_OK;
	answers += ops->generic_param_name (ops->host, klass, NULL, 0) != NULL;
	return answers + (ops->class_parent (ops->host, klass) != NULL);
}

/* The last test: another owner than the host's own stays. */
static void
what_is_not_readable_its_owner_describes (void **state)
{
	static const monocle__describe_unreadable unreadable = {
		.describe_image = owner_image,
		.describe_class = owner_class,
		.describe_method = owner_method,
		.describe_signature = owner_signature,
		.generic_param_name = owner_param,
		.class_parent = owner_parent,
	};
	static const monocle__describe_owner owner = { .unreadable = &unreadable };
	MonoImage *image = file_host_open (file.path);
	MonoClass *klass = mono_class_from_name (image, "System", "Version");
	assert_int_equal (ask_all (image, klass), 5); /* it has no type parameter */
	file_host_close (image);
	assert_int_equal (ask_all (image, klass), 0);
	monocle__describe_init (&owner);
	assert_int_equal (ask_all (image, klass), 6);
	assert_string_equal (asked, "icmspb");
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (everything_in_a_core_library_is_described),
		cmocka_unit_test (a_list_of_types_outlasts_what_is_asked_next),
		cmocka_unit_test (what_is_not_readable_its_owner_describes),
	};
	int missing = argc < 2 ? 1 : runtime_image_open (&file, argv[1]);
	if (missing)
		return missing;
	file_host_start ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}

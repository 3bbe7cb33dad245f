/*
 * SPDX-License-Identifier: MIT
 *
 * test_references.c - all references between the assemblies of a framework lead somewhere, facades included.
 *
 *   test_cli_references mono|coreclr
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include "file-host.h"
#include "runtime_image.h"

enum { IMAGES_MAX = 512, TYPEREF = 0x01, MEMBERREF = 0x0A, SHOWN = 10 };

static struct runtime_image core_library;
static MonoImage *images[IMAGES_MAX];
static unsigned image_count;

static void
open_folder (void)
{
	char pattern[4096 + 8];
	glob_t found;
	snprintf (pattern, sizeof pattern, "%s", core_library.path);
	strcpy (strrchr (pattern, '/'), "/*.dll");
	images[image_count++] = file_host_open (core_library.path);
	assert_int_equal (glob (pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc && image_count < IMAGES_MAX; i++) {
		if (strcmp (found.gl_pathv[i], core_library.path) == 0)
			continue;
		/* Native libraries lie there as well. */
		MonoImage *image = file_host_open (found.gl_pathv[i]);
		if (image)
			images[image_count++] = image;
	}
	globfree (&found);
}

static bool
leads_to_an_image (MonoImage *image, uint32_t token)
{
	const monocle_host_ops *ops = file_host_ops ();
	MonoClass *klass = NULL;
	uint32_t index;
	if (token >> 24 == TYPEREF)
		klass = ops->class_of_token (ops->host, image, token, NULL, NULL);
	else if (ops->method_of_token (ops->host, image, token, NULL, NULL))
		return true;
	else
		ops->field_of_token (ops->host, image, token, NULL, NULL, &klass, &index);
	return klass && monocle_image_data (mono_class_get_image (klass));
}

static unsigned
count_lost (uint32_t table, unsigned *total)
{
	unsigned lost = 0;
	for (unsigned i = 0; i < image_count; i++) {
		uint32_t rows = (uint32_t) mono_image_get_table_rows (images[i], (int) table);
		for (uint32_t rid = 1; rid <= rows; rid++, ++*total)
			if (!leads_to_an_image (images[i], table << 24 | rid) && lost++ < SHOWN)
				print_message ("%s %08x\n", mono_image_get_name (images[i]), table << 24 | rid);
	}
	return lost;
}

static void
every_reference_between_assemblies_leads_somewhere (void **state)
{
	unsigned types = 0, members = 0;
	unsigned lost_types = count_lost (TYPEREF, &types), lost_members = count_lost (MEMBERREF, &members);
	print_message ("%u images: %u of %u types and %u of %u members lead nowhere\n", image_count, lost_types, types,
	               lost_members, members);
	assert_true (image_count >= 5 && types > 2000 && members > 15000);
	assert_int_equal (lost_types, 0);
	assert_int_equal (lost_members, 0);
}

/* A facade knows by name what it forwards. Mono's lie in a folder of their own. */
static void
a_facade_finds_what_it_forwards (void **state)
{
	MonoImage *facade = mono_image_loaded ("System.Runtime");
	if (strcmp (mono_image_get_name (images[0]), "mscorlib") == 0)
		return;
	assert_non_null (facade);
	assert_true (mono_image_get_table_rows (facade, 0x02) < 10);
	MonoClass *string = mono_class_from_name (facade, "System", "String");
	assert_ptr_equal (string, monocle_class_primitive (MONO_TYPE_STRING));
	MonoClass *uri = mono_class_from_name (facade, "System", "Uri");
	assert_non_null (uri);
	assert_string_equal (mono_image_get_name (mono_class_get_image (uri)), "System.Private.Uri");
	assert_null (mono_class_from_name (facade, "System", "NoSuchThing"));
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_reference_between_assemblies_leads_somewhere),
		cmocka_unit_test (a_facade_finds_what_it_forwards),
	};
	int missing = argc < 2 ? 1 : runtime_image_open (&core_library, argv[1]);
	if (missing)
		return missing;
	file_host_start ();
	open_folder ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}

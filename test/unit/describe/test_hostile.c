/*
 * SPDX-License-Identifier: MIT
 *
 * test_hostile.c - metadata that lies: circles, types that double, lengths that are not there, damaged images.
 *
 *   test_cli_hostile ODD HOSTILE   the images of odd_image.py
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/metadata.h>
#include "../../seed.h"
#include "file-host.h"

static const char *odd_path, *hostile_path;

static MonoImage *
hostile (void)
{
	static MonoImage *image;
	if (!image)
		image = file_host_open (hostile_path);
	assert_non_null (image);
	return image;
}

static MonoClass *
class_named (const char *name)
{
	MonoClass *klass = mono_class_from_name (hostile (), "", name);
	assert_non_null (klass);
	return klass;
}

static MonoMethodSignature *
signature_of (const char *name)
{
	MonoMethod *method = mono_class_get_method_from_name (class_named ("Derives"), name, -1);
	assert_non_null (method);
	return mono_method_signature (method);
}

static void
a_hostile_image_is_walked_to_its_end (void **state)
{
	file_host_counts counts;
	file_host_walk (hostile (), &counts, NULL);
	assert_int_equal (counts.classes, 9);
	assert_true (counts.unknown > 10 && counts.unresolved > 5);
}

static void
a_method_may_have_65535_parameters_and_no_more (void **state)
{
	MonoMethodSignature *most = signature_of ("Most");
	assert_non_null (most);
	assert_int_equal (mono_signature_get_param_count (most), 65535);
	assert_null (signature_of ("TooMany"));
}

static void
signatures_that_break_off_or_contradict_themselves_are_unknown (void **state)
{
	static const char *const broken[] = { "Missing", "Huge",   "NoSuchType", "NoSuchRef",   "Modified",
		                                  "Shape",   "Bounds", "NoRank",     "ByrefInside", "Nothing" };
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		if (signature_of (broken[i]))
			fail_msg ("%s has a signature", broken[i]);
}

static void
types_nest_as_deep_as_is_promised_and_no_deeper (void **state)
{
	assert_non_null (signature_of ("Nesting"));
	assert_null (signature_of ("Deep"));
}

static void
types_that_are_made_of_themselves_are_unknown (void **state)
{
	assert_null (signature_of ("Circle"));
	assert_null (signature_of ("Doubling"));
	assert_null (signature_of ("PointerCircle"));
}

static void
names_that_double_at_each_level_end (void **state)
{
	MonoMethod *method = mono_class_get_method_from_name (class_named ("Derives"), "DoublingTwenty", -1);
	char *name = mono_method_full_name (method, 1);
	assert_non_null (name);
	assert_in_range (strlen (name), 4096, 1 << 20);
	free (name);
	MonoType *type = monocle_type (monocle_class_primitive (MONO_TYPE_I4));
	for (int i = 0; i < 100; i++)
		type = monocle_type (monocle_class_inst (class_named ("Pair`2"), 2, (MonoType *[]) { type, type }));
	assert_non_null (type);
	name = mono_type_full_name (type);
	assert_in_range (strlen (name), 1 << 20, 2 << 20);
	free (name);
	name = mono_type_get_name (type);
	assert_in_range (strlen (name), 1 << 20, 2 << 20);
	free (name);
	for (int i = 0; type && i < 100; i++)
		type = monocle_type (monocle_class_inst (class_named ("Pair`2"), 2, (MonoType *[]) { type, type }));
	assert_null (type);
}

/* Grow<T> : Grow<Grow<T>> has no last base class, and each is larger than the one before. */
static void
base_classes_come_to_an_end (void **state)
{
	static const char *const names[] = { "Derives", "Itself", "Grow`1", "Alone" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		MonoClass *klass = class_named (names[i]);
		for (int steps = 0; klass && steps < 300; steps++)
			klass = mono_class_get_parent (klass);
		assert_false (mono_class_is_subclass_of (class_named (names[i]), class_named ("Outside"), 1));
	}
}

static void
nesting_in_circles_has_a_name (void **state)
{
	for (uint32_t token = 0x02000002; token <= 0x02000009; token++) {
		char *name = mono_type_full_name (mono_class_get_type (monocle_class_def (hostile (), token)));
		assert_non_null (name);
		assert_true (strlen (name) < 1000);
		free (name);
	}
}

static void
initial_bytes_that_are_not_in_the_image_are_none (void **state)
{
	const monocle_host_ops *ops = file_host_ops ();
	monocle_member_info info = { .size = sizeof info };
	assert_int_equal (ops->describe_member (ops->host, class_named ("Derives"), MONOCLE_MEMBER_FIELD, 0, &info), 0);
	assert_string_equal (info.name, "RvaOutside");
	assert_null (info.data);
}

/* --- damage ------------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 40, CHILDREN = 8 };

static uint8_t *
read_file (const char *path, size_t *ret_size)
{
	struct stat status;
	int file = open (path, O_RDONLY | O_CLOEXEC);
	assert_int_equal (fstat (file, &status), 0);
	uint8_t *data = malloc ((size_t) status.st_size);
	assert_int_equal (read (file, data, (size_t) status.st_size), status.st_size);
	close (file);
	*ret_size = (size_t) status.st_size;
	return data;
}

/* Walks the image with a few bytes changed, in memory that ends with it. Most damage goes behind the headers. */
static int
walk_damaged (const uint8_t *data, size_t size, uint32_t seed)
{
	file_host_counts counts;
	uint8_t *copy = malloc (size);
	memcpy (copy, data, size);
	for (uint32_t i = 0; i <= seed % 7; i++) {
		seed = seed * 1664525 + 1013904223;
		copy[0x200 + (seed >> 4) % (size - 0x200)] = (uint8_t) (seed >> 24);
	}
	MonoImage *image = file_host_open_bytes ("damaged.dll", copy, size, false);
	if (image) {
		file_host_walk (image, &counts, NULL);
		file_host_close (image);
	}
	free (copy);
	return image != NULL;
}

/* Records are never freed, so each child makes those of a few rounds. */
static void
damage (const char *path)
{
	size_t size;
	uint8_t *data = read_file (path, &size);
	for (uint32_t child = 0; child < CHILDREN; child++) {
		int status, opened = 0;
		pid_t pid = fork ();
		if (!pid) {
			for (uint32_t round = 0; round < ROUNDS; round++)
				opened += walk_damaged (data, size, (uint32_t) seed_of ((child * ROUNDS + round + 1) * 2654435761u));
			_exit (opened < ROUNDS / 4);
		}
		assert_int_equal (waitpid (pid, &status, 0), pid);
		assert_int_equal (status, 0);
	}
	free (data);
}

static void
damaged_images_do_no_harm (void **state)
{
	damage (odd_path);
	damage (hostile_path);
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_hostile_image_is_walked_to_its_end),
		cmocka_unit_test (a_method_may_have_65535_parameters_and_no_more),
		cmocka_unit_test (signatures_that_break_off_or_contradict_themselves_are_unknown),
		cmocka_unit_test (types_nest_as_deep_as_is_promised_and_no_deeper),
		cmocka_unit_test (types_that_are_made_of_themselves_are_unknown),
		cmocka_unit_test (names_that_double_at_each_level_end),
		cmocka_unit_test (base_classes_come_to_an_end),
		cmocka_unit_test (nesting_in_circles_has_a_name),
		cmocka_unit_test (initial_bytes_that_are_not_in_the_image_are_none),
		cmocka_unit_test (damaged_images_do_no_harm),
	};
	if (argc < 3)
		return 1;
	odd_path = argv[1];
	hostile_path = argv[2];
	file_host_start ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}

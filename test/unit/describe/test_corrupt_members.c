/*
 * SPDX-License-Identifier: MIT
 *
 * test_corrupt_members.c - the questions of members.c about core libraries whose metadata was damaged: any answer will
 * do, but there must be one, in time, and what was answered stays so when the image is gone. Arguments: the runtime,
 * and for more rounds --full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#define MEMBERS_NO_MODULE
#include "../../seed.h"
#include "members.c"
#include "ecma.h"
#include "file-host.h"
#include "runtime_image.h"

enum { DAMAGES = 400, CLASSES = 40 };

static unsigned rounds = 2;
static struct runtime_image file;
static size_t metadata_at, metadata_size;

/* A linear congruential generator. */
static uint32_t
random_below (uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((*seed >> 33) % limit);
}

static uint8_t *
damaged_copy (uint64_t *seed)
{
	uint8_t *copy = malloc (file.size);
	assert_non_null (copy);
	memcpy (copy, file.data, file.size);
	for (int i = 0; i < DAMAGES; i++)
		copy[metadata_at + 256 + random_below (seed, (uint32_t) metadata_size - 256)] ^=
		    (uint8_t) (1u << random_below (seed, 8));
	return copy;
}

static void
ask_access (void)
{
	for (int i = 0; i + 1 < subject_count; i++) {
		void *iter = NULL;
		MonoMethod *method = mono_class_get_methods (subjects[i], &iter);
		if (method)
			print_accessible (method, subjects[i + 1]);
	}
}

static void
ask_classes (MonoImage *image, uint64_t *seed)
{
	int rows = mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF);
	subject_count = 0;
	for (int i = 0; i < CLASSES && rows > 0; i++) {
		uint32_t row = random_below (seed, (uint32_t) rows) + 1;
		MonoClass *klass = mono_class_get (image, MONO_TOKEN_TYPE_DEF | row);
		void *iter = NULL;
		MonoClassField *field = klass ? mono_class_get_fields (klass, &iter) : NULL;
		add_subject (klass);
		if (field && mono_field_get_type (field))
			add_subject (mono_class_from_mono_type (mono_field_get_type (field)));
	}
	for (int i = 0; i < subject_count; i++) {
		print_class (subjects[i]);
		print_member_look_ups (subjects[i]);
	}
}

static int
count_all (void)
{
	int count = 0;
	for (int i = 0; i < subject_count; i++)
		count += mono_class_num_fields (subjects[i]) + mono_class_num_methods (subjects[i]) +
		         mono_class_num_properties (subjects[i]) + mono_class_num_events (subjects[i]);
	return count;
}

static void
damaged_metadata_is_answered_for (void **state)
{
	int members = 0;
	assert_non_null (file_host_open (file.path));
	for (uint64_t round = 1; round <= rounds; round++) {
		uint64_t seed = seed_of (round);
		uint8_t *copy = damaged_copy (&seed);
		MonoImage *image = file_host_open_bytes ("damaged.dll", copy, file.size, false);
		if (image) {
			ask_classes (image, &seed);
			print_relations ();
			ask_access ();
			print_look_ups (image);
			if (round % 5 == 2) {
				print_tokens (image);
				print_member_tokens (image);
			}
			int count = count_all ();
			members += count;
			file_host_close (image);
			memset (copy, 0xff, file.size);
			assert_int_equal (count_all (), count);
			for (int i = 0; i < subject_count; i++)
				print_class (subjects[i]);
		}
		free (copy);
	}
	assert_true (members > (int) rounds * CLASSES);
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (damaged_metadata_is_answered_for),
	};
	monocle__ecma_image ecma;
	int missing = argc < 2 ? 1 : runtime_image_open (&file, argv[1]);
	if (missing)
		return missing;
	if (argc > 2 && strcmp (argv[2], "--full") == 0)
		rounds = 10;
	if (monocle__ecma_open_pe (&ecma, file.data, file.size, false))
		return 1;
	metadata_at = (size_t) (ecma.metadata - file.data);
	metadata_size = ecma.metadata_size;
	out = fopen ("/dev/null", "w");
	file_host_start ();
	return out ? cmocka_run_group_tests (tests, NULL, NULL) : 1;
}

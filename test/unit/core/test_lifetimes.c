/*
 * SPDX-License-Identifier: MIT
 *
 * test_lifetimes.c - images come and go, a thousand times, while threads read what is left of all of them; what stays,
 * what goes, and what it costs. Meant for the thread sanitizer too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include "../../seed.h"
#include "model/records.h"
#include "shapes-host.h"

enum {
#ifdef __SANITIZE_THREAD__
	ROUNDS = 200, /* it remembers each access */
#else
	ROUNDS = 1000,
#endif
	READERS = 3,
	CODE = 0x70000000, /* where each round's methods are compiled, again and again */
	CODE_SIZE = 0x80,
	ID = 0x900000, /* the same ids each round */
	BYTES_PER_METHOD = 512,
	BYTES_PER_IMAGE = 16384, /* what is not a method's: the image, its tables, classes and their parameters */
};

static MonoImage *_Atomic images[ROUNDS];
static _Atomic (int) loaded, finished, wrong;
static char *full_names[SHAPES_METHODS + 1];

/* --- rounds under readers ----------------------------------------------------------------------------------------- */

static void
compile (MonoImage *image, uint32_t row)
{
	MonoMethod *method = monocle_method_def (image, row);
	monocle_id_bind (MONOCLE_ID_METHOD, ID + row, method);
	monocle_jit_info_new (method, (void *) (uintptr_t) (CODE + row * CODE_SIZE), CODE_SIZE);
	free (mono_method_full_name (method, 1));
}

static void
round_trip (int round)
{
	MonoImage *image = monocle_image_new ("/x/guest.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, &images[round]);
	monocle_id_bind (MONOCLE_ID_IMAGE, ID, image);
	for (uint32_t row = 1; row <= SHAPES_METHODS; row++)
		compile (image, row);
	atomic_store (&images[round], image);
	atomic_store (&loaded, round + 1);
	monocle_image_unload (image);
	for (uint32_t row = 1; row <= SHAPES_METHODS; row++)
		monocle_id_drop (MONOCLE_ID_METHOD, ID + row);
	monocle_id_drop (MONOCLE_ID_IMAGE, ID);
}

/* Any method of any round is called what it was called in the first. */
static void
read_names (unsigned *seed)
{
	int count = atomic_load (&loaded);
	if (!count)
		return;
	uint32_t row = 1 + (uint32_t) rand_r (seed) % SHAPES_METHODS;
	MonoImage *image = atomic_load (&images[rand_r (seed) % count]);
	MonoMethod *method = monocle_method_def (image, row);
	char *name = mono_method_full_name (method, 1);
	wrong += strcmp (name, full_names[row]) != 0;
	wrong += mono_class_get_image (mono_method_get_class (method)) != image;
	wrong += mono_signature_get_return_type (mono_method_signature (method)) == NULL;
	free (name);
}

/* Code that is found is that of the row, of whichever round; an id leads there too. */
static void
read_code (unsigned *seed)
{
	uint32_t row = 1 + (uint32_t) rand_r (seed) % SHAPES_METHODS;
	MonoJitInfo *info = mono_jit_info_table_find (NULL, (void *) (uintptr_t) (CODE + row * CODE_SIZE + 7));
	MonoMethod *method = monocle_id_find (MONOCLE_ID_METHOD, ID + row);
	wrong += info && monocle_method_token (mono_jit_info_get_method (info)) != (0x06000000 | row);
	wrong += method && monocle_method_token (method) != (0x06000000 | row);
}

static void *
read_on (void *data)
{
	unsigned seed = (unsigned) seed_of ((uintptr_t) data);
	while (!atomic_load (&finished)) {
		read_names (&seed);
		read_code (&seed);
	}
	return NULL;
}

static void
images_come_and_go_while_threads_read_all_of_them (void **state)
{
	pthread_t readers[READERS];
	uint64_t before = 0;
	for (uintptr_t i = 0; i < READERS; i++)
		assert_int_equal (pthread_create (&readers[i], NULL, read_on, (void *) (i + 1)), 0);
	for (int round = 0; round < ROUNDS; round++) {
		if (round == ROUNDS / 10)
			before = monocle_records_size ();
		round_trip (round);
	}
	atomic_store (&finished, 1);
	for (int i = 0; i < READERS; i++)
		pthread_join (readers[i], NULL);
	assert_int_equal (wrong, 0);
	uint64_t per_round = (monocle_records_size () - before) / (ROUNDS - ROUNDS / 10);
	print_message ("%u bytes a round, %u methods\n", (unsigned) per_round, (unsigned) SHAPES_METHODS);
	assert_in_range (per_round, 1, BYTES_PER_IMAGE + SHAPES_METHODS * BYTES_PER_METHOD);
}

/* --- what goes with an image, and what does not ------------------------------------------------------------------- */

static void
code_goes_with_its_image_and_with_those_it_is_made_over (void **state)
{
	MonoImage *guest = monocle_image_new ("/x/over.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, &guest);
	MonoType *theirs = monocle_type (monocle_class_array (monocle_class_def (guest, 0x02000003), 1));
	MonoType *ours = monocle_type (shapes_class ("Operators"));
	MonoClass *list = shapes_class ("List`1");
	MonoMethod *fire = shapes_method ("Fire");
	MonoMethod *methods[] = {
		monocle_method_def (guest, 0x06000001),
		monocle_method_inst (fire, monocle_class_inst (list, 1, &theirs), 0, NULL),
		monocle_method_inst (fire, NULL, 1, &theirs),
		fire,
		monocle_method_inst (fire, NULL, 1, &ours),
	};
	for (uintptr_t i = 0; i < 5; i++)
		assert_non_null (monocle_jit_info_new (methods[i], (void *) (0x50000000 + i * 0x1000), 0x900));
	monocle_image_unload (guest);
	for (uintptr_t i = 0; i < 5; i++) {
		MonoJitInfo *info = mono_jit_info_table_find (NULL, (void *) (0x500008ff + i * 0x1000));
		assert_ptr_equal (info ? mono_jit_info_get_method (info) : NULL, i < 3 ? NULL : methods[i]);
	}
}

static void
equal_names_are_kept_once (void **state)
{
	char text[] = "a name of nothing";
	const char *first = monocle_intern (text);
	uint64_t size = monocle_records_size ();
	assert_ptr_not_equal (first, text);
	for (int i = 0; i < 1000; i++)
		assert_ptr_equal (monocle_intern (text), first);
	assert_int_equal (monocle_records_size (), size);
	text[0] = 'A';
	assert_string_not_equal (monocle_intern (text), first);
	assert_true (monocle_records_size () > size);
}

static int
start (void **state)
{
	shapes_host_start ();
	for (uint32_t row = 1; row <= SHAPES_METHODS; row++)
		full_names[row] = mono_method_full_name (monocle_method_def (shapes_image, row), 1);
	return 0;
}

static int
end (void **state)
{
	for (uint32_t row = 1; row <= SHAPES_METHODS; row++)
		free (full_names[row]);
	return 0;
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (equal_names_are_kept_once),
		cmocka_unit_test (code_goes_with_its_image_and_with_those_it_is_made_over),
		cmocka_unit_test (images_come_and_go_while_threads_read_all_of_them),
	};
	return cmocka_run_group_tests (tests, start, end);
}

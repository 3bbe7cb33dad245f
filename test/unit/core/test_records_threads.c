/*
 * SPDX-License-Identifier: MIT
 *
 * test_records_threads.c - four threads make and ask for the same records at once; meant for the thread sanitizer too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "model/records.h"
#include "shapes-host.h"

enum { THREADS = 4, ROUNDS = 400 };

static pthread_barrier_t barrier;
static MonoImage *shared;
static MonoImage *images[ROUNDS];

/* What one thread saw; all must have seen the same. */
struct seen {
	MonoClass *classes[ROUNDS];
	MonoMethod *methods[ROUNDS];
	char *names[ROUNDS];
};

static void
run (void *(*body) (void *), struct seen *seen)
{
	pthread_t threads[THREADS];
	assert_int_equal (pthread_barrier_init (&barrier, NULL, THREADS), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, body, &seen[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	pthread_barrier_destroy (&barrier);
}

static MonoClass *
some_class (int round)
{
	MonoClass *klass = monocle_class_def (shared, 0x02000000 | (uint32_t) (2 + round % (SHAPES_CLASSES - 1)));
	for (int i = 0; i < round / SHAPES_CLASSES % 5; i++)
		klass = monocle_class_array (klass, 1 + (uint32_t) round % 3);
	MonoType *type = monocle_type (klass);
	return monocle_class_inst (shapes_class ("List`1"), 1, &type);
}

static void *
intern (void *data)
{
	struct seen *seen = data;
	pthread_barrier_wait (&barrier);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t row = 1 + (uint32_t) i % SHAPES_METHODS;
		MonoType *type = monocle_type (seen->classes[i] = some_class (i));
		seen->methods[i] = monocle_method_inst (monocle_method_def (shared, row), NULL, 1, &type);
		seen->names[i] = mono_method_full_name (seen->methods[i], 1);
	}
	return NULL;
}

static void
threads_that_meet_get_the_same_records (void **state)
{
	struct seen *seen = calloc (THREADS, sizeof *seen);
	shared = monocle_image_new ("/x/shared.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, NULL);
	run (intern, seen);
	for (int i = 0; i < ROUNDS; i++)
		for (int j = 1; j < THREADS; j++) {
			assert_ptr_equal (seen[j].classes[i], seen[0].classes[i]);
			assert_ptr_equal (seen[j].methods[i], seen[0].methods[i]);
			assert_string_equal (seen[j].names[i], seen[0].names[i]);
		}
	assert_non_null (strstr (seen[0].names[20], "N.S.Outer`1/Inner`1:Deep<"));
	for (int j = 0; j < THREADS; j++)
		for (int i = 0; i < ROUNDS; i++)
			free (seen[j].names[i]);
	free (seen);
}

/* Each thread binds its own ids and everybody's, and finds its own whatever the others do to the map. */
static void *
bind_ids (void *data)
{
	uintptr_t mine = (uintptr_t) pthread_self () * 64;
	pthread_barrier_wait (&barrier);
	for (uintptr_t i = 1; i <= 20 * ROUNDS; i++) {
		assert_int_equal (monocle_id_bind (MONOCLE_ID_METHOD, mine + i, (void *) (mine + i)), 0);
		assert_int_equal (monocle_id_bind (MONOCLE_ID_METHOD, i, (void *) i), 0);
		assert_ptr_equal (monocle_id_find (MONOCLE_ID_METHOD, mine + i), (void *) (mine + i));
	}
	for (uintptr_t i = 1; i <= 20 * ROUNDS; i++)
		assert_ptr_equal (monocle_id_find (MONOCLE_ID_METHOD, mine + i), (void *) (mine + i));
	return NULL;
}

static void
ids_are_found_while_the_map_grows (void **state)
{
	struct seen *seen = calloc (THREADS, sizeof *seen);
	run (bind_ids, seen);
	for (uintptr_t i = 1; i <= 20 * ROUNDS; i++)
		assert_ptr_equal (monocle_id_find (MONOCLE_ID_METHOD, i), (void *) i);
	free (seen);
}

/* Code comes and goes; what a thread made itself is found until it frees it. */
static void *
make_code (void *data)
{
	struct seen *seen = data;
	MonoMethod *method = shapes_method ("Fire");
	uintptr_t base = (uintptr_t) seen << 8;
	pthread_barrier_wait (&barrier);
	for (uintptr_t i = 0; i < ROUNDS; i++) {
		char *start = (char *) (base + i % 7 * 0x3000);
		MonoJitInfo *info = monocle_jit_info_new (method, start, 0x2800);
		assert_ptr_equal (mono_jit_info_table_find (NULL, start + 0x27ff), info);
		monocle_jit_info_free_code (start);
		assert_null (mono_jit_info_table_find (NULL, start + 0x27ff));
	}
	return NULL;
}

static void
code_is_found_while_other_code_comes_and_goes (void **state)
{
	struct seen *seen = calloc (THREADS, sizeof *seen);
	run (make_code, seen);
	free (seen);
}

/* One thread unloads images while the others read from them. */
static void *
read_and_unload (void *data)
{
	bool unloads = pthread_barrier_wait (&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	for (int i = 0; i < 20; i++) {
		MonoImage *image = images[i];
		for (uint32_t row = 1; row <= SHAPES_METHODS && !unloads; row++)
			free (mono_method_full_name (monocle_method_def (image, row), 1));
		if (unloads)
			monocle_image_unload (image);
	}
	return NULL;
}

static void
an_image_may_be_unloaded_while_it_is_read (void **state)
{
	struct seen *seen = calloc (THREADS, sizeof *seen);
	for (int i = 0; i < 20; i++)
		images[i] = monocle_image_new ("/x/short.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, &images[i]);
	run (read_and_unload, seen);
	for (int i = 0; i < 20; i++)
		assert_null (monocle_image_data (images[i]));
	free (seen);
}

/* --- a signal handler that makes records while the thread it interrupts does -------------------------------------- */

static _Atomic (int) handled, wrong, stopping;

static void
handler (int number)
{
	uint32_t round = (uint32_t) atomic_fetch_add (&handled, 1);
	MonoClass *klass = monocle_class_array (shapes_class ("Operators"), 1 + round % 250);
	MonoMethod *method = shapes_method ("Fire");
	MonoJitInfo *info = monocle_jit_info_new (method, (void *) 0x60000000, 0x1000);
	wrong += strcmp (mono_method_get_name (method), "Fire") != 0;
	wrong += mono_class_get_rank (klass) != 1 + (int) (round % 250);
	wrong += mono_jit_info_table_find (NULL, (void *) 0x60000fff) != info;
	wrong += monocle_id_bind (MONOCLE_ID_CLASS, 0x1000 + round, klass) != 0;
	wrong += monocle_id_find (MONOCLE_ID_CLASS, 0x1000 + round) != klass;
	monocle_jit_info_free_code ((void *) 0x60000000);
}

static void *
send_signals (void *target)
{
	while (!stopping) {
		pthread_kill (*(pthread_t *) target, SIGUSR1);
		usleep (50);
	}
	return NULL;
}

static void
records_may_be_made_in_a_signal_handler (void **state)
{
	pthread_t self = pthread_self (), sender;
	struct sigaction action = { .sa_handler = handler };
	shared = monocle_image_new ("/x/interrupted.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, NULL);
	/* The host answers from buffers of its thread: it is not to be asked twice at once. */
	free (mono_method_full_name (shapes_method ("Fire"), 1));
	mono_class_get_name (shapes_class ("Operators"));
	for (int i = 0; i < ROUNDS; i++)
		mono_class_get_name (some_class (i));
	sigaction (SIGUSR1, &action, NULL);
	pthread_create (&sender, NULL, send_signals, &self);
	for (int i = 0; handled < 1000 && i < 10000000; i++) {
		MonoClass *klass = monocle_class_array (shapes_class ("Operators"), 1 + (uint32_t) i % 250);
		assert_ptr_equal (monocle_class_array (shapes_class ("Operators"), 1 + (uint32_t) i % 250), klass);
		assert_int_equal (mono_class_get_rank (klass), 1 + i % 250);
		monocle_id_bind (MONOCLE_ID_CLASS, 0x100000 + (uintptr_t) i % 5000, klass);
	}
	stopping = 1;
	pthread_join (sender, NULL);
	assert_true (handled >= 1000);
	assert_int_equal (wrong, 0);
}

static int
start (void **state)
{
	shapes_host_start ();
	return 0;
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (threads_that_meet_get_the_same_records),
		cmocka_unit_test (ids_are_found_while_the_map_grows),
		cmocka_unit_test (code_is_found_while_other_code_comes_and_goes),
		cmocka_unit_test (records_may_be_made_in_a_signal_handler),
		cmocka_unit_test (an_image_may_be_unloaded_while_it_is_read),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}

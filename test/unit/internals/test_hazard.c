/*
 * SPDX-License-Identifier: MIT
 *
 * test_hazard.c - memory is freed when no slot holds it, once, and never before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "child.h"
#include "crowd.h"
#include "failing-mmap.h"
#include "internals.h"

enum { ALIVE = 0x600d, PLACES = 4, ROUNDS = 400000, MANY = 1000 };

typedef struct {
	unsigned alive;
} thing;

static _Atomic (long) made, freed;

static thing *
thing_new (void)
{
	thing *fresh = malloc (sizeof *fresh);
	CHECK (fresh);
	fresh->alive = ALIVE;
	made++;
	return fresh;
}

static void
thing_free (void *pointer)
{
	thing *one = pointer;
	CHECK (one->alive == ALIVE);
	one->alive = 0;
	free (one);
	freed++;
}

static int
setup (void **state)
{
	mono_thread_hazardous_try_free_all ();
	made = freed = 0;
	return 0;
}

/* Every test frees all that it made. */
static int
teardown (void **state)
{
	mono_thread_hazardous_try_free_all ();
	return made == freed ? 0 : -1;
}

static void
what_no_slot_holds_is_freed_at_once (void **state)
{
	assert_true (mono_thread_hazardous_try_free (thing_new (), thing_free));
	assert_int_equal (freed, 1);
}

static void
what_a_slot_holds_is_freed_when_it_lets_go (void **state)
{
	MonoThreadHazardPointers *mine = mono_hazard_pointer_get ();

	for (int slot = 0; slot < 3; slot++) {
		freed = made = 0;
		mine->hazards[slot] = thing_new ();
		assert_false (mono_thread_hazardous_try_free (mine->hazards[slot], thing_free));
		mono_thread_hazardous_try_free_all ();
		assert_int_equal (freed, 0);
		mine->hazards[slot] = NULL;
		mono_thread_hazardous_try_free_all ();
		assert_int_equal (freed, 1);
	}
}

static void
what_is_queued_is_freed_later (void **state)
{
	for (int i = 0; i < MANY; i++)
		mono_thread_hazardous_queue_free (thing_new (), thing_free);
	assert_int_equal (freed, 0);
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (freed, MANY);
}

static void
what_is_held_does_not_keep_the_others (void **state)
{
	MonoThreadHazardPointers *mine = mono_hazard_pointer_get ();

	mine->hazards[1] = thing_new ();
	mono_thread_hazardous_queue_free (thing_new (), thing_free);
	mono_thread_hazardous_queue_free (mine->hazards[1], thing_free);
	mono_thread_hazardous_queue_free (thing_new (), thing_free);
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (freed, 2);
	mine->hazards[1] = NULL;
}

static void
free_and_queue_another (void *pointer)
{
	thing_free (pointer);
	mono_thread_hazardous_queue_free (thing_new (), thing_free);
}

static void
what_freeing_queues_is_freed_too (void **state)
{
	mono_thread_hazardous_queue_free (thing_new (), free_and_queue_another);
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (freed, 2);
}

/* The records run out; the one for which there is none is leaked. */
static void
what_cannot_be_noted_is_not_freed (void **state)
{
	thing *leaked;

	failing_mmap_allowed = 0;
	do {
		leaked = thing_new ();
		mono_thread_hazardous_queue_free (leaked, thing_free);
	} while (failing_mmap_allowed == 0);
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (made - freed, 1);
	thing_free (leaked);
}

/* --- the crowd ---------------------------------------------------------------------------------------------------- */

static void *places[PLACES];

static void
read_and_replace (crowd_member *self)
{
	MonoThreadHazardPointers *mine = mono_hazard_pointer_get ();

	while (crowd_goes_on (self, ROUNDS)) {
		void **place = &places[crowd_random (self, PLACES)];
		int slot = (int) crowd_random (self, 3);
		thing *seen = mono_lls_get_hazardous_pointer_with_mask (place, mine, slot);
		CHECK (mine->hazards[slot] == seen && seen->alive == ALIVE);
		__atomic_store_n (&mine->hazards[slot], NULL, __ATOMIC_RELEASE);
		if (self->number % 2 == 0) {
			thing *old = __atomic_exchange_n (place, thing_new (), __ATOMIC_SEQ_CST);
			mono_thread_hazardous_try_free (old, thing_free);
		}
		if (crowd_random (self, 16) == 0)
			mono_thread_hazardous_try_free_all ();
	}
}

static void
readers_and_writers_meet_no_freed_memory (void **state)
{
	for (int i = 0; i < PLACES; i++)
		places[i] = thing_new ();
	crowd_run (read_and_replace);
	for (int i = 0; i < PLACES; i++)
		thing_free (places[i]);
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (made, freed);
	print_message ("%ld things were replaced\n", (long) freed);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown (what_no_slot_holds_is_freed_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown (what_a_slot_holds_is_freed_when_it_lets_go, setup, teardown),
		cmocka_unit_test_setup_teardown (what_is_queued_is_freed_later, setup, teardown),
		cmocka_unit_test_setup_teardown (what_is_held_does_not_keep_the_others, setup, teardown),
		cmocka_unit_test_setup_teardown (what_freeing_queues_is_freed_too, setup, teardown),
		cmocka_unit_test_setup_teardown (what_cannot_be_noted_is_not_freed, setup, teardown),
		cmocka_unit_test_setup_teardown (readers_and_writers_meet_no_freed_memory, setup, teardown),
	};
	return cmocka_run_group_tests_name ("internals: hazard", tests, NULL, NULL);
}

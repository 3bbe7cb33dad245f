/*
 * SPDX-License-Identifier: MIT
 *
 * test_list_set.c - a sorted set, walked as modules do it, while others insert and remove.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "child.h"
#include "crowd.h"
#include "internals.h"

enum { ALIVE = 0x600d, KEYS = 24, ROUNDS = 30000 };

typedef struct {
	MonoLinkedListSetNode node;
	unsigned alive;
} element;

static MonoLinkedListSet set;
static _Atomic (long) made, freed;
static char text[256];

static element *
element_new (uintptr_t key)
{
	element *fresh = malloc (sizeof *fresh);
	CHECK (fresh);
	fresh->node.key = key;
	fresh->alive = ALIVE;
	made++;
	return fresh;
}

static void
element_free (void *pointer)
{
	element *one = pointer;
	CHECK (one->alive == ALIVE);
	one->alive = 0;
	free (one);
	freed++;
}

static void
let_go (MonoThreadHazardPointers *hazards)
{
	for (int slot = 0; slot < 3; slot++)
		__atomic_store_n (&hazards->hazards[slot], NULL, __ATOMIC_SEQ_CST);
}

static bool
insert (element *one)
{
	MonoThreadHazardPointers *hazards = mono_hazard_pointer_get ();
	bool inserted = mono_lls_insert (&set, hazards, &one->node);
	let_go (hazards);
	return inserted;
}

static bool
insert_key (uintptr_t key)
{
	element *fresh = element_new (key);
	bool inserted = insert (fresh);

	if (!inserted)
		element_free (fresh);
	return inserted;
}

/* As `log` does it: what it removed, it frees, and then it lets go of its slots. */
static bool
remove_and_free (element *one)
{
	MonoThreadHazardPointers *hazards = mono_hazard_pointer_get ();
	bool removed = mono_lls_remove (&set, hazards, &one->node);

	if (removed && !set.free_func)
		mono_thread_hazardous_try_free (one, element_free);
	let_go (hazards);
	return removed;
}

/* --- the walk that is compiled into modules ----------------------------------------------------------------------- */

typedef struct {
	void (*visit) (element *one);
	bool any;
	uintptr_t last_key;
} walker;

static MonoLinkedListSetNode *
without_bits (void *link)
{
	return (MonoLinkedListSetNode *) ((uintptr_t) link & ~(uintptr_t) 3);
}

static void
hold (MonoThreadHazardPointers *hazards, int slot, void *pointer)
{
	__atomic_store_n (&hazards->hazards[slot], pointer, __ATOMIC_SEQ_CST);
}

/* False: begin again. */
static bool
walk_from_head (walker *self, MonoThreadHazardPointers *hazards)
{
	_Atomic (uintptr_t) *link = &set.head;
	hold (hazards, 2, link);
	MonoLinkedListSetNode *node = mono_lls_get_hazardous_pointer_with_mask ((void **) link, hazards, 1);

	while (node) {
		void *next = mono_lls_get_hazardous_pointer_with_mask ((void **) &node->next, hazards, 0);
		uintptr_t key = node->key, expected = (uintptr_t) node;
		if (atomic_load (link) != (uintptr_t) node)
			return false;
		if (!((uintptr_t) next & 1)) {
			if (!self->any || key > self->last_key) {
				self->any = true;
				self->last_key = key;
				self->visit ((element *) node);
			}
			link = &node->next;
			hold (hazards, 2, node);
		} else {
			if (!atomic_compare_exchange_strong (link, &expected, (uintptr_t) without_bits (next)))
				return false;
			hold (hazards, 1, NULL);
			if (set.free_func)
				mono_thread_hazardous_queue_free (node, set.free_func);
		}
		node = without_bits (next);
		hold (hazards, 1, node);
	}
	return true;
}

static void
walk (void (*visit) (element *one))
{
	MonoThreadHazardPointers *hazards = mono_hazard_pointer_get ();
	walker self = { .visit = visit };

	while (!walk_from_head (&self, hazards))
		;
	let_go (hazards);
}

static void
append_key (element *one)
{
	CHECK (one->alive == ALIVE);
	size_t length = strlen (text);
	snprintf (text + length, sizeof text - length, "%d ", (int) one->node.key);
}

static const char *
keys (void)
{
	text[0] = 0;
	walk (append_key);
	return text;
}

/* --- alone -------------------------------------------------------------------------------------------------------- */

static int
setup (void **state)
{
	mono_lls_init (&set, NULL);
	made = freed = 0;
	return 0;
}

static void
remove_visited (element *one)
{
	CHECK (remove_and_free (one));
	CHECK (one->alive == ALIVE); /* the walk goes on from it */
}

/* Every test ends with an empty set and all elements freed. */
static int
teardown (void **state)
{
	walk (remove_visited);
	CHECK (atomic_load (&set.head) == 0);
	mono_thread_hazardous_try_free_all ();
	return made == freed ? 0 : -1;
}

static void
keys_are_sorted_and_unique (void **state)
{
	assert_string_equal (keys (), "");
	assert_true (insert_key (5) && insert_key (9) && insert_key (1) && insert_key (7));
	assert_false (insert_key (7) || insert_key (1) || insert_key (9));
	assert_string_equal (keys (), "1 5 7 9 ");
}

static void
what_is_removed_is_gone_and_freed (void **state)
{
	element *first = element_new (1), *middle = element_new (2), *last = element_new (3);

	assert_true (insert (first) && insert (middle) && insert (last));
	assert_true (remove_and_free (middle));
	assert_string_equal (keys (), "1 3 ");
	assert_int_equal (freed, 1);
	assert_true (remove_and_free (first) && remove_and_free (last));
	assert_string_equal (keys (), "");
	assert_int_equal (freed, 3);
	assert_true (insert_key (2));
}

static void
only_what_is_in_the_set_is_removed (void **state)
{
	element other = { .node = { .key = 4 }, .alive = ALIVE };

	assert_false (remove_and_free (&other));
	assert_true (insert_key (4) && insert_key (6));
	assert_false (remove_and_free (&other)); /* that key is there, but not that node */
	other.node.key = 5;
	assert_false (remove_and_free (&other));
	other.node.key = 7;
	assert_false (remove_and_free (&other));
	assert_string_equal (keys (), "4 6 ");
}

static void
slots_are_empty_afterwards (void **state)
{
	MonoThreadHazardPointers *hazards = mono_hazard_pointer_get ();
	element *one = element_new (1);

	assert_true (insert_key (0) && insert_key (2));
	assert_true (mono_lls_insert (&set, hazards, &one->node));
	for (int slot = 0; slot < 3; slot++)
		assert_null (hazards->hazards[slot]);
	assert_true (mono_lls_remove (&set, hazards, &one->node));
	for (int slot = 0; slot < 3; slot++)
		assert_null (hazards->hazards[slot]);
	element_free (one);
}

static void
a_walk_may_remove_what_it_stands_on (void **state)
{
	for (uintptr_t key = 0; key < 5; key++)
		assert_true (insert_key (key));
	walk (remove_visited);
	assert_string_equal (keys (), "");
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (freed, 5);
}

static void
a_removal_frees_what_an_earlier_one_kept (void **state)
{
	element *first = element_new (1), *second = element_new (2);

	assert_true (insert (first) && insert (second));
	mono_thread_hazardous_queue_free (element_new (3), element_free);
	assert_true (remove_and_free (first));
	assert_int_equal (freed, 2);
	assert_true (remove_and_free (second));
}

/* A node is marked, but its remover did not come further. */
static void
mark (element *one)
{
	atomic_fetch_or (&one->node.next, 1);
}

static void
a_marked_node_is_unlinked_by_the_next_one (void **state)
{
	element *marked[3] = { element_new (2), element_new (3), element_new (6) };

	mono_lls_init (&set, element_free);
	assert_true (insert_key (1) && insert_key (5));
	for (int i = 0; i < 3; i++) {
		assert_true (insert (marked[i]));
		mark (marked[i]);
	}
	assert_true (insert_key (4));
	assert_string_equal (keys (), "1 4 5 ");
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (freed, 3);
	assert_false (insert_key (4));
	assert_true (insert_key (3));
	assert_string_equal (keys (), "1 3 4 5 ");
}

static void
a_pointer_is_held_without_its_bits (void **state)
{
	MonoThreadHazardPointers hazards = { 0 };
	void *place = (char *) &hazards + 3, *got;

	got = mono_lls_get_hazardous_pointer_with_mask (&place, &hazards, 2);
	assert_ptr_equal (got, place);
	assert_ptr_equal (hazards.hazards[2], &hazards);
	assert_null (hazards.hazards[0]);
	assert_ptr_equal (mono_lls_get_hazardous_pointer_with_mask (&place, NULL, 0), place);
}

/* --- the crowd ---------------------------------------------------------------------------------------------------- */

static _Thread_local uintptr_t keys_seen;

static void
count_key (element *one)
{
	CHECK (one->alive == ALIVE && one->node.key < KEYS);
	keys_seen++;
}

static void
insert_remove_and_walk (crowd_member *self)
{
	element *mine[KEYS] = { 0 };

	while (crowd_goes_on (self, ROUNDS)) {
		unsigned key = crowd_random (self, KEYS);
		if (crowd_random (self, 8) == 0) {
			keys_seen = 0;
			walk (count_key);
			CHECK (keys_seen <= KEYS);
		} else if (mine[key]) {
			CHECK (remove_and_free (mine[key]));
			mine[key] = NULL;
		} else {
			mine[key] = element_new (key);
			if (!insert (mine[key])) {
				element_free (mine[key]);
				mine[key] = NULL;
			}
		}
	}
	for (unsigned key = 0; key < KEYS; key++)
		if (mine[key])
			CHECK (remove_and_free (mine[key]));
}

static void
a_crowd_leaves_nothing (void)
{
	crowd_run (insert_remove_and_walk);
	assert_true (atomic_load (&set.head) == 0);
	mono_thread_hazardous_try_free_all ();
	assert_int_equal (made, freed);
	print_message ("%ld elements came and went\n", (long) freed);
}

static void
removers_free_while_others_walk (void **state)
{
	a_crowd_leaves_nothing ();
}

static void
the_set_frees_while_others_walk (void **state)
{
	mono_lls_init (&set, element_free);
	a_crowd_leaves_nothing ();
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown (keys_are_sorted_and_unique, setup, teardown),
		cmocka_unit_test_setup_teardown (what_is_removed_is_gone_and_freed, setup, teardown),
		cmocka_unit_test_setup_teardown (only_what_is_in_the_set_is_removed, setup, teardown),
		cmocka_unit_test_setup_teardown (slots_are_empty_afterwards, setup, teardown),
		cmocka_unit_test_setup_teardown (a_walk_may_remove_what_it_stands_on, setup, teardown),
		cmocka_unit_test_setup_teardown (a_removal_frees_what_an_earlier_one_kept, setup, teardown),
		cmocka_unit_test_setup_teardown (a_marked_node_is_unlinked_by_the_next_one, setup, teardown),
		cmocka_unit_test_setup_teardown (a_pointer_is_held_without_its_bits, setup, teardown),
		cmocka_unit_test_setup_teardown (removers_free_while_others_walk, setup, teardown),
		cmocka_unit_test_setup_teardown (the_set_frees_while_others_walk, setup, teardown),
	};
	return cmocka_run_group_tests_name ("internals: list set", tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_interrupted.c - every operation on what modules share, interrupted between any two instructions by what a signal
 * handler or another thread may do there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "child.h"
#include "internals.h"
#include "stepper.h"

enum { ALIVE = 0x600d, DEAD = 0xdead, BLOCK = 4096, NODES = 8 };

/* --- slots -------------------------------------------------------------------------------------------------------- */

static MonoLockFreeAllocSizeClass size_class;
static MonoLockFreeAllocator heap;
static void *mine, *theirs;

/* A few free slots. */
static void
make_heap (void)
{
	void *some[3];

	if (!heap.size_class) {
		mono_lock_free_allocator_init_size_class (&size_class, 24, BLOCK);
		mono_lock_free_allocator_init_allocator (&heap, &size_class, 0);
	}
	for (int i = 0; i < 3; i++)
		some[i] = mono_lock_free_alloc (&heap);
	for (int i = 0; i < 3; i++)
		mono_lock_free_free (some[i], BLOCK);
	mine = theirs = NULL;
}

static void
take_mine (void)
{
	mine = mono_lock_free_alloc (&heap);
}

/* The topmost slot is the same again, but not the one below it. */
static void
take_two_and_free_the_first (void)
{
	void *first = mono_lock_free_alloc (&heap);
	theirs = mono_lock_free_alloc (&heap);
	mono_lock_free_free (first, BLOCK);
}

/* All that are free can be taken, and none of them is taken already. */
static void
slots_are_apart (void)
{
	void *others[4];

	for (int i = 0; i < 4; i++) {
		others[i] = mono_lock_free_alloc (&heap);
		CHECK (others[i] && others[i] != mine && others[i] != theirs && (!i || others[i] != others[i - 1]));
	}
	CHECK (!mine || mine != theirs);
	for (int i = 0; i < 4; i++)
		mono_lock_free_free (others[i], BLOCK);
	mono_lock_free_free (mine, BLOCK);
	mono_lock_free_free (theirs, BLOCK);
}

static void
make_heap_and_take (void)
{
	make_heap ();
	take_mine ();
}

static void
free_mine (void)
{
	mono_lock_free_free (mine, BLOCK);
	mine = NULL;
}

static void
a_slot_is_taken (void **state)
{
	stepper_run (&(interrupted) { make_heap, take_mine, take_two_and_free_the_first, slots_are_apart });
}

static void
a_slot_is_freed (void **state)
{
	stepper_run (&(interrupted) { make_heap_and_take, free_mine, take_two_and_free_the_first, slots_are_apart });
}

/* Without any free slot there is a new block: all of them have it here. */
static void
empty_heap (void)
{
	static MonoLockFreeAllocator other;

	heap = other;
	mono_lock_free_allocator_init_size_class (&size_class, BLOCK / 5, BLOCK);
	mono_lock_free_allocator_init_allocator (&heap, &size_class, 0);
	mine = theirs = NULL;
}

static void
the_first_slot_is_taken (void **state)
{
	stepper_run (&(interrupted) { empty_heap, take_mine, take_two_and_free_the_first, slots_are_apart });
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

static MonoLockFreeQueue queue;
static MonoLockFreeQueueNode nodes[NODES], *taken;

static void
put (int number)
{
	mono_lock_free_queue_enqueue (&queue, &nodes[number]);
}

static void
make_queue (void)
{
	mono_lock_free_queue_init (&queue);
	for (int i = 0; i < NODES; i++)
		mono_lock_free_queue_node_init (&nodes[i], 0);
	taken = NULL;
	put (0);
	put (1);
}

static void
take_one_and_put_another (void)
{
	taken = mono_lock_free_queue_dequeue (&queue);
	put (3);
	put (4);
}

/* What was taken is put again at once. */
static void
take_and_put_again (void)
{
	MonoLockFreeQueueNode *node = mono_lock_free_queue_dequeue (&queue);

	if (node)
		mono_lock_free_queue_enqueue (&queue, node);
	put (3);
}

static void
put_one (void)
{
	put (2);
}

static void
take_one (void)
{
	taken = mono_lock_free_queue_dequeue (&queue);
}

/* What is in it and was taken, in order, as far as order is told: numbers of the operation and of the interruption. */
static void
expect_nodes (unsigned expected)
{
	MonoLockFreeQueueNode *node;
	unsigned seen = taken ? 1u << (taken - nodes) : 0;

	while ((node = mono_lock_free_queue_dequeue (&queue))) {
		CHECK (!(seen & 1u << (node - nodes)));
		seen |= 1u << (node - nodes);
	}
	CHECK (seen == expected);
}

static void
five_nodes (void)
{
	expect_nodes (0x1f);
}

static void
three_and_one_nodes (void)
{
	expect_nodes (0xb);
}

static void
a_node_is_enqueued (void **state)
{
	stepper_run (&(interrupted) { make_queue, put_one, take_one_and_put_another, five_nodes });
}

static void
a_node_is_dequeued (void **state)
{
	stepper_run (&(interrupted) { make_queue, take_one, take_and_put_again, three_and_one_nodes });
}

/* --- hazards ------------------------------------------------------------------------------------------------------ */

static struct {
	unsigned alive;
} things[4];
static void *place;

static void
thing_free (void *thing)
{
	unsigned *alive = thing;
	CHECK (*alive == ALIVE);
	*alive = DEAD;
}

static void
make_things (void)
{
	mono_thread_hazardous_try_free_all ();
	for (int i = 0; i < 4; i++)
		things[i].alive = ALIVE;
	place = &things[0];
	mine = NULL;
}

static void
keep_one (void)
{
	mono_thread_hazardous_queue_free (&things[0], thing_free);
}

static void
make_and_keep_one (void)
{
	make_things ();
	keep_one ();
}

static void
keep_the_others_and_free (void)
{
	mono_thread_hazardous_queue_free (&things[2], thing_free);
	mono_thread_hazardous_queue_free (&things[3], thing_free);
	mono_thread_hazardous_try_free_all ();
}

static void
free_all (void)
{
	mono_thread_hazardous_try_free_all ();
}

static void
kept_things_are_freed_once (void)
{
	mono_thread_hazardous_try_free_all ();
	CHECK (things[0].alive == DEAD && things[2].alive == DEAD && things[3].alive == DEAD);
}

static void
memory_is_kept (void **state)
{
	stepper_run (&(interrupted) { make_things, keep_one, keep_the_others_and_free, kept_things_are_freed_once });
}

static void
memory_is_freed (void **state)
{
	stepper_run (&(interrupted) { make_and_keep_one, free_all, keep_the_others_and_free, kept_things_are_freed_once });
}

static void
read_place (void)
{
	MonoThreadHazardPointers *hazards = mono_hazard_pointer_get ();

	mine = mono_lls_get_hazardous_pointer_with_mask (&place, hazards, 1);
	CHECK (hazards->hazards[1] == mine && *(unsigned *) mine == ALIVE);
	__atomic_store_n (&hazards->hazards[1], NULL, __ATOMIC_SEQ_CST);
}

static void
replace_and_free (void)
{
	void *old = __atomic_exchange_n (&place, &things[1], __ATOMIC_SEQ_CST);
	mono_thread_hazardous_try_free (old, thing_free);
}

static void
the_old_thing_is_freed (void)
{
	mono_thread_hazardous_try_free_all ();
	CHECK (things[0].alive == DEAD && things[1].alive == ALIVE);
}

static void
a_pointer_is_held (void **state)
{
	stepper_run (&(interrupted) { make_things, read_place, replace_and_free, the_old_thing_is_freed });
}

/* --- the set ------------------------------------------------------------------------------------------------------ */

typedef struct {
	MonoLinkedListSetNode node;
	unsigned alive;
} element;

static MonoLinkedListSet set;
static element elements[NODES];

static void
element_free (void *pointer)
{
	element *one = pointer;
	CHECK (one->alive == ALIVE);
	one->alive = DEAD;
	/* Whoever still reads it, goes astray. */
	atomic_store (&one->node.next, 0x10);
	one->node.key = 0;
}

static bool
insert (int number)
{
	return mono_lls_insert (&set, mono_hazard_pointer_get (), &elements[number].node);
}

static bool
remove_and_free (int number)
{
	bool removed = mono_lls_remove (&set, mono_hazard_pointer_get (), &elements[number].node);

	if (removed)
		mono_thread_hazardous_try_free (&elements[number], element_free);
	return removed;
}

/* 3 and 5. The key of an element is its number, but the last one is another 3. */
static void
make_set (void)
{
	mono_thread_hazardous_try_free_all ();
	mono_lls_init (&set, NULL);
	mine = NULL;
	for (int i = 0; i < NODES; i++)
		elements[i] = (element) { .node = { .key = i < NODES - 1 ? (uintptr_t) i : 3 }, .alive = ALIVE };
	CHECK (insert (3) && insert (5));
}

static void
expect_keys (const char *expected)
{
	char keys[NODES * 2 + 1] = { 0 }, *end = keys;

	for (uintptr_t link = atomic_load (&set.head); link;) {
		const element *one = (const element *) link;
		CHECK (one->alive == ALIVE);
		*end++ = (char) ('0' + one->node.key);
		link = atomic_load (&one->node.next);
	}
	CHECK_STRING (keys, expected);
	if (mine)
		element_free (mine);
	mono_thread_hazardous_try_free_all ();
	CHECK (strchr (keys, '3') || elements[3].alive == DEAD);
	CHECK (strchr (keys, '5') || elements[5].alive == DEAD);
}

static void
insert_four (void)
{
	CHECK (insert (4));
}

static void
remove_three (void)
{
	CHECK (remove_and_free (3));
}

/* What an operation itself removed, is freed when it is checked. */
static void
take_three_out (void)
{
	CHECK (mono_lls_remove (&set, mono_hazard_pointer_get (), &elements[3].node));
	mine = &elements[3];
}

static void
take_five_out (void)
{
	CHECK (mono_lls_remove (&set, mono_hazard_pointer_get (), &elements[5].node));
	mine = &elements[5];
}

static void
remove_five (void)
{
	CHECK (remove_and_free (5));
}

static void
remove_neighbours (void)
{
	CHECK (remove_and_free (3) && remove_and_free (5));
}

static void
remove_three_put_two (void)
{
	CHECK (remove_and_free (3) && insert (2));
}

static void
replace_three (void)
{
	CHECK (remove_and_free (3) && insert (NODES - 1));
}

static void
three_is_there_or_not (void)
{
	(void) insert (NODES - 1);
}

static void
has_4 (void)
{
	expect_keys ("4");
}

static void
has_245 (void)
{
	expect_keys ("245");
}

static void
has_none (void)
{
	expect_keys ("");
}

static void
has_2 (void)
{
	expect_keys ("2");
}

static void
has_3 (void)
{
	expect_keys ("3");
}

/* Before it was inserted, the other 3 was removed or not. */
static void
has_3_or_none (void)
{
	element *first = (element *) atomic_load (&set.head);

	CHECK (first == &elements[NODES - 1] || first == &elements[5]);
	expect_keys (first == &elements[5] ? "5" : "35");
}

static void
an_element_is_inserted (void **state)
{
	stepper_run (&(interrupted) { make_set, insert_four, remove_neighbours, has_4 });
	stepper_run (&(interrupted) { make_set, insert_four, remove_three_put_two, has_245 });
	stepper_run (&(interrupted) { make_set, three_is_there_or_not, remove_three, has_3_or_none });
}

static void
an_element_is_removed (void **state)
{
	stepper_run (&(interrupted) { make_set, take_five_out, remove_three, has_none });
	stepper_run (&(interrupted) { make_set, take_five_out, remove_three_put_two, has_2 });
	stepper_run (&(interrupted) { make_set, take_five_out, replace_three, has_3 });
	stepper_run (&(interrupted) { make_set, take_three_out, remove_five, has_none });
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

enum { FULL = 24 }; /* the next entry makes it grow */

static MonoConcurrentHashTable *table;

static void *
key_of (int number)
{
	return &elements[0].alive + number + 1;
}

static void
make_table (void)
{
	mono_conc_hashtable_destroy (table);
	table = mono_conc_hashtable_new (NULL, NULL);
	for (int i = 0; i < FULL; i++)
		CHECK (!mono_conc_hashtable_insert (table, key_of (i), key_of (i)));
}

static void
insert_one_more (void)
{
	CHECK (!mono_conc_hashtable_insert (table, key_of (FULL), key_of (FULL)));
}

static void
all_are_there (void)
{
	for (int i = 0; i <= FULL; i++)
		CHECK (mono_conc_hashtable_lookup (table, key_of (i)) == key_of (i));
}

static void
look_one_up (void)
{
	CHECK (mono_conc_hashtable_lookup (table, key_of (3)) == key_of (3));
}

static void
a_table_grows_under_a_reader (void **state)
{
	stepper_run (&(interrupted) { make_table, look_one_up, insert_one_more, all_are_there });
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_slot_is_taken),
		cmocka_unit_test (a_slot_is_freed),
		cmocka_unit_test (the_first_slot_is_taken),
		cmocka_unit_test (a_node_is_enqueued),
		cmocka_unit_test (a_node_is_dequeued),
		cmocka_unit_test (memory_is_kept),
		cmocka_unit_test (memory_is_freed),
		cmocka_unit_test (a_pointer_is_held),
		cmocka_unit_test (an_element_is_inserted),
		cmocka_unit_test (an_element_is_removed),
		cmocka_unit_test (a_table_grows_under_a_reader),
	};
	return cmocka_run_group_tests_name ("internals: interrupted", tests, NULL, NULL);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_lock_free_alloc.c - slots of one size: apart from each other, used again, and NULL without memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include "child.h"
#include "crowd.h"
#include "failing-mmap.h"
#include "internals.h"

enum { BLOCK = 4096, SLOTS = 500, ROUNDS = 400000 };

static MonoLockFreeAllocSizeClass size_class;
static MonoLockFreeAllocator heap;

static void
begin (unsigned slot_size, unsigned block_size)
{
	mono_lock_free_allocator_init_size_class (&size_class, slot_size, block_size);
	mono_lock_free_allocator_init_allocator (&heap, &size_class, 12);
}

static int
by_address (const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return (*x > *y) - (*x < *y);
}

/* Blocks stay, so the first time is the only one that maps any. */
static void
slots_are_apart_and_come_back (unsigned slot_size, unsigned block_size, int slots, long mappings)
{
	char *mine[SLOTS];
	long before;

	begin (slot_size, block_size);
	before = failing_mmap_count;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < slots; i++) {
			mine[i] = mono_lock_free_alloc (&heap);
			CHECK (mine[i] && (uintptr_t) mine[i] % sizeof (void *) == 0);
			memset (mine[i], 0xa5, slot_size);
		}
		qsort (mine, (size_t) slots, sizeof mine[0], by_address);
		for (int i = 1; i < slots; i++)
			assert_true (mine[i] - mine[i - 1] >= (ptrdiff_t) slot_size);
		for (int i = 0; i < slots; i++)
			mono_lock_free_free (mine[i], block_size);
	}
	/* The pages for blocks' numbers are mapped once in a process. */
	assert_in_range (failing_mmap_count - before, mappings, mappings + 1);
}

static void
small_slots_share_a_block (void **state)
{
	slots_are_apart_and_come_back (24, BLOCK, SLOTS, 4);
}

static void
samples_share_a_block (void **state)
{
	slots_are_apart_and_come_back (40 + 32 * 32, BLOCK, 30, 10);
}

static void
a_slot_may_be_longer_than_a_block (void **state)
{
	slots_are_apart_and_come_back (BLOCK, BLOCK, 20, 20);
	slots_are_apart_and_come_back (5 * BLOCK, BLOCK, 20, 20);
}

static void
odd_sizes_are_aligned (void **state)
{
	slots_are_apart_and_come_back (1, BLOCK, 100, 1);
	slots_are_apart_and_come_back (13, BLOCK, 100, 1);
}

static void
a_block_is_aligned_by_its_size (void **state)
{
	enum { LARGE = 16 * BLOCK };

	failing_mmap_beside = LARGE;
	slots_are_apart_and_come_back (5 * BLOCK, LARGE, 12, 8);
	slots_are_apart_and_come_back (LARGE, LARGE, 3, 6);
	failing_mmap_beside = 0;
}

static void
no_block_has_more_slots_than_numbers (void **state)
{
	slots_are_apart_and_come_back (8, 1 << 20, SLOTS, 1);
	begin (8, 1 << 20);
	for (int i = 0; i < 3 * 4096; i++) {
		uint64_t *slot = mono_lock_free_alloc (&heap);
		CHECK (slot && !*slot);
		*slot = 1;
	}
}

static void
sizes_that_cannot_be_have_no_slots (void **state)
{
	static const unsigned sizes[][2] = { { 24, 0 }, { 24, 4095 }, { 24, 5000 }, { 0, BLOCK }, { 24, 16 } };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		begin (sizes[i][0], sizes[i][1]);
		assert_null (mono_lock_free_alloc (&heap));
	}
	mono_lock_free_free (NULL, BLOCK);
}

static void
without_memory_there_is_no_slot (void **state)
{
	begin (24, 16 * BLOCK);
	failing_mmap_beside = 16 * BLOCK; /* two calls */
	errno = 4711;
	for (long n = 0; n < 2; n++) {
		failing_mmap_allowed = n;
		assert_null (mono_lock_free_alloc (&heap));
		assert_int_equal (failing_mmap_allowed, -1);
		assert_int_equal (errno, 4711);
	}
	failing_mmap_beside = 0;
	assert_non_null (mono_lock_free_alloc (&heap));
}

/* The first allocation of a process maps a page of numbers, too. It has to come first here. */
static void
without_memory_for_its_number_a_block_is_given_back (void **state)
{
	begin (24, BLOCK);
	failing_mmap_allowed = 1;
	assert_null (mono_lock_free_alloc (&heap));
	assert_int_equal (failing_mmap_allowed, -1);
	assert_non_null (mono_lock_free_alloc (&heap));
}

/* Enough blocks for another page of numbers. */
static void
there_may_be_thousands_of_blocks (void **state)
{
	enum { BLOCKS = 2500 };
	static void *mine[BLOCKS];

	begin (BLOCK, BLOCK);
	for (int i = 0; i < BLOCKS; i++) {
		mine[i] = mono_lock_free_alloc (&heap);
		assert_non_null (mine[i]);
	}
	for (int i = 0; i < BLOCKS; i++)
		mono_lock_free_free (mine[i], BLOCK);
	for (int i = BLOCKS - 1; i >= 0; i--)
		assert_ptr_equal (mono_lock_free_alloc (&heap), mine[i]);
}

/* --- the crowd ---------------------------------------------------------------------------------------------------- */

enum { WORDS = 3, MINE = 40, SHARED = 16 };

static void *shared[SHARED];
static _Atomic (unsigned long) allocations;

static uintptr_t *
marked_slot (uintptr_t mark)
{
	uintptr_t *slot = mono_lock_free_alloc (&heap);
	CHECK (slot);
	for (int i = 0; i < WORDS; i++)
		slot[i] = mark;
	return slot;
}

static void
free_marked (uintptr_t *slot)
{
	for (int i = 1; i < WORDS; i++)
		CHECK (slot[i] == slot[0]);
	slot[0] = 0;
	mono_lock_free_free (slot, BLOCK);
}

/* Some slots are freed by the thread that took them, others by whichever finds them. */
static void
take_and_give_back (crowd_member *self)
{
	uintptr_t *mine[MINE] = { 0 };
	unsigned long count = 0;

	while (crowd_goes_on (self, ROUNDS)) {
		unsigned i = crowd_random (self, MINE);
		uintptr_t mark = (uintptr_t) self->number << 32 | self->rounds;
		if (crowd_random (self, 4) == 0) {
			uintptr_t *other = __atomic_exchange_n (&shared[i % SHARED], marked_slot (mark), __ATOMIC_ACQ_REL);
			count++;
			if (other)
				free_marked (other);
		} else if (mine[i]) {
			CHECK ((int) (mine[i][0] >> 32) == self->number);
			free_marked (mine[i]);
			mine[i] = NULL;
		} else {
			mine[i] = marked_slot (mark);
			count++;
		}
	}
	for (int i = 0; i < MINE; i++)
		if (mine[i])
			free_marked (mine[i]);
	allocations += count;
}

static void
no_slot_has_two_owners (void **state)
{
	enum { PER_BLOCK = 100, MOST = (CROWD * MINE + SHARED) / PER_BLOCK + 1 + CROWD };
	long before = failing_mmap_count;

	begin (WORDS * sizeof (uintptr_t), BLOCK);
	crowd_run (take_and_give_back);
	assert_true (failing_mmap_count - before <= MOST);
	for (int i = 0; i < SHARED; i++)
		if (shared[i])
			free_marked (shared[i]);
	print_message ("%lu slots in %ld blocks\n", (unsigned long) allocations, failing_mmap_count - before);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (without_memory_for_its_number_a_block_is_given_back),
		cmocka_unit_test (small_slots_share_a_block),
		cmocka_unit_test (samples_share_a_block),
		cmocka_unit_test (a_slot_may_be_longer_than_a_block),
		cmocka_unit_test (odd_sizes_are_aligned),
		cmocka_unit_test (a_block_is_aligned_by_its_size),
		cmocka_unit_test (no_block_has_more_slots_than_numbers),
		cmocka_unit_test (sizes_that_cannot_be_have_no_slots),
		cmocka_unit_test (without_memory_there_is_no_slot),
		cmocka_unit_test (there_may_be_thousands_of_blocks),
		cmocka_unit_test (no_slot_has_two_owners),
	};
	return cmocka_run_group_tests_name ("internals: allocator", tests, NULL, NULL);
}

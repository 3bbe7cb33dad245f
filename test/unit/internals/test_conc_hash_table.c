/*
 * SPDX-License-Identifier: MIT
 *
 * test_conc_hash_table.c - what was inserted is found, also while the table grows and when memory runs out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "child.h"
#include "crowd.h"
#include "failing-memory.h"
#include "internals.h"

enum { MANY = 20000, ROUNDS = 200000, MOST = 1 << 20 };

static MonoConcurrentHashTable *table;

static void *
key_of (uintptr_t number)
{
	return (void *) (number * 16 + 16);
}

static void *
value_of (uintptr_t number)
{
	return (void *) (number + 1);
}

static void
insert (uintptr_t number)
{
	assert_null (mono_conc_hashtable_insert (table, key_of (number), value_of (number)));
}

static void *
lookup (uintptr_t number)
{
	return mono_conc_hashtable_lookup (table, key_of (number));
}

static int
setup (void **state)
{
	table = mono_conc_hashtable_new (NULL, NULL);
	return table ? 0 : -1;
}

static int
teardown (void **state)
{
	mono_conc_hashtable_destroy (table);
	return 0;
}

static void
what_was_inserted_is_found (void **state)
{
	for (uintptr_t i = 0; i < MANY; i++) {
		assert_null (lookup (i));
		insert (i);
		assert_ptr_equal (lookup (i), value_of (i));
	}
	for (uintptr_t i = 0; i < MANY; i++)
		assert_ptr_equal (lookup (i), value_of (i));
	assert_null (lookup (MANY));
}

static void
the_first_value_of_a_key_stays (void **state)
{
	insert (1);
	assert_ptr_equal (mono_conc_hashtable_insert (table, key_of (1), value_of (2)), value_of (1));
	assert_ptr_equal (lookup (1), value_of (1));
}

static void
null_is_neither_key_nor_value (void **state)
{
	assert_null (mono_conc_hashtable_insert (table, NULL, value_of (1)));
	assert_null (mono_conc_hashtable_insert (table, key_of (1), NULL));
	assert_null (mono_conc_hashtable_lookup (table, NULL));
	assert_null (lookup (1));
}

/* All in one place, so that equality decides. */
static unsigned
first_letter (const void *key)
{
	return *(const unsigned char *) key;
}

static mono_bool
same_text (const void *a, const void *b)
{
	return strcmp (a, b) == 0;
}

static void
keys_are_compared_as_the_module_wants (void **state)
{
	MonoConcurrentHashTable *texts = mono_conc_hashtable_new (first_letter, same_text);
	char copy[] = "one";

	assert_null (mono_conc_hashtable_insert (texts, "one", "1"));
	assert_null (mono_conc_hashtable_insert (texts, "other", "2"));
	assert_string_equal (mono_conc_hashtable_lookup (texts, copy), "1");
	assert_string_equal (mono_conc_hashtable_insert (texts, copy, "3"), "1");
	assert_null (mono_conc_hashtable_lookup (texts, "or"));
	mono_conc_hashtable_destroy (texts);
}

static void
add_up (void *key, void *value, void *data)
{
	uintptr_t *sums = data;
	sums[0] += (uintptr_t) key;
	sums[1] += (uintptr_t) value;
	sums[2]++;
}

static void
each_entry_is_visited_once (void **state)
{
	uintptr_t sums[3] = { 0 }, keys = 0, values = 0;

	for (uintptr_t i = 0; i < 1000; i++) {
		insert (i);
		keys += (uintptr_t) key_of (i);
		values += (uintptr_t) value_of (i);
	}
	mono_conc_hashtable_foreach (table, add_up, sums);
	assert_true (sums[0] == keys && sums[1] == values && sums[2] == 1000);
}

static void
without_memory_there_is_no_table (void **state)
{
	for (long n = 0; n < 2; n++) {
		failing_memory_allowed = n;
		MonoConcurrentHashTable *none = mono_conc_hashtable_new (NULL, NULL);
		assert_null (none);
		assert_null (mono_conc_hashtable_insert (none, key_of (1), value_of (1)));
		assert_null (mono_conc_hashtable_lookup (none, key_of (1)));
		mono_conc_hashtable_foreach (none, add_up, NULL);
		mono_conc_hashtable_destroy (none);
	}
	failing_memory_allowed = -1;
}

/* It cannot grow: it takes what fits, searches still end, and what came before is found. */
static void
without_memory_to_grow_a_table_keeps_what_it_has (void **state)
{
	uintptr_t present = 0;

	for (uintptr_t i = 0; i < 100; i++) {
		failing_memory_allowed = 0;
		insert (i);
	}
	failing_memory_allowed = -1;
	for (uintptr_t i = 0; i < 100; i++)
		present += lookup (i) == value_of (i);
	assert_int_equal (present, 31);
	insert (200);
	assert_ptr_equal (lookup (200), value_of (200));
	assert_ptr_equal (lookup (0), value_of (0));
}

/* --- the crowd ---------------------------------------------------------------------------------------------------- */

static _Atomic (uintptr_t) inserted;
static _Atomic (unsigned long) found;
static atomic_bool writer_is_done;

static void
write_all (crowd_member *self)
{
	while (crowd_goes_on (self, ROUNDS)) {
		uintptr_t next = atomic_load (&inserted);
		if (next == MOST)
			continue;
		CHECK (!mono_conc_hashtable_insert (table, key_of (next), value_of (next)));
		atomic_store (&inserted, next + 1);
	}
	writer_is_done = true;
}

static void
insert_or_look_up (crowd_member *self)
{
	unsigned long mine = 0;

	if (self->number == 0)
		write_all (self);
	for (; !writer_is_done || mine == 0; mine++) {
		uintptr_t known = atomic_load (&inserted);
		for (uintptr_t back = 1; back < known; back *= 2)
			CHECK (lookup (known - back) == value_of (known - back));
		void *next = lookup (known);
		CHECK (!next || next == value_of (known));
	}
	found += mine;
}

static void
readers_find_what_the_writer_has_told (void **state)
{
	crowd_run (insert_or_look_up);
	print_message ("%lu entries, %lu rounds of look-ups\n", (unsigned long) inserted, (unsigned long) found);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown (what_was_inserted_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown (the_first_value_of_a_key_stays, setup, teardown),
		cmocka_unit_test_setup_teardown (null_is_neither_key_nor_value, setup, teardown),
		cmocka_unit_test_setup_teardown (each_entry_is_visited_once, setup, teardown),
		cmocka_unit_test_setup_teardown (without_memory_to_grow_a_table_keeps_what_it_has, setup, teardown),
		cmocka_unit_test_setup_teardown (readers_find_what_the_writer_has_told, setup, teardown),
		cmocka_unit_test (keys_are_compared_as_the_module_wants),
		cmocka_unit_test (without_memory_there_is_no_table),
	};
	return cmocka_run_group_tests_name ("internals: hash table", tests, NULL, NULL);
}

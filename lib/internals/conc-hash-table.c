/*
 * SPDX-License-Identifier: MIT
 *
 * conc-hash-table.c - a hash table that is read without a lock, in any context, beside one writer.
 *
 * Slots are found by stepping from where the hash points, up to an empty one. A slot is written once: its value, then
 * its key, which readers look at first. A table that is three quarters full is copied into one of twice the size; the
 * old one stays as long as the new one, because readers may still be in it, and all of them are less than the newest.
 * Nothing is ever removed.
 */
#include "internals.h"
#include "hash.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { FIRST_SIZE = 32 };

typedef struct {
	_Atomic (void *) key; /* NULL: empty */
	void *value;
} entry;

typedef struct store {
	struct store *older;
	size_t size; /* a power of two */
	entry entries[];
} store;

struct MonoConcurrentHashTable {
	_Atomic (store *) newest;
	MonoConcHashFunc hash;
	MonoConcEqualFunc equal;
	size_t count; /* of the writer */
};

static store *
store_new (size_t size, store *older)
{
	store *fresh = calloc (1, sizeof *fresh + size * sizeof fresh->entries[0]);

	if (fresh) {
		fresh->size = size;
		fresh->older = older;
	}
	return fresh;
}

/* The entry of that key, or the empty one where it belongs. */
static entry *
find (const MonoConcurrentHashTable *table, store *in, const void *key)
{
	uint64_t hash = monocle__hash (0, table->hash ? table->hash (key) : (uintptr_t) key);

	for (size_t i = hash & (in->size - 1);; i = (i + 1) & (in->size - 1)) {
		void *other = atomic_load_explicit (&in->entries[i].key, memory_order_acquire);
		if (!other || other == key || (table->equal && table->equal (key, other)))
			return &in->entries[i];
	}
}

static void
fill (entry *empty, void *key, void *value)
{
	empty->value = value;
	atomic_store_explicit (&empty->key, key, memory_order_release);
}

/* The store for one more entry; NULL without memory. One entry of each store stays empty, where searches end. */
static store *
store_with_room (MonoConcurrentHashTable *table)
{
	store *newest = atomic_load_explicit (&table->newest, memory_order_relaxed), *fresh;

	if (table->count < newest->size / 4 * 3)
		return newest;
	fresh = store_new (newest->size * 2, newest);
	if (!fresh)
		return table->count < newest->size - 1 ? newest : NULL;
	for (size_t i = 0; i < newest->size; i++) {
		void *key = atomic_load_explicit (&newest->entries[i].key, memory_order_relaxed);
		if (key)
			fill (find (table, fresh, key), key, newest->entries[i].value);
	}
	atomic_store_explicit (&table->newest, fresh, memory_order_release);
	return fresh;
}

MonoConcurrentHashTable *
mono_conc_hashtable_new (MonoConcHashFunc hash, MonoConcEqualFunc equal)
{
	MonoConcurrentHashTable *table = malloc (sizeof *table);
	store *first = store_new (FIRST_SIZE, NULL);

	if (!table || !first) {
		free (table);
		free (first);
		return NULL;
	}
	atomic_init (&table->newest, first);
	table->hash = hash;
	table->equal = equal;
	table->count = 0;
	return table;
}

void
mono_conc_hashtable_destroy (MonoConcurrentHashTable *table)
{
	store *one = table ? atomic_load (&table->newest) : NULL;

	while (one) {
		store *older = one->older;
		free (one);
		one = older;
	}
	free (table);
}

void *
mono_conc_hashtable_lookup (MonoConcurrentHashTable *table, void *key)
{
	if (!table || !key)
		return NULL;
	entry *found = find (table, atomic_load_explicit (&table->newest, memory_order_acquire), key);
	return atomic_load_explicit (&found->key, memory_order_acquire) ? found->value : NULL;
}

void *
mono_conc_hashtable_insert (MonoConcurrentHashTable *table, void *key, void *value)
{
	void *present = mono_conc_hashtable_lookup (table, key);
	store *with_room;

	if (!table || !key || !value || present)
		return present;
	with_room = store_with_room (table);
	if (with_room) {
		fill (find (table, with_room, key), key, value);
		table->count++;
	}
	return NULL;
}

void
mono_conc_hashtable_foreach (MonoConcurrentHashTable *table, MonoConcVisitFunc func, void *data)
{
	store *newest = table ? atomic_load_explicit (&table->newest, memory_order_acquire) : NULL;

	for (size_t i = 0; newest && i < newest->size; i++) {
		void *key = atomic_load_explicit (&newest->entries[i].key, memory_order_acquire);
		if (key)
			func (key, newest->entries[i].value, data);
	}
}

/*
 * SPDX-License-Identifier: MIT
 *
 * intern.c - insert-only hash sets of records that are known by their parts.
 *
 * A bucket is a list that grows at its head. Readers walk it without any care, since nodes are never unlinked; a writer
 * whose head moved looks only at the nodes that came since. Any thread, any context.
 */
#include "intern.h"
#include "invariant.h"

#include <stddef.h>

_Static_assert((MONOCLE__INTERN_BUCKETS & (MONOCLE__INTERN_BUCKETS - 1)) == 0, "a bucket is chosen by bits");

static uint64_t
bucket_number (uint64_t hash)
{
	return hash >> 32 & (MONOCLE__INTERN_BUCKETS - 1);
}

static _Atomic (monocle__node *) *
bucket_of (monocle__intern *set, uint64_t hash)
{
	return &set->buckets[bucket_number (hash)];
}

/* Looks from `node` to `end`, which is excluded. */
static monocle__node *
walk (monocle__node *node, const monocle__node *end, uint64_t hash, monocle__same same, const void *key)
{
	for (; node != end; node = node->next) {
		MONOCLE__INVARIANT (bucket_number (node->hash) == bucket_number (hash));
		if (node->hash == hash && same (node, key))
			return node;
	}
	return NULL;
}

monocle__node *
monocle__intern_find (monocle__intern *set, uint64_t hash, monocle__same same, const void *key)
{
	return walk (atomic_load_explicit (bucket_of (set, hash), memory_order_acquire), NULL, hash, same, key);
}

monocle__node *
monocle__intern_add (monocle__intern *set, uint64_t hash, monocle__node *node, monocle__same same, const void *key)
{
	_Atomic (monocle__node *) *bucket = bucket_of (set, hash);
	monocle__node *head = atomic_load_explicit (bucket, memory_order_acquire), *seen = NULL;
	node->hash = hash;
	do {
		MONOCLE__INVARIANT (head != node); /* it is added once */
		monocle__node *other = walk (head, seen, hash, same, key);
		if (other)
			return other;
		seen = head;
		node->next = head;
	} while (!atomic_compare_exchange_weak_explicit (bucket, &head, node, memory_order_acq_rel, memory_order_acquire));
	return node;
}

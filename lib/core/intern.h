/*
 * SPDX-License-Identifier: MIT
 *
 * intern.h - insert-only hash sets of records that are known by their parts.
 */
#ifndef MONOCLE_CORE_INTERN_H
#define MONOCLE_CORE_INTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct monocle__node monocle__node;

struct monocle__node {
	monocle__node *next; /* written before the node is published */
	uint64_t hash;
};

enum { MONOCLE__INTERN_BUCKETS = 1 << 15 };

typedef struct {
	_Atomic (monocle__node *) buckets[MONOCLE__INTERN_BUCKETS];
} monocle__intern;

typedef bool (*monocle__same) (const monocle__node *node, const void *key);

monocle__node *monocle__intern_find (monocle__intern *set, uint64_t hash, monocle__same same, const void *key);
/* Publishes `node` under `hash`, unless its like came first: returns the one that is in the set. */
monocle__node *monocle__intern_add (monocle__intern *set, uint64_t hash, monocle__node *node, monocle__same same,
                                    const void *key);

#endif

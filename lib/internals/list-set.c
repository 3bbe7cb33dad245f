/*
 * SPDX-License-Identifier: MIT
 *
 * list-set.c - a set as a list that is sorted by key, changed and walked by all threads without a lock.
 *
 * The algorithm is Maged Michael's ("High Performance Dynamic Lock-Free Hash Tables and List-Based Sets", 2002): a node
 * is removed by a mark in its own link, after which that link never changes, and then unlinked by whoever comes by. It
 * is fixed, because modules contain the walk: they read `head`, links and `free_func`, hold what they stand on in the
 * three slots named below, unlink what is marked, and hand what they unlinked to `free_func` if there is one.
 *
 *     slot   2 PREDECESSOR     1 NODE          0 NEXT
 *            node whose link   node that is    node behind it
 *            leads to NODE     looked at
 *
 * An address moves to a higher slot before its lower one gets another, and who asks all slots looks at the lower ones
 * first: so it is not missed on its way. Slots and links are written and read in one order for all threads.
 */
#include "internals.h"
#include "invariant.h"

#include <stdatomic.h>

enum { NEXT, NODE, PREDECESSOR };

static const uintptr_t deleted = 1, bits = 3;

/* A place in the list: `link` leads to `node` (NULL: the end), whose own link was `next`. */
typedef struct {
	_Atomic (uintptr_t) *link;
	MonoLinkedListSetNode *node;
	uintptr_t next;
} position;

static MonoLinkedListSetNode *
node_of (uintptr_t link)
{
	return (MonoLinkedListSetNode *) (link & ~bits);
}

static void
hold (MonoThreadHazardPointers *hazards, int slot, void *pointer)
{
	__atomic_store_n (&hazards->hazards[slot], pointer, __ATOMIC_SEQ_CST);
}

/* Once it is seen unchanged after the slot holds what it leads to, that cannot be freed before the slot lets go. */
static uintptr_t
load_and_hold (_Atomic (uintptr_t) *link, MonoThreadHazardPointers *hazards, int slot)
{
	uintptr_t seen = atomic_load (link), held;

	if (!hazards)
		return seen;
	do {
		held = seen;
		hold (hazards, slot, node_of (held));
		seen = atomic_load (link);
	} while (seen != held);
	return seen;
}

void *
mono_lls_get_hazardous_pointer_with_mask (void **place, MonoThreadHazardPointers *hazards, int slot)
{
	return (void *) load_and_hold ((_Atomic (uintptr_t) *) place, hazards, slot);
}

void
mono_lls_init (MonoLinkedListSet *set, MonoHazardousFreeFunc free_func)
{
	atomic_init (&set->head, 0);
	set->free_func = free_func;
}

/* The node at `at` is marked. False: the link before it has changed, and the node may be unlinked already. */
static bool
unlink_at (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, const position *at)
{
	uintptr_t expected = (uintptr_t) at->node;

	if (!atomic_compare_exchange_strong (at->link, &expected, at->next & ~bits))
		return false;
	hold (hazards, NODE, NULL);
	if (set->free_func)
		mono_thread_hazardous_queue_free (at->node, set->free_func);
	return true;
}

/* False: the list has changed where we stand, so that we cannot tell what is behind. */
static bool
try_seek (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, uintptr_t key, position *at)
{
	at->link = &set->head;
	hold (hazards, PREDECESSOR, NULL);
	at->node = node_of (load_and_hold (at->link, hazards, NODE));
	while (at->node) {
		at->next = load_and_hold (&at->node->next, hazards, NEXT);
		/* While the node is linked, so is what is behind it; and a marked link does not equal the node. */
		if (atomic_load (at->link) != (uintptr_t) at->node)
			return false;
		if (at->next & deleted) {
			if (!unlink_at (set, hazards, at))
				return false;
		} else {
			if (at->node->key >= key)
				return true;
			at->link = &at->node->next;
			hold (hazards, PREDECESSOR, at->node);
		}
		at->node = node_of (at->next);
		hold (hazards, NODE, at->node);
	}
	return true;
}

/* To the first node whose key is `key` or more. No marked node is left before it. */
static void
seek (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, uintptr_t key, position *at)
{
	while (!try_seek (set, hazards, key, at))
		;
}

/* The slot of the node keeps `node`. */
static void
let_go (MonoThreadHazardPointers *hazards, MonoLinkedListSetNode *node)
{
	hold (hazards, NODE, node);
	hold (hazards, NEXT, NULL);
	hold (hazards, PREDECESSOR, NULL);
}

static bool
insert (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, MonoLinkedListSetNode *node)
{
	uintptr_t behind;
	position at;

	MONOCLE__INVARIANT (!((uintptr_t) node & bits));
	do {
		seek (set, hazards, node->key, &at);
		if (at.node && at.node->key == node->key)
			return false;
		behind = (uintptr_t) at.node;
		atomic_store_explicit (&node->next, behind, memory_order_relaxed);
	} while (!atomic_compare_exchange_strong (at.link, &behind, (uintptr_t) node));
	return true;
}

mono_bool
mono_lls_insert (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, MonoLinkedListSetNode *node)
{
	bool inserted = insert (set, hazards, node);
	let_go (hazards, NULL);
	return inserted;
}

static bool
remove_node (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, MonoLinkedListSetNode *node)
{
	uintptr_t key = node->key; /* once it is marked, it may be freed */
	position at;

	do {
		seek (set, hazards, key, &at);
		if (at.node != node)
			return false;
	} while (!atomic_compare_exchange_strong (&node->next, &at.next, at.next | deleted));
	/* It must be unlinked when we are back: the caller may free it. If another thread does it, we meet it no more. */
	if (!unlink_at (set, hazards, &at))
		seek (set, hazards, key, &at);
	return true;
}

/*
 * A module that walks the list may remove the node it stands on, which its slot holds then, free it, and go on from its
 * link: the slot still holds it afterwards, so that it is kept. Some later removal or the module's end frees it.
 */
mono_bool
mono_lls_remove (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards, MonoLinkedListSetNode *node)
{
	bool stood_on = hazards->hazards[NODE] == node;

	mono_thread_hazardous_try_free_all ();
	bool removed = remove_node (set, hazards, node);
	let_go (hazards, stood_on ? node : NULL);
	return removed;
}

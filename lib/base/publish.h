/*
 * SPDX-License-Identifier: MIT
 *
 * publish.h - putting a record where others read without a lock: who comes first stays.
 *
 * Many threads may find a slot empty and make what belongs there; each of them goes on with the same one. What a loser
 * made is its own to free, or to leave in its arena. Async-safe.
 */
#ifndef MONOCLE_BASE_PUBLISH_H
#define MONOCLE_BASE_PUBLISH_H

#include <stdatomic.h>
#include <stddef.h>

/*
 * Puts the pointer `fresh` into the atomic *slot when that is NULL, and answers what is there now: `fresh`, or what
 * another thread put there before, seen whole. With `fresh` NULL nothing happens, and the answer is NULL.
 */
#define MONOCLE__PUBLISH(slot, fresh) \
	__extension__({ \
		__typeof__ (fresh) publish_mine = (fresh); \
		__typeof__ (atomic_load (slot)) publish_first = NULL; \
		if (!publish_mine || atomic_compare_exchange_strong_explicit ((slot), &publish_first, publish_mine, \
		                                                              memory_order_acq_rel, memory_order_acquire)) \
			publish_first = (__typeof__ (publish_first)) publish_mine; \
		publish_first; \
	})

#endif

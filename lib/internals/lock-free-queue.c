/*
 * SPDX-License-Identifier: MIT
 *
 * lock-free-queue.c - nodes of the module, first in, first out.
 *
 * Threads push onto a list by compare-and-swap. Whoever takes has a lock that it never waits for; it takes all that
 * was pushed, turns it around, and hands it out one by one. So a node is never looked at after it was given away, and a
 * signal handler that interrupts either half neither waits nor breaks it.
 */
#include "internals.h"
#include "invariant.h"

#include <stdatomic.h>

_Static_assert(sizeof (MonoLockFreeQueue) == MONOCLE__QUEUE_SIZE, "modules reserve that many bytes");
_Static_assert(offsetof (MonoLockFreeAllocSizeClass, slot_size) == MONOCLE__QUEUE_SIZE, "Mono has a queue in front");

/* The `next` of a node that is not ready to be enqueued. */
static MonoLockFreeQueueNode poisoned;

void
mono_lock_free_queue_init (MonoLockFreeQueue *queue)
{
	atomic_init (&queue->pushed, NULL);
	queue->ready = NULL;
	atomic_flag_clear (&queue->taken);
}

void
mono_lock_free_queue_node_init (MonoLockFreeQueueNode *node, mono_bool poison)
{
	atomic_init (&node->next, poison ? &poisoned : NULL);
}

/* Modules also do it to a node that they have dequeued, and that was not poisoned since. */
void
mono_lock_free_queue_node_unpoison (MonoLockFreeQueueNode *node)
{
	mono_lock_free_queue_node_init (node, 0);
}

void
mono_lock_free_queue_enqueue (MonoLockFreeQueue *queue, MonoLockFreeQueueNode *node)
{
	MonoLockFreeQueueNode *newest = atomic_load_explicit (&queue->pushed, memory_order_relaxed);

	MONOCLE__INVARIANT (!atomic_load_explicit (&node->next, memory_order_relaxed));
	do
		atomic_store_explicit (&node->next, newest, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit (&queue->pushed, &newest, node, memory_order_release,
	                                               memory_order_relaxed));
}

static MonoLockFreeQueueNode *
turned_around (MonoLockFreeQueueNode *node)
{
	MonoLockFreeQueueNode *newer = NULL;

	while (node) {
		MonoLockFreeQueueNode *older = atomic_load_explicit (&node->next, memory_order_relaxed);
		atomic_store_explicit (&node->next, newer, memory_order_relaxed);
		newer = node;
		node = older;
	}
	return newer;
}

MonoLockFreeQueueNode *
mono_lock_free_queue_dequeue (MonoLockFreeQueue *queue)
{
	MonoLockFreeQueueNode *node;

	if (atomic_flag_test_and_set_explicit (&queue->taken, memory_order_acquire))
		return NULL;
	if (!queue->ready)
		queue->ready = turned_around (atomic_exchange_explicit (&queue->pushed, NULL, memory_order_acquire));
	node = queue->ready;
	if (node)
		queue->ready = atomic_exchange_explicit (&node->next, NULL, memory_order_relaxed);
	atomic_flag_clear_explicit (&queue->taken, memory_order_release);
	return node;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * test_lock_free_queue.c - first in, first out, for threads and for signal handlers that interrupt them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "child.h"
#include "crowd.h"
#include "internals.h"

enum { ROUNDS = 8000, NODES = 64, SIGNALS = 500 };

typedef struct {
	MonoLockFreeQueueNode node;
	int producer;
	unsigned number;
} item;

static MonoLockFreeQueue work, spare;

static int
setup (void **state)
{
	mono_lock_free_queue_init (&work);
	mono_lock_free_queue_init (&spare);
	return 0;
}

static void
put (MonoLockFreeQueue *queue, item *one)
{
	mono_lock_free_queue_enqueue (queue, &one->node);
}

static item *
take (MonoLockFreeQueue *queue)
{
	return (item *) mono_lock_free_queue_dequeue (queue);
}

static void
what_comes_first_goes_first (void **state)
{
	item items[6];

	assert_null (take (&work));
	for (int i = 0; i < 6; i++)
		mono_lock_free_queue_node_init (&items[i].node, 0);
	for (int i = 0; i < 4; i++)
		put (&work, &items[i]);
	assert_ptr_equal (take (&work), &items[0]);
	put (&work, &items[4]);
	assert_ptr_equal (take (&work), &items[1]);
	put (&work, &items[5]);
	for (int i = 2; i < 6; i++)
		assert_ptr_equal (take (&work), &items[i]);
	assert_null (take (&work));
}

static void
a_node_is_enqueued_again_as_soon_as_it_was_taken (void **state)
{
	item items[2];

	for (int i = 0; i < 2; i++) {
		mono_lock_free_queue_node_init (&items[i].node, 0);
		put (&work, &items[i]);
	}
	for (int i = 0; i < 100; i++) {
		item *one = take (&work);
		assert_ptr_equal (one, &items[i % 2]);
		put (&work, one);
	}
}

static void
a_poisoned_node_is_enqueued_when_it_is_ready (void **state)
{
	item one;

	mono_lock_free_queue_node_init (&one.node, 1);
	mono_lock_free_queue_node_unpoison (&one.node);
	put (&work, &one);
	assert_ptr_equal (take (&work), &one);
	assert_null (take (&work));
}

static void
who_takes_while_another_does_gets_nothing (void **state)
{
	item one;

	mono_lock_free_queue_node_init (&one.node, 0);
	put (&work, &one);
	assert_false (atomic_flag_test_and_set (&work.taken));
	assert_null (take (&work));
	atomic_flag_clear (&work.taken);
	assert_ptr_equal (take (&work), &one);
}

/* --- the crowd ---------------------------------------------------------------------------------------------------- */

static item items[NODES];
static _Atomic (unsigned) items_used, producers_done;
static _Atomic (unsigned long) items_sent, items_received;

/* A used one, or a new one as long as there are any. */
static item *
some_item (void)
{
	for (;;) {
		item *one = take (&spare);
		if (one)
			return one;
		if (items_used < NODES) {
			unsigned mine = items_used++;
			if (mine < NODES) {
				mono_lock_free_queue_node_init (&items[mine].node, 0);
				return &items[mine];
			}
		}
		sched_yield ();
	}
}

static void
produce (crowd_member *self)
{
	for (unsigned number = 0; crowd_goes_on (self, ROUNDS); number++) {
		item *one = some_item ();
		one->producer = self->number;
		one->number = number;
		items_sent++;
		put (&work, one);
	}
	producers_done++;
}

static void
consume (void)
{
	unsigned next[CROWD] = { 0 };

	for (;;) {
		bool over = producers_done == CROWD - 1;
		item *one = take (&work);
		if (one) {
			CHECK (one->number == next[one->producer]);
			next[one->producer]++;
			items_received++;
			put (&spare, one);
		} else if (over) {
			return;
		} else {
			sched_yield ();
		}
	}
}

static void
produce_or_consume (crowd_member *self)
{
	if (self->number == 0)
		consume ();
	else
		produce (self);
}

static void
each_producer_is_received_whole_and_in_order (void **state)
{
	item *one;
	unsigned left = 0;

	crowd_run (produce_or_consume);
	assert_int_equal (items_sent, items_received);
	assert_true (items_sent >= ROUNDS * (CROWD - 1));
	while ((one = take (&spare)))
		left++;
	assert_int_equal (left, items_used < NODES ? items_used : NODES);
	print_message ("%lu items in %u nodes\n", (unsigned long) items_sent, left);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static MonoLockFreeAllocSizeClass item_class;
static MonoLockFreeAllocator item_heap;
static _Atomic (int) balance, handled;

static void
send_one (void)
{
	item *one = take (&spare);

	if (!one) {
		one = mono_lock_free_alloc (&item_heap);
		CHECK (one);
		mono_lock_free_queue_node_init (&one->node, 1);
		mono_lock_free_queue_node_unpoison (&one->node);
	}
	put (&work, one);
	balance++;
}

static void
receive_one (void)
{
	item *one = take (&work);

	if (one) {
		balance--;
		put (&spare, one);
	}
}

static void
send_two_and_receive_one (int number)
{
	int saved = errno;

	errno = 4711;
	send_one ();
	send_one ();
	receive_one ();
	handled++;
	CHECK (errno == 4711);
	errno = saved;
}

static void *
interrupt (void *thread)
{
	for (int i = 0; i < SIGNALS; i++) {
		CHECK (!pthread_kill (*(pthread_t *) thread, SIGUSR1));
		while (handled == i)
			sched_yield ();
	}
	return NULL;
}

static void
a_handler_may_interrupt_both_ends (void **state)
{
	struct sigaction action = { .sa_handler = send_two_and_receive_one, .sa_flags = SA_RESTART };
	pthread_t self = pthread_self (), other;

	mono_lock_free_allocator_init_size_class (&item_class, sizeof (item), 4096);
	mono_lock_free_allocator_init_allocator (&item_heap, &item_class, 0);
	assert_int_equal (sigaction (SIGUSR1, &action, NULL), 0);
	assert_int_equal (pthread_create (&other, NULL, interrupt, &self), 0);
	while (handled < SIGNALS) {
		send_one ();
		receive_one ();
		receive_one ();
	}
	pthread_join (other, NULL);
	while (balance > 0)
		receive_one ();
	assert_null (take (&work));
	assert_int_equal (balance, 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (what_comes_first_goes_first, setup),
		cmocka_unit_test_setup (a_node_is_enqueued_again_as_soon_as_it_was_taken, setup),
		cmocka_unit_test_setup (a_poisoned_node_is_enqueued_when_it_is_ready, setup),
		cmocka_unit_test_setup (who_takes_while_another_does_gets_nothing, setup),
		cmocka_unit_test_setup (each_producer_is_received_whole_and_in_order, setup),
		cmocka_unit_test_setup (a_handler_may_interrupt_both_ends, setup),
	};
	return cmocka_run_group_tests_name ("internals: queue", tests, NULL, NULL);
}

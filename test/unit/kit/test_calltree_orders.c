/*
 * SPDX-License-Identifier: MIT
 *
 * test_calltree_orders.c - calls that signal handlers make in the middle of others, threads that begin and end, and
 * trees that are closed beside them: in every order.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "orders.h"
#include "tree.h"

#include <cmocka.h>

#define enter(method) monocle_kit_calls_enter (spool, (void *) (method))
#define leave(method) monocle_kit_calls_leave (spool, (void *) (method))

static char a[] = "a", b[] = "b", c[] = "c";
static monocle_kit_spool *spool;
static _Atomic (unsigned) handled;
static atomic_bool has_called;

static void
open_tree (void)
{
	atomic_store (&handled, 0);
	spool = tree_open (true, false, 0);
	CHECK (spool);
}

static void
open_tree_by_thread (void)
{
	atomic_store (&handled, 0);
	spool = tree_open (true, true, 0);
	CHECK (spool);
}

static void
close_tree (void)
{
	CHECK (monocle_kit_spool_close (spool) == 0);
	monocle_kit_spool_free (spool);
	unlink (tree_file ("p.pb.gz"));
}

static void
call_a (void)
{
	enter (a);
	leave (a);
}

static void
call_b (void)
{
	enter (b);
	leave (b);
}

static void
call_c (void)
{
	atomic_fetch_add (&handled, 1);
	enter (c);
	leave (c);
}

static void
call_a_and_end (void)
{
	call_a ();
	monocle_kit_calls_thread_end (spool);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

/* A handler's call is counted below what it interrupts, or lost and counted as such; it disturbs nothing. */
static void
count_thread (struct monocle__call_thread *thread, void *data)
{
	++*(unsigned *) data;
}

static void
a_is_whole_and_c_is_accounted_for (void)
{
	uint64_t counted = tree_calls (spool, "c") + tree_calls (spool, "a;c");
	CHECK (tree_calls (spool, "a") == 1);
	CHECK (counted + tree_loss (spool, MONOCLE__LOSS_NESTED) == atomic_load (&handled));
	CHECK (tree_loss (spool, MONOCLE__LOSS_UNBALANCED) + tree_loss (spool, MONOCLE__LOSS_UNMATCHED) == 0);
	unsigned threads = 0;
	monocle__call_thread_each (count_thread, &threads);
	CHECK (threads == 1 && spool->thread_count == 1); /* no part of the tree belongs to no thread */
}

static void
a_handler_may_interrupt_the_birth_the_calls_and_the_end_of_a_thread (void **state)
{
	orders_run (&(orders) {
	    .name = "handler_in_calls",
	    .prepare = open_tree,
	    .check = a_is_whole_and_c_is_accounted_for,
	    .clean_up = close_tree,
	    .threads = { { "thread", call_a_and_end }, { "handler", call_c, .signal = SIGUSR1, .interrupts = "thread" } },
	    .meets = "calltree_not_ready calltree_event_begins calltree_busy calltree_event_ends call_thread_unborn "
	             "call_thread_being_born "
	             "call_thread_made call_thread_ends call_thread_pool_held call_thread_given",
	});
}

static void
name_another (void)
{
	monocle_kit_calls_thread_name (spool, 1, "another");
}

static void
only_c (void)
{
	CHECK (tree_calls (spool, "Thread 1:c") + tree_loss (spool, MONOCLE__LOSS_NESTED) == atomic_load (&handled));
}

static void
a_handler_may_interrupt_a_thread_that_names_another (void **state)
{
	orders_run (&(orders) {
	    .name = "handler_in_naming",
	    .prepare = open_tree_by_thread,
	    .check = only_c,
	    .clean_up = close_tree,
	    .threads = { { "thread", name_another }, { "handler", call_c, .signal = SIGUSR1, .interrupts = "thread" } },
	    .meets = "call_thread_pool_held",
	});
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void
each_is_counted_once (void)
{
	CHECK (tree_calls (spool, "a") == 1);
	CHECK (tree_calls (spool, "b") == 1);
}

/* What the one gives back the other may take, whole. */
static void
a_thread_begins_while_another_one_ends (void **state)
{
	orders_run (&(orders) {
	    .name = "begin_against_end",
	    .prepare = open_tree,
	    .check = each_is_counted_once,
	    .clean_up = close_tree,
	    .threads = { { "ends", call_a_and_end }, { "begins", call_b } },
	    .switches = 2,
	    .meets = "call_thread_pool_held lock",
	});
}

/* Another profile is opened in the process, and this one is read. */
static void
open_and_read (void)
{
	monocle_kit_clock_init ();
	MONOCLE__PAUSE (another_is_open);
	CHECK (tree_calls (spool, "a") <= 1);
}

static void
a_is_counted_once (void)
{
	CHECK (tree_calls (spool, "a") == 1);
}

/* Which clock it is is told once; ThreadSanitizer says so when the answer is written again. */
static void
the_clock_stays_while_threads_begin (void **state)
{
	orders_run (&(orders) {
	    .name = "begin_against_clock",
	    .prepare = open_tree,
	    .check = a_is_counted_once,
	    .clean_up = close_tree,
	    .threads = { { "begins", call_a }, { "opens", open_and_read } },
	    .switches = 1,
	    .meets = "another_is_open call_thread_being_born call_thread_made",
	});
}

static void
call_and_end_later (void)
{
	call_a ();
	atomic_store (&has_called, true);
}

static void
close_after_the_calls (void)
{
	while (!atomic_load (&has_called))
		MONOCLE__PAUSE_WAITS (tree_in_use);
	close_tree ();
}

static void
open_unused_tree (void)
{
	atomic_store (&has_called, false);
	open_tree ();
}

static void
remove_profile (void)
{
	unlink (tree_file ("p.pb.gz"));
}

/* Its destructor is the toolkit's own: no module can keep it away from a tree that is closed meanwhile. */
static void
a_thread_ends_while_its_tree_goes (void **state)
{
	orders_run (&(orders) {
	    .name = "end_against_free",
	    .prepare = open_unused_tree,
	    .clean_up = remove_profile,
	    .threads = { { "thread", call_and_end_later }, { "closes", close_after_the_calls } },
	    .switches = 2,
	    .meets = "call_thread_ends",
	});
}

#define tree_test(test) cmocka_unit_test_setup_teardown (test, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		tree_test (a_handler_may_interrupt_the_birth_the_calls_and_the_end_of_a_thread),
		tree_test (a_handler_may_interrupt_a_thread_that_names_another),
		tree_test (a_thread_begins_while_another_one_ends),
		tree_test (the_clock_stays_while_threads_begin),
		tree_test (a_thread_ends_while_its_tree_goes),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

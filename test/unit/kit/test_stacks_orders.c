/*
 * SPDX-License-Identifier: MIT
 *
 * test_stacks_orders.c - threads that put stacks, the drain thread and who asks it, in every order of their steps. The
 * drain thread's periods end only where a test says so: what has to be counted before that is counted by a wake-up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "orders.h"
#include "tree.h"

#include <cmocka.h>

static char frame_f[] = "f", frame_g[] = "g";
static monocle_kit_stacks *stacks;

static void
open_with (bool threads)
{
	monocle_kit_stacks_config config = {
		.size = sizeof config,
		.module = "orders",
		.output = tree_file ("p.pb.gz"),
		.desc = "orders",
		.values = { { "samples", "count" } },
		.name = tree_name,
		.threads = threads,
		.buffer = 1, /* The least there is. */
	};
	stacks = monocle_kit_stacks_open (&config);
	CHECK (stacks);
}

static void
open_stacks (void)
{
	open_with (false);
}

static void
open_stacks_by_thread (void)
{
	open_with (true);
}

static void
close_stacks (void)
{
	CHECK (monocle_kit_stacks_close (stacks) == 0);
	monocle_kit_stacks_free (stacks);
	unlink (tree_file ("p.pb.gz"));
}

static uint64_t
counted (const char *path)
{
	return tree_calls ((monocle_kit_spool *) stacks, path);
}

static void
put (char *method)
{
	const uint64_t values[2] = { 1, 0 };
	CHECK (monocle_kit_stacks_add (stacks, &(monocle_kit_frame) { method, 0 }, 1, 1, values));
}

static void
put_f (void)
{
	put (frame_f);
}

static void
f_is_counted (void)
{
	CHECK (counted ("f") == 1);
}

/* The period ends at any moment; what comes after that, or in the middle of it, has to wake the drain thread. */
static void
a_stack_that_is_put_while_the_drain_thread_looks_wakes_it (void **state)
{
	orders_run (&(orders) {
	    .name = "put_against_a_look",
	    .prepare = open_stacks,
	    .check = f_is_counted,
	    .clean_up = close_stacks,
	    .threads = { { "put", put_f }, { "drain", .adopts = "stacks_drain_begins", .timeouts = 1 } },
	    .meets = "stack_ring_head_moved stacks_put stacks_quiet_seen stacks_drain_awake stacks_drain_looked "
	             "stacks_quiet_told",
	});
}

static void
sync_and_look (void)
{
	put (frame_g);
	CHECK (monocle_kit_stacks_sync (stacks, 20000));
	CHECK (counted ("g") == 1);
}

/* The period never ends here: the request wakes the drain thread, also where it is about to sleep. */
static void
what_was_put_before_a_sync_is_counted_when_that_returns (void **state)
{
	orders_run (&(orders) {
	    .name = "sync_against_a_put",
	    .prepare = open_stacks,
	    .clean_up = close_stacks,
	    .threads = { { "sync", sync_and_look }, { "drain", .adopts = "stacks_drain_begins" } },
	    .meets = "stacks_put sleep stacks_drain_awake stacks_drain_looked",
	});
}

static void
put_a_thread (void)
{
	put (frame_f);
	monocle_kit_stacks_thread_name (stacks, 1, "name");
	monocle_kit_stacks_thread_end (stacks, 1);
}

static void
read_threads (void)
{
	CHECK (counted ("name:f") + counted ("Thread 1:f") <= 1);
	MONOCLE__PAUSE (spool_read_once);
	CHECK (counted ("name:f") + counted ("Thread 1:f") <= 1);
}

/* Each word of it is whole; ThreadSanitizer says so when one is not. */
static void
records_of_threads_are_read_while_they_are_made (void **state)
{
	orders_run (&(orders) {
	    .name = "read_against_threads",
	    .prepare = open_stacks_by_thread,
	    .clean_up = close_stacks,
	    .threads = { { "put", put_a_thread }, { "read", read_threads }, { "drain", .adopts = "stacks_drain_begins" } },
	    .meets = "spool_read_once stacks_drain_awake",
	    .switches = 1,
	});
}

#define tree_test(test) cmocka_unit_test_setup_teardown (test, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		tree_test (a_stack_that_is_put_while_the_drain_thread_looks_wakes_it),
		tree_test (what_was_put_before_a_sync_is_counted_when_that_returns),
		tree_test (records_of_threads_are_read_while_they_are_made),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

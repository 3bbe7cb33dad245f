/*
 * SPDX-License-Identifier: MIT
 *
 * test_path_room.c - call paths that find no room: what is counted where, what stays exact, and what the profile says.
 *
 * A program of many paths is a walk: a number says which of some methods calls which, so that nearly every walk is a
 * path of its own.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "given-time.h"
#include "tree.h"

#include <cmocka.h>

#define enter(method) monocle_kit_calls_enter (spool, (void *) (method))
#define leave(method) monocle_kit_calls_leave (spool, (void *) (method))

#define MIB (UINT64_C (1) << 20)

enum { METHODS = 8, DEPTH = 12, WALKS = 4000 };

static char names[METHODS][4];
static uint64_t made[METHODS]; /* calls, by method */

static int
setup (void **state)
{
	given_time_begin ();
	monocle__clock_is_given = true;
	for (int i = 0; i < METHODS; i++)
		snprintf (names[i], sizeof names[i], "m%d", i);
	memset (made, 0, sizeof made);
	return tree_setup (state);
}

static int
teardown (void **state)
{
	int result = tree_teardown (state);
	given_time_end ();
	return result;
}

static monocle_kit_spool *
open_room (uint64_t paths, bool times, uint32_t max_depth)
{
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "calls",
		.output = tree_file ("p.pb.gz"),
		.desc = "calls:test",
		.name_method = tree_name,
		.times = times,
		.max_depth = max_depth,
		.paths = paths,
	};
	return monocle_kit_spool_open (&config);
}

/* One path after the other; each method runs for a millisecond before it calls. */
static void
walk (monocle_kit_spool *spool, uint32_t seed, bool times)
{
	int open[DEPTH];
	for (int i = 0; i < DEPTH; i++) {
		seed = seed * 1664525u + 1013904223u;
		open[i] = (int) (seed >> 24) % METHODS;
		enter (names[open[i]]);
		made[open[i]]++;
		if (times)
			given_time_pass (1000000);
	}
	for (int i = DEPTH; i--;)
		leave (names[open[i]]);
}

static void
walk_all (monocle_kit_spool *spool, bool times)
{
	for (uint32_t i = 0; i < WALKS; i++)
		walk (spool, i * 2654435761u, times);
}

struct sums {
	uint64_t calls[METHODS], self[METHODS]; /* by method */
	uint64_t folded, other_calls;
	uint32_t paths;
	double rate;
};

static struct sums
sum_up (monocle_kit_spool *spool)
{
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	struct sums sums = { .paths = 0 };
	const char *error;
	monocle__spool_pair (spool, true);
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	for (uint32_t i = 0; i < paths.path_count; i++) {
		const struct monocle__path *path = &paths.paths[i];
		const struct monocle__function *function = &paths.functions[path->function];
		int method = function->name[0] == 'm' ? function->name[1] - '0' : -1;
		if (method >= 0) {
			sums.calls[method] += path->calls;
			sums.self[method] += path->self;
		} else {
			sums.other_calls += path->calls + path->self;
		}
	}
	sums.folded = paths.folded[0];
	sums.paths = paths.path_count;
	sums.rate = view.rate;
	monocle__call_paths_done (&paths);
	return sums;
}

static void
assert_exact (monocle_kit_spool *spool, bool times)
{
	struct sums sums = sum_up (spool);
	for (int i = 0; i < METHODS; i++) {
		assert_int_equal (sums.calls[i], made[i]);
		if (times)
			assert_int_equal ((uint64_t) ((double) sums.self[i] * sums.rate + 0.5), made[i] * 1000000);
	}
	assert_int_equal (sums.other_calls, 0);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_SPACE), 0);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNBALANCED), 0);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNMATCHED), 0);
}

/* --- folds -------------------------------------------------------------------------------------------------------- */

static void
with_room_for_all_nothing_is_folded (void **state)
{
	monocle_kit_spool *spool = open_room (64 * MIB, false, 0);
	walk_all (spool, false);
	struct sums sums = sum_up (spool);
	assert_int_equal (sums.folded, 0);
	assert_true (sums.paths > WALKS);
	assert_exact (spool, false);
}

static void
each_method_is_counted_exactly_in_any_room (void **state)
{
	static const uint64_t rooms[] = { 1, 10000, 65536, 300000, MIB };
	uint32_t before = 0;
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		monocle_kit_spool *spool = open_room (rooms[i], false, 0);
		memset (made, 0, sizeof made);
		walk_all (spool, false);
		struct sums sums = sum_up (spool);
		assert_true (sums.folded > 0);
		assert_true (sums.paths > before);
		before = sums.paths;
		assert_exact (spool, false);
		monocle__spool_open_reset ();
	}
}

static void
each_methods_own_time_is_exact_too (void **state)
{
	monocle_kit_spool *spool = open_room (100000, true, 0);
	walk_all (spool, true);
	assert_true (sum_up (spool).folded > 0);
	assert_exact (spool, true);
}

static void
calls_below_calldepth_are_exact_too (void **state)
{
	monocle_kit_spool *spool = open_room (50000, true, 4);
	walk_all (spool, true);
	assert_true (sum_up (spool).folded > 0);
	assert_exact (spool, true);
}

static void
paths_take_no_more_than_their_room (void **state)
{
	monocle_kit_spool *spool = open_room (MIB, false, 0);
	walk_all (spool, false);
	uint32_t first = sum_up (spool).paths, extents = spool->header->extent_count;
	assert_true (first * sizeof (struct monocle__node) < MIB / 4);
	for (uint32_t i = 0; i < 4 * WALKS; i++)
		walk (spool, i * 747796405u + 1, false);
	struct sums sums = sum_up (spool);
	assert_true (sums.paths - first < METHODS + 2);
	assert_int_equal (spool->header->extent_count, extents);
	assert_exact (spool, false);
}

/* With calldepth=0. Its stacks have eight million frames together. */
static void
a_deep_recursion_has_room_by_default (void **state)
{
	monocle_kit_spool *spool = open_room (0, false, 0);
	for (int i = 0; i < MONOCLE_KIT_MAX_DEPTH + 100; i++)
		enter (names[0]);
	for (int i = 0; i < MONOCLE_KIT_MAX_DEPTH + 100; i++)
		leave (names[0]);
	walk_all (spool, false);
	assert_int_equal (sum_up (spool).folded, 0);
}

/* Until there is no room left "a" is called from "main"; then "b" is folded into its caller, and what it calls too. */
static void
the_nearest_caller_with_a_path_has_the_fold (void **state)
{
	static char main_[] = "main", a[] = "a", b[] = "b", c[] = "c", leaf[] = "leaf";
	monocle_kit_spool *spool = open_room (65536, false, 0);
	enter (main_), enter (a), leave (a), leave (main_);
	for (uint32_t i = 0; !__atomic_load_n (&spool->paths.is_full, __ATOMIC_RELAXED); i++)
		walk (spool, i * 2654435761u, false);
	enter (main_), enter (a);
	enter (b), enter (c), leave (c), leave (b);
	enter (leaf), leave (leaf);
	leave (a);
	enter (a), enter (b), leave (b), leave (a);
	leave (main_);
	assert_int_equal (tree_calls (spool, "main"), 2);
	assert_int_equal (tree_calls (spool, "main;a"), 3);
	assert_int_equal (tree_calls (spool, "main;a;[other paths];b"), 2);
	assert_int_equal (tree_calls (spool, "main;a;[other paths];c"), 1);
	assert_int_equal (tree_calls (spool, "main;a;[other paths];leaf"), 1);
	assert_int_equal (tree_calls (spool, "main;a;b"), 0);
}

static void
a_recursion_in_a_fold_may_be_as_deep_as_any (void **state)
{
	enum { DEEP = 5 << 20 }; /* more than a thread's stack of calls has */
	monocle_kit_spool *spool = open_room (1, false, 0);
	walk_all (spool, false);
	for (int i = 0; i < DEEP; i++)
		enter (names[0]);
	for (int i = 0; i < DEEP; i++)
		leave (names[0]);
	made[0] += DEEP;
	enter (names[1]), leave (names[1]);
	made[1]++;
	assert_exact (spool, false);
}

static void *
walk_on_a_thread (void *data)
{
	monocle_kit_spool *spool = data;
	for (uint32_t i = 0; i < WALKS; i++)
		walk (spool, i * 2246822519u, false);
	return NULL;
}

/* One after the other, and each with a tree of its own, as the first one's thread goes on. */
static void
the_room_is_that_of_all_threads (void **state)
{
	enum { THREADS = 4 };
	monocle_kit_spool *spool = open_room (2 * MIB, false, 0);
	walk_all (spool, false);
	uint32_t first = sum_up (spool).paths;
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		assert_int_equal (pthread_create (&thread, NULL, walk_on_a_thread, spool), 0);
		pthread_join (thread, NULL);
	}
	assert_true (sum_up (spool).paths < first + 1000);
	assert_true (__atomic_load_n (&spool->paths.used, __ATOMIC_RELAXED) < 2 * MIB + 100000);
	assert_exact (spool, false);
}

/* --- what is said ------------------------------------------------------------------------------------------------- */

/* Is the text in the profile that close has written? */
static bool
profile_says (const char *text)
{
	static char bytes[4 << 20];
	gzFile file = gzopen (tree_file ("p.pb.gz"), "r");
	assert_non_null (file);
	int length = gzread (file, bytes, sizeof bytes);
	gzclose (file);
	assert_true (length > 0);
	return memmem (bytes, (size_t) length, text, strlen (text)) != NULL;
}

static void
the_profile_says_how_many_calls_were_folded_and_why (void **state)
{
	char text[256];
	monocle_kit_spool *spool = open_room (128 << 10, false, 0);
	walk_all (spool, false);
	snprintf (text, sizeof text,
	          "folded: %llu calls are shown in [other paths]: call paths had 128 KiB of room (option paths)",
	          (unsigned long long) sum_up (spool).folded);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_true (profile_says (text));
}

static void
a_profile_without_folds_says_nothing_of_them (void **state)
{
	monocle_kit_spool *spool = open_room (0, false, 0);
	walk (spool, 1, false);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_false (profile_says ("folded"));
	assert_false (profile_says ("[other paths]"));
}

/* --- how much there is -------------------------------------------------------------------------------------------- */

static void
put_limit (const char *text)
{
	char command[512];
	snprintf (command, sizeof command,
	          "cd %s && mkdir -p proc/self sys/fs/cgroup/g && echo 0::/g > proc/self/cgroup && "
	          "echo %s > sys/fs/cgroup/g/memory.max",
	          tree_folder, text);
	assert_int_equal (system (command), 0);
}

static void
where_there_is_little_memory_there_is_less_room (void **state)
{
	struct monocle__path_room room;
	char text[200];
	put_limit ("314572800");
	monocle__path_room_init (&room, 0, tree_folder);
	assert_int_equal (room.limit, 314572800 / 8);
	monocle__path_room_reason (&room, text, sizeof text);
	assert_string_equal (text, "call paths had 38400 KiB of room, an eighth of the control group's memory limit "
	                           "(option paths)");
	put_limit ("1000000");
	monocle__path_room_init (&room, 0, tree_folder);
	assert_int_equal (room.limit, MIB);
	put_limit ("8589934592");
	monocle__path_room_init (&room, 0, tree_folder);
	assert_int_equal (room.limit, MONOCLE_KIT_PATHS);
	monocle__path_room_reason (&room, text, sizeof text);
	assert_string_equal (text, "call paths had 64 MiB of room (option paths)");
}

static void
what_is_asked_for_is_given_but_for_what_the_file_holds (void **state)
{
	struct monocle__path_room room;
	put_limit ("314572800");
	monocle__path_room_init (&room, 200 * MIB, tree_folder);
	assert_int_equal (room.limit, 200 * MIB);
	monocle__path_room_fit (&room, 64 * MIB);
	assert_int_equal (room.limit, 200 * MIB);
	monocle__path_room_fit (&room, 4 * MIB);
	assert_int_equal (room.limit, 16 * MIB);
}

int
main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST (with_room_for_all_nothing_is_folded),
		TEST (each_method_is_counted_exactly_in_any_room),
		TEST (each_methods_own_time_is_exact_too),
		TEST (calls_below_calldepth_are_exact_too),
		TEST (paths_take_no_more_than_their_room),
		TEST (a_deep_recursion_has_room_by_default),
		TEST (the_nearest_caller_with_a_path_has_the_fold),
		TEST (a_recursion_in_a_fold_may_be_as_deep_as_any),
		TEST (the_room_is_that_of_all_threads),
		TEST (the_profile_says_how_many_calls_were_folded_and_why),
		TEST (a_profile_without_folds_says_nothing_of_them),
		TEST (where_there_is_little_memory_there_is_less_room),
		TEST (what_is_asked_for_is_given_but_for_what_the_file_holds),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

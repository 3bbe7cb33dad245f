/*
 * SPDX-License-Identifier: MIT
 *
 * test_slow.c - calls that took longer than the threshold: which are listed, and what is said of them.
 *
 * How long a call took is given: its start is moved back before it ends.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "given-time.h"
#include "slow.h"
#include "tree.h"

#include <cmocka.h>

#define enter(method) monocle_kit_calls_enter_watched (spool, (void *) (method))
#define leave(method) monocle_kit_calls_leave_watched (spool, (void *) (method), MONOCLE_KIT_RETURNED, NULL)

#define MINUTE UINT64_C (60000000000)

static bool hanging;
static int hang_until[2]; /* the other end is closed */
static char main_[] = "main", a[] = "a", b[] = "b", c[] = "c", hidden[] = "@test.exe";

static void
describe (const monocle_kit_slow_call *call, char *arguments, char *result)
{
	snprintf (arguments, MONOCLE_KIT_ARGUMENTS_SIZE, "(%.*s)", (int) call->kept_size, (const char *) call->kept);
	snprintf (result, MONOCLE_KIT_RESULT_SIZE, "%s", call->context ? (const char *) call->context : "");
}

static monocle_kit_spool *
open_with (uint32_t limit, monocle_kit_describe_call description, uint32_t max_depth)
{
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "calls",
		.output = tree_file ("p.pb.gz"),
		.desc = "calls:threshold=1m",
		.name_method = tree_name,
		.times = true,
		.max_depth = max_depth,
		.threshold = MINUTE,
		.slow_calls = limit,
		.describe = description,
	};
	monocle_kit_spool *spool = monocle_kit_spool_open (&config);
	given_time_pass (MINUTE);
	return spool;
}

static int
setup (void **state)
{
	given_time_begin ();
	monocle__clock_is_given = true;
	return tree_setup (state);
}

/* The innermost open call began so many minutes earlier. */
static void
age (double minutes)
{
	struct monocle__call_thread *thread = monocle__call_thread_self ();
	thread->starts->starts[thread->top - thread->stack - 1] -= (uint64_t) (minutes * (double) MINUTE);
}

/* "a 5 1 (x) y|" for each: method, whole minutes, end, arguments, result. To be freed. */
static char *
listed (monocle_kit_spool *spool, const void *base, size_t size)
{
	struct monocle__spool_view view;
	struct monocle__slow_calls slow;
	const char *error;
	char *text = calloc (1, 4096);
	size_t at = 0;
	if (spool)
		monocle__spool_pair (spool, true);
	assert_int_equal (monocle__spool_view_init (&view, base, size, &error), 0);
	assert_int_equal (monocle__slow_calls_init (&slow, &view), 0);
	for (uint32_t i = 0; i < slow.count; i++) {
		const struct monocle__slow_call *call = &slow.calls[i];
		const char *method = (const char *) (uintptr_t) monocle__spool_view_node (&view, call->node)->key;
		double minutes = (double) monocle__spool_view_ns (&view, call->length) / (double) MINUTE;
		at +=
		    (size_t) snprintf (text + at, 4096 - at, "%s %.0f %d %.*s %.*s|", method, minutes, (int) call->end,
		                       (int) call->arguments_length, call->arguments, (int) call->result_length, call->result);
	}
	monocle__slow_calls_done (&slow);
	return text;
}

#define assert_listed(wanted) \
	do { \
		char *found = listed (spool, spool->header, spool->allocated); \
		assert_string_equal (found, wanted); \
		free (found); \
	} while (0)

static void
calls_that_are_fast_are_not_listed (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	enter (main_);
	for (int i = 0; i < 1000; i++)
		enter (a), leave (a);
	enter (a), age (0.9), leave (a);
	leave (main_);
	assert_listed ("");
	assert_int_equal (spool->header->slow_count, 0);
	assert_int_equal (tree_calls (spool, "main;a"), 1001);
}

static void
slow_calls_are_listed_the_longest_first (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	enter (main_);
	enter (a), enter (b), age (3), leave (b), leave (a);
	enter (a), age (7), leave (a);
	age (2), leave (main_);
	assert_listed ("a 7 0  |b 3 0  |main 2 0  |");
	assert_int_equal (spool->header->slow_count, 3);
}

static void
the_longest_keep_their_places (void **state)
{
	monocle_kit_spool *spool = open_with (3, NULL, 0);
	static const int minutes[] = { 5, 2, 9, 3, 8, 4, 2, 7, 6 };
	for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++)
		enter (a), age (minutes[i]), leave (a);
	assert_listed ("a 9 0  |a 8 0  |a 7 0  |");
	assert_int_equal (spool->header->slow_count, 9);
}

static void
more_calls_than_an_extent_holds_are_listed (void **state)
{
	monocle_kit_spool *spool = open_with (2000, NULL, 0);
	struct monocle__spool_view view;
	struct monocle__slow_calls slow;
	const char *error;
	for (int i = 0; i < 2500; i++)
		enter (a), age (2 + i % 7), leave (a);
	monocle__spool_pair (spool, true);
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__slow_calls_init (&slow, &view), 0);
	assert_int_equal (slow.count, 2000);
	for (uint32_t i = 0; i < slow.count; i++)
		assert_true (slow.calls[i].tid == (uint32_t) gettid ());
	monocle__slow_calls_done (&slow);
}

static void
how_a_call_ended_is_said (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	enter (main_), age (2);
	enter (a), age (9), monocle_kit_calls_leave_watched (spool, a, MONOCLE_KIT_THREW, NULL);
	enter (a), age (8), monocle_kit_calls_leave_watched (spool, a, MONOCLE_KIT_TAIL_CALLED, NULL);
	enter (a), age (6), enter (b), age (5), leave (a); /* b left without telling */
	assert_listed ("a 9 1  |a 8 2  |a 6 0  |b 5 3  |main 2 4  |");
	leave (main_);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNBALANCED), 1);
}

static void
keep (monocle_kit_spool *spool, const char *text)
{
	char *to = monocle_kit_calls_keep (spool, 100);
	assert_non_null (to);
	memcpy (to, text, strlen (text));
	monocle_kit_calls_kept (spool, strlen (text));
}

static void
what_was_kept_describes_a_call (void **state)
{
	monocle_kit_spool *spool = open_with (0, describe, 0);
	char result[] = "result";
	enter (main_);
	keep (spool, "outer");
	enter (a);
	keep (spool, "inner");
	enter (b), age (4), leave (b); /* keeps nothing */
	enter (b);
	assert_non_null (monocle_kit_calls_keep (spool, 3 << 20));
	enter (b);
	assert_null (monocle_kit_calls_keep (spool, 3 << 20)); /* no room */
	leave (b), leave (b);
	age (3), monocle_kit_calls_leave_watched (spool, a, MONOCLE_KIT_RETURNED, result);
	enter (a);
	keep (spool, "again");
	leave (a);
	age (2), leave (main_);
	assert_listed ("b 4 0 () |a 3 0 (inner) result|main 2 0 (outer) |");
	assert_null (monocle_kit_calls_keep (spool, 4)); /* no call is open */
}

static void *
one_slow_call (void *data)
{
	monocle_kit_spool *spool = data;
	enter (a), age (2), leave (a);
	enter (b), age (3); /* its thread ends in it */
	return NULL;
}

static void
a_thread_that_ends_ends_its_calls (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		pthread_create (&thread, NULL, one_slow_call, spool);
		pthread_join (thread, NULL);
	}
	assert_listed ("b 3 4  |b 3 4  |a 2 0  |a 2 0  |");
}

static void
what_is_folded_is_listed_when_it_ends (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 2);
	enter (main_), enter (a), enter (a), enter (b), enter (b);
	age (2), leave (b);
	age (3), leave (b);
	enter (b), age (9);
	assert_listed ("b 3 0  |b 2 0  |"); /* open calls in a fold cannot be told apart */
	leave (b), leave (a), leave (a), leave (main_);
	assert_listed ("b 9 0  |b 3 0  |b 2 0  |");
}

static void
what_finds_no_room_is_listed_when_it_ends_too (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	enter (main_), age (5), enter (a), age (3);
	spool->paths.limit = 4; /* There is room for folds, and for nothing else. */
	spool->paths.used = 3;
	enter (b), age (9), enter (c), age (7);
	assert_listed ("main 5 4  |a 3 4  |");
	leave (c), leave (b);
	assert_listed ("b 9 0  |c 7 0  |main 5 4  |a 3 4  |");
	enter (c), age (8);
	monocle__slow_finish (spool);
	leave (c), leave (a), leave (main_);
	assert_listed ("b 9 0  |c 7 0  |main 5 4  |a 3 4  |");
}

static void
a_deep_recursion_is_counted (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	for (int i = 1; i < MONOCLE__WATCHED_LEVELS + 10; i++)
		enter (a);
	for (int i = 1; i < MONOCLE__WATCHED_LEVELS + 10; i++) {
		if (i == MONOCLE__WATCHED_LEVELS + 9)
			age (2);
		leave (a);
	}
	assert_listed ("a 2 0  |");
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNWATCHED), 10);
}

static void
the_profile_has_them_after_a_death (void **state)
{
	void *data;
	size_t length;
	const char *error;
	pid_t child = fork ();
	if (child == 0) {
		monocle_kit_spool *spool = open_with (0, describe, 0);
		enter (main_), age (4), enter (a), age (3), leave (a), enter (b), age (2);
		monocle__spool_pair (spool, true);
		kill (getpid (), SIGKILL);
	}
	assert_int_equal (waitpid (child, NULL, 0), child);
	char path[256];
	strcpy (path, tree_file ("p.pb.gz.spool"));
	assert_int_equal (monocle_kit_spool_read (path, &data, &length, &error), 0);
	assert_true (length > 0);
	free (data);
	FILE *file = fopen (path, "rb");
	_Alignas(64) static uint8_t bytes[1 << 20];
	size_t size = fread (bytes, 1, sizeof bytes, file);
	fclose (file);
	char *found = listed (NULL, bytes, size);
	assert_string_equal (found, "main 4 4  |a 3 0 () |b 2 4  |");
	free (found);
}

static void *
hang (void *data)
{
	monocle_kit_spool *spool = data;
	enter (a), keep (spool, "hung"), age (5);
	enter (b), age (0.5);
	__atomic_store_n (&hanging, true, __ATOMIC_RELEASE);
	char end;
	assert_int_equal (read (hang_until[0], &end, 1), 0);
	return NULL;
}

static void
calls_that_are_open_at_the_end_are_described (void **state)
{
	monocle_kit_spool *spool = open_with (0, describe, 0);
	pthread_t thread;
	assert_int_equal (pipe (hang_until), 0);
	enter (main_), keep (spool, "mine"), age (3);
	pthread_create (&thread, NULL, hang, spool);
	while (!__atomic_load_n (&hanging, __ATOMIC_ACQUIRE))
		sched_yield ();
	monocle__slow_finish (spool);
	assert_listed ("a 5 4 (hung) |main 3 4 (mine) |");
	leave (main_); /* too late */
	assert_listed ("a 5 4 (hung) |main 3 4 (mine) |");
	close (hang_until[1]);
	pthread_join (thread, NULL);
	close (hang_until[0]);
}

static void
names_that_are_hidden_are_left_out (void **state)
{
	monocle_kit_spool *spool = open_with (0, NULL, 0);
	enter (main_), enter (hidden), age (3), leave (hidden), leave (main_);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
#define test(name) cmocka_unit_test_setup_teardown (name, setup, tree_teardown)
		test (calls_that_are_fast_are_not_listed),
		test (slow_calls_are_listed_the_longest_first),
		test (the_longest_keep_their_places),
		test (more_calls_than_an_extent_holds_are_listed),
		test (how_a_call_ended_is_said),
		test (what_was_kept_describes_a_call),
		test (a_thread_that_ends_ends_its_calls),
		test (what_is_folded_is_listed_when_it_ends),
		test (what_finds_no_room_is_listed_when_it_ends_too),
		test (a_deep_recursion_is_counted),
		test (the_profile_has_them_after_a_death),
		test (calls_that_are_open_at_the_end_are_described),
		test (names_that_are_hidden_are_left_out),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

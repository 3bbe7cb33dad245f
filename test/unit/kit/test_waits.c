/*
 * SPDX-License-Identifier: MIT
 *
 * test_waits.c - nothing is waited for that only time brings. No time passes here by itself: whoever needs a period to
 * end before it goes on stays there until the alarm ends the test. So a slow machine passes and a slow close fails.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "given-time.h"
#include "tree.h"

#include <cmocka.h>

enum { PATIENCE_S = 100 };

static char frame_f[] = "f";

static int
setup (void **state)
{
	alarm (PATIENCE_S);
	given_time_begin ();
	return tree_setup (state);
}

static const monocle_kit_frame frame = { frame_f, 0 };
static const uint64_t values[2] = { 1, 5 };

static monocle_kit_stacks *
open_stacks (void)
{
	monocle_kit_stacks_config config = {
		.size = sizeof config,
		.module = "waits",
		.output = tree_file ("stacks.pb.gz"),
		.desc = "waits",
		.values = { { "samples", "count" }, { "cpu", "nanoseconds" } },
		.name = tree_name,
	};
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	assert_non_null (stacks);
	return stacks;
}

static void
stacks_are_opened_filled_and_closed (void **state)
{
	monocle_kit_stacks *stacks = open_stacks ();
	assert_true (monocle_kit_stacks_add (stacks, &frame, 1, 1, values));
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
	assert_int_equal (given_time_naps (), 0);
	assert_int_equal (access (tree_file ("stacks.pb.gz"), R_OK), 0);
}

/* The profile begins with its spool. */
static void
a_stack_after_a_silence_is_counted_before_the_period_ends (void **state)
{
	monocle_kit_stacks *stacks = open_stacks ();
	assert_true (monocle_kit_stacks_add (stacks, &frame, 1, 1, values));
	while (tree_calls ((monocle_kit_spool *) stacks, "f") != 1)
		sched_yield ();
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
}

/* Lets the one thread that looks now and then look until it looks as seldom as this. */
static void
look_less_often (void)
{
	enum { PAUSE = 200000000 };
	for (uint64_t next; (next = given_time_await (1)) < PAUSE;)
		given_time_pass (next);
}

static void
idle_programs_are_looked_at_less_and_less_often (void **state)
{
	monocle_kit_stacks *stacks = open_stacks ();
	look_less_often ();
	assert_true (monocle_kit_stacks_add (stacks, &frame, 1, 1, values));
	while (tree_calls ((monocle_kit_spool *) stacks, "f") != 1)
		sched_yield ();
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
}

static void
a_line_after_a_silence_is_written_before_the_pause_ends (void **state)
{
	struct stat status = { 0 };
	monocle_kit_text_config config = {
		.size = sizeof config,
		.module = "waits",
		.output = tree_file ("lines.log"),
	};
	monocle_kit_text *text = monocle_kit_text_open (&config);
	assert_non_null (text);
	look_less_often ();
	assert_true (monocle_kit_text_line (text, monocle_kit_now (), "line", 4));
	while (stat (tree_file ("lines.log"), &status) || status.st_size != 5)
		sched_yield ();
	assert_int_equal (monocle_kit_text_close (text), 0);
}

static void
calls_are_opened_and_closed_while_the_heart_beats (void **state)
{
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "waits",
		.output = tree_file ("calls.pb.gz"),
		.desc = "waits",
		.name_method = tree_name,
		.times = true,
	};
	monocle_kit_spool *spool = monocle_kit_spool_open (&config);
	assert_non_null (spool);
	monocle_kit_calls_enter (spool, frame_f);
	monocle_kit_calls_leave (spool, frame_f);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_int_equal (given_time_naps (), 0);
}

static void
more_lines_than_fit_in_are_written_and_none_is_lost (void **state)
{
	enum { BUFFER = 1 << 17, LINE = 1 << 10 };
	static char line[LINE];
	monocle_kit_text_config config = {
		.size = sizeof config,
		.module = "waits",
		.output = tree_file ("lines.log"),
		.buffer = BUFFER,
	};
	monocle_kit_text *text = monocle_kit_text_open (&config);
	assert_non_null (text);
	memset (line, 'x', LINE);
	for (int burst = 0; burst < 10; burst++) {
		for (int i = 0; i < BUFFER / 2 / LINE; i++)
			assert_true (monocle_kit_text_line (text, monocle_kit_now (), line, LINE));
		assert_true (monocle_kit_text_sync (text, 1));
	}
	assert_int_equal (monocle_kit_text_close (text), 0);
	assert_int_equal (given_time_naps (), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown (stacks_are_opened_filled_and_closed, setup, tree_teardown),
		cmocka_unit_test_setup_teardown (a_stack_after_a_silence_is_counted_before_the_period_ends, setup,
		                                 tree_teardown),
		cmocka_unit_test_setup_teardown (idle_programs_are_looked_at_less_and_less_often, setup, tree_teardown),
		cmocka_unit_test_setup_teardown (a_line_after_a_silence_is_written_before_the_pause_ends, setup, tree_teardown),
		cmocka_unit_test_setup_teardown (calls_are_opened_and_closed_while_the_heart_beats, setup, tree_teardown),
		cmocka_unit_test_setup_teardown (more_lines_than_fit_in_are_written_and_none_is_lost, setup, tree_teardown),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

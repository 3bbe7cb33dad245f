/*
 * SPDX-License-Identifier: MIT
 *
 * test_failures.c - everything that allocates, with the n-th allocation failing, for each n until none is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complete.h"
#include "failing-memory.h"
#include "spool-pprof.h"
#include "tree.h"

#include <cmocka.h>

/* Calls `body` with the first, second, ... allocation failing; it returns true when it came through all the same. */
static void
fail_each (bool (*body) (void))
{
	long failures = 0;
	for (long nth = 1; nth < 10000; nth++) {
		failing_memory_allowed = nth - 1;
		bool good = body ();
		bool reached = failing_memory_allowed < 0;
		failing_memory_allowed = -1;
		if (!reached) {
			assert_true (good);
			assert_true (failures > 0);
			return;
		}
		failures += !good;
	}
	fail ();
}

static bool
parse_callspec (void)
{
	const char *error = NULL;
	monocle_kit_callspec *spec = monocle_kit_callspec_new ("-T:A.B/C,M:D:E,N:F,lib,T:A.*", &error);
	assert_true (spec || error);
	monocle_kit_callspec_free (spec);
	return spec != NULL;
}

static void
a_callspec_is_whole_or_an_error (void **state)
{
	fail_each (parse_callspec);
}

static monocle_kit_spool *pprof_spool;

static bool
write_pprof (void)
{
	struct monocle__spool_view view;
	const char *error;
	void *data = NULL;
	size_t length;
	assert_int_equal (monocle__spool_view_init (&view, pprof_spool->header, pprof_spool->allocated, &error), 0);
	int result = monocle__spool_pprof_write (&view, &data, &length);
	assert_true (result == 0 ? data != NULL : data == NULL);
	free (data);
	return result == 0;
}

static void
a_profile_is_whole_or_not_there (void **state)
{
	static char names[300][8];
	pprof_spool = tree_open (true, true, 0);
	monocle_kit_calls_thread_name (pprof_spool, (uintptr_t) pthread_self (), "one");
	for (int i = 0; i < 300; i++) {
		snprintf (names[i], sizeof names[i], "m%d", i);
		monocle_kit_calls_enter (pprof_spool, names[i]);
		monocle_kit_calls_leave (pprof_spool, names[i]);
	}
	fail_each (write_pprof);
}

static bool
judge_image (void)
{
	static char path[512];
	static int round;
	/* Answers are kept, so each round asks about a folder of its own. */
	long allowed = failing_memory_allowed;
	failing_memory_allowed = -1;
	round++;
	snprintf (path, sizeof path, "mkdir -p %s/%d && cp %s/app.deps.json %s/%d", tree_folder, round, tree_folder,
	          tree_folder, round);
	assert_int_equal (system (path), 0);
	snprintf (path, sizeof path, "%s/%d/Pack.dll", tree_folder, round);
	failing_memory_allowed = allowed;
	return !monocle_kit_image_is_own (path);
}

static void
an_image_is_judged_without_memory_too (void **state)
{
	FILE *file = fopen (tree_file ("app.deps.json"), "w");
	fputs ("{\"targets\":{\"n\":{\"P/1\":{\"runtime\":{\"lib/Pack.dll\":{}}},\"A/1\":{\"runtime\":{\"a.dll\":{}}}}},"
	       "\"libraries\":{\"P/1\":{\"type\":\"package\"},\"A/1\":{\"type\":\"project\"}}}",
	       file);
	fclose (file);
	fail_each (judge_image);
}

static const char *text;
static uint64_t number;

static bool
parse_options (void)
{
	static const monocle_kit_option rows[] = { { "text", MONOCLE_KIT_OPTION_STRING, &text, NULL, "" },
		                                       { "number", MONOCLE_KIT_OPTION_U64, &number, NULL, "" },
		                                       { NULL } };
	text = NULL;
	number = 0;
	int result = monocle_kit_options_parse ("test", "x:text=abc,number=5", rows);
	assert_true (result == 0 ? text && !strcmp (text, "abc") && number == 5 : !text && !number);
	free ((char *) text);
	return result == 0;
}

static void
options_are_all_read_or_none (void **state)
{
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	fail_each (parse_options);
	unsetenv ("MONOCLE_LOG");
}

#define tree_test(name) cmocka_unit_test_setup_teardown (name, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_callspec_is_whole_or_an_error),
		tree_test (a_profile_is_whole_or_not_there),
		tree_test (an_image_is_judged_without_memory_too),
		cmocka_unit_test (options_are_all_read_or_none),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

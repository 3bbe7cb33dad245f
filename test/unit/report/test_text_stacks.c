/*
 * SPDX-License-Identifier: MIT
 *
 * test_text_stacks.c - the stacks of a snapshot as text: which come first, which are printed as one, what is cut.
 */
#include "text-stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t
function (monocle__profile *profile, const char *name, const char *source)
{
	monocle__function added = {
		.name = name, .system_name = "", .filename = source ? "shop.dll" : "", .source = source
	};
	return (uint32_t) monocle__profile_add_function (profile, &added);
}

static void
sample (monocle__profile *profile, const char *thread, int64_t threads, const uint32_t *frames, size_t depth)
{
	monocle__label label = { .key = "thread", .text = thread, .unit = "" };
	assert_true (monocle__profile_add_sample (profile, frames, depth, &threads));
	assert_true (monocle__profile_add_label (profile, &label));
}

static void
place (monocle__profile *profile, int64_t line)
{
	monocle__place added = { .line = line };
	uint32_t places[] = { 0, monocle__profile_add_place (profile, &added) };
	assert_true (monocle__profile_set_places (profile, places, 2));
}

/* Three that wait for a lock in two lines, the finalizer, and one with nothing. */
static monocle__profile *
make_snapshot (const char *type)
{
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	assert_true (monocle__profile_add_value_type (profile, type, "count"));
	uint32_t enter = function (profile, "System.Threading.Monitor:Enter (object)", NULL);
	uint32_t take = function (profile, "Shop.Store:Take (int)", "/src/shop/Store.cs");
	uint32_t finalizer = function (profile, "[finalizer]", NULL);
	uint32_t waiting[] = { enter, take };
	sample (profile, ".NET Finalizer", 1, &finalizer, 1);
	sample (profile, "clerk 2", 1, waiting, 2);
	place (profile, 12);
	sample (profile, "clerk 1", 2, waiting, 2);
	place (profile, 12);
	sample (profile, "manager", 1, waiting, 2);
	place (profile, 40);
	sample (profile, "idle", 1, NULL, 0);
	sample (profile, "gone", 0, waiting, 2);
	return profile;
}

static void
assert_printed (monocle__report_options options, const char *expected)
{
	monocle__profile *profile = make_snapshot ("threads");
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream (&bytes, &size);
	options.title = "snapshot";
	assert_true (monocle__text_stacks_is_for (profile));
	assert_int_equal (monocle__text_stacks (out, profile, &options), 0);
	fclose (out);
	assert_string_equal (bytes, expected);
	free (bytes);
	monocle__profile_free (profile);
}

static void
equal_stacks_are_printed_once (void **state)
{
	assert_printed ((monocle__report_options) { .limit = 0 }, "snapshot\n"
	                                                          "6 threads\n"
	                                                          "\n"
	                                                          "3 threads: \"clerk 1\" (2), \"clerk 2\"\n"
	                                                          "    System.Threading.Monitor:Enter (object)\n"
	                                                          "    Shop.Store:Take (int)  Store.cs:12\n"
	                                                          "\n"
	                                                          "\"manager\"\n"
	                                                          "    System.Threading.Monitor:Enter (object)\n"
	                                                          "    Shop.Store:Take (int)  Store.cs:40\n"
	                                                          "\n"
	                                                          "\"idle\"\n"
	                                                          "    (no stack)\n"
	                                                          "\n"
	                                                          "\".NET Finalizer\"\n"
	                                                          "    [finalizer]\n");
}

static void
apart_each_name_has_its_own (void **state)
{
	assert_printed ((monocle__report_options) { .apart = true, .limit = 2 },
	                "snapshot\n"
	                "6 threads\n"
	                "\n"
	                "\"clerk 1\", 2 threads\n"
	                "    System.Threading.Monitor:Enter (object)\n"
	                "    Shop.Store:Take (int)  Store.cs:12\n"
	                "\n"
	                "\"clerk 2\"\n"
	                "    System.Threading.Monitor:Enter (object)\n"
	                "    Shop.Store:Take (int)  Store.cs:12\n"
	                "\n"
	                "(3 more threads)\n");
}

static void
names_are_cut_before_places (void **state)
{
	assert_printed ((monocle__report_options) { .apart = true, .limit = 1, .width = 30, .ellipsis = ".." },
	                "snapshot\n"
	                "6 threads\n"
	                "\n"
	                "\"clerk 1\", 2 threads\n"
	                "    Monitor:Enter (..)\n"
	                "    Shop.Store:Take (int)  Store.cs:12\n"
	                "\n"
	                "(4 more threads)\n");
}

static void
equal_stacks_in_other_states_are_others (void **state)
{
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	assert_true (monocle__profile_add_value_type (profile, "threads", "count"));
	uint32_t take = function (profile, "Shop.Store:Take (int)", "/src/shop/Store.cs");
	static const char *const states[] = { "running", "sleeping", "sleeping" };
	for (int i = 0; i < 3; i++) {
		monocle__label label = { .key = "state", .text = states[i], .unit = "" };
		sample (profile, i == 1 ? "clerk" : "manager", 1, &take, 1);
		assert_true (monocle__profile_add_label (profile, &label));
	}
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream (&bytes, &size);
	monocle__report_options options = { .title = "snapshot" };
	assert_int_equal (monocle__text_stacks (out, profile, &options), 0);
	fclose (out);
	assert_string_equal (bytes, "snapshot\n"
	                            "3 threads\n"
	                            "\n"
	                            "2 threads: \"clerk\", \"manager\", sleeping\n"
	                            "    Shop.Store:Take (int)\n"
	                            "\n"
	                            "\"manager\", running\n"
	                            "    Shop.Store:Take (int)\n");
	free (bytes);
	monocle__profile_free (profile);
}

/* With --mine samples differ in frames that are not shown. */
static void
a_name_is_printed_once_of_each_stack (void **state)
{
	static const char *const expected[] = { "3 threads: \"pool\"\n    Shop.Store:Take (int)\n",
		                                    "\"pool\", 3 threads\n    Shop.Store:Take (int)\n" };
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	assert_true (monocle__profile_add_value_type (profile, "threads", "count"));
	uint32_t take = function (profile, "Shop.Store:Take (int)", "/src/shop/Store.cs");
	sample (profile, "pool", 2, &take, 1);
	sample (profile, "pool", 1, &take, 1);
	for (int apart = 0; apart < 2; apart++) {
		char *bytes = NULL;
		size_t size;
		FILE *out = open_memstream (&bytes, &size);
		monocle__report_options options = { .title = "snapshot", .apart = apart };
		assert_int_equal (monocle__text_stacks (out, profile, &options), 0);
		fclose (out);
		assert_string_equal (strstr (bytes, "\n\n") + 2, expected[apart]);
		free (bytes);
	}
	monocle__profile_free (profile);
}

static void
async_chains_come_after_the_threads (void **state)
{
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	assert_true (monocle__profile_add_value_type (profile, "async", "count"));
	assert_true (monocle__profile_add_value_type (profile, "threads", "count"));
	uint32_t load = function (profile, "Shop.Store:Load (async)", "/src/shop/Store.cs");
	uint32_t serve = function (profile, "Shop.Api:Serve (async)", "/src/shop/Api.cs");
	uint32_t chain[] = { load, serve };
	int64_t values[][2] = { { 3, 0 }, { 0, 2 }, { 1, 0 } };
	for (int i = 0; i < 3; i++) {
		monocle__label label = { .key = "thread", .text = i == 1 ? "clerk" : "async", .unit = "" };
		assert_true (monocle__profile_add_sample (profile, chain + i / 2, i == 0 ? 2 : 1, values[i]));
		assert_true (monocle__profile_add_label (profile, &label));
	}
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream (&bytes, &size);
	monocle__report_options options = { .title = "snapshot" };
	assert_int_equal (monocle__text_stacks (out, profile, &options), 0);
	fclose (out);
	assert_string_equal (bytes, "snapshot\n"
	                            "2 threads, 4 async chains\n"
	                            "\n"
	                            "2 threads: \"clerk\"\n"
	                            "    Shop.Store:Load (async)\n"
	                            "\n"
	                            "3 async chains\n"
	                            "    Shop.Store:Load (async)\n"
	                            "    Shop.Api:Serve (async)\n"
	                            "\n"
	                            "1 async chain\n"
	                            "    Shop.Api:Serve (async)\n");
	free (bytes);
	monocle__profile_free (profile);
}

/* Here its own code has lines. What has none at all says so, if it was taken just now. */
static void
what_was_taken_just_now_says_how_long_that_took (void **state)
{
	assert_printed ((monocle__report_options) { .apart = true, .limit = 1, .took = 48000000 },
	                "snapshot, taken in 48.00 ms\n"
	                "6 threads\n"
	                "\n"
	                "\"clerk 1\", 2 threads\n"
	                "    System.Threading.Monitor:Enter (object)\n"
	                "    Shop.Store:Take (int)  Store.cs:12\n"
	                "\n"
	                "(4 more threads)\n");
}

static void
without_symbols_a_line_says_so (void **state)
{
	monocle__report_options options = { .title = "snapshot", .took = 1000000 };
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	assert_true (monocle__profile_add_value_type (profile, "threads", "count"));
	uint32_t take = function (profile, "Shop.Store:Take (int)", NULL);
	sample (profile, "clerk", 1, &take, 1);
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream (&bytes, &size);
	assert_int_equal (monocle__text_stacks (out, profile, &options), 0);
	fclose (out);
	assert_non_null (strstr (bytes, "# no source lines: "));
	free (bytes);
	monocle__profile_free (profile);
}

static void
other_profiles_are_no_snapshots (void **state)
{
	monocle__profile *profile = make_snapshot ("samples"), *empty = monocle__profile_new (SIZE_MAX);
	assert_false (monocle__text_stacks_is_for (profile));
	assert_false (monocle__text_stacks_is_for (empty));
	monocle__profile_free (profile);
	monocle__profile_free (empty);
}

static void
what_dynamic_methods_hide_is_said_where_it_was_taken_just_now (void **state)
{
	static const char head[] = "snapshot, taken in 1.000 ms\n"
	                           "# what a (wrapper dynamic-method) has inlined, handlers for example, has no frame of "
	                           "its own\n";
	for (int i = 0; i < 2; i++) {
		monocle__profile *profile = monocle__profile_new (SIZE_MAX);
		assert_true (monocle__profile_add_value_type (profile, "threads", "count"));
		uint32_t wrapper = function (profile, "(wrapper dynamic-method) object:lambda_method1 (Closure)", NULL);
		sample (profile, "clerk", 1, &wrapper, 1);
		char *bytes = NULL;
		size_t size;
		FILE *out = open_memstream (&bytes, &size);
		monocle__report_options options = { .title = "snapshot", .took = i ? 1000000 : 0 };
		assert_int_equal (monocle__text_stacks (out, profile, &options), 0);
		fclose (out);
		assert_int_equal (strncmp (bytes, head, sizeof head - 1) == 0, i == 1);
		free (bytes);
		monocle__profile_free (profile);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (equal_stacks_are_printed_once),
		cmocka_unit_test (apart_each_name_has_its_own),
		cmocka_unit_test (equal_stacks_in_other_states_are_others),
		cmocka_unit_test (a_name_is_printed_once_of_each_stack),
		cmocka_unit_test (async_chains_come_after_the_threads),
		cmocka_unit_test (names_are_cut_before_places),
		cmocka_unit_test (what_was_taken_just_now_says_how_long_that_took),
		cmocka_unit_test (what_dynamic_methods_hide_is_said_where_it_was_taken_just_now),
		cmocka_unit_test (without_symbols_a_line_says_so),
		cmocka_unit_test (other_profiles_are_no_snapshots),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

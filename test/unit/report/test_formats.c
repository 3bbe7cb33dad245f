/*
 * SPDX-License-Identifier: MIT
 *
 * test_formats.c - collapsed stacks and speedscope: what is read, what is refused and why, what is written.
 */
#include "format.h"
#include "threads.h"
#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static monocle__profile *
parse (const char *text)
{
	monocle__profile *profile = NULL;
	char error[256] = "";

	if (monocle__profile_parse (text, strlen (text), &profile, error, sizeof error) != 0)
		fail_msg ("%s", error);
	return profile;
}

static void
assert_refused (const char *text, const char *why)
{
	monocle__profile *profile = NULL;
	char error[256] = "";

	assert_int_equal (monocle__profile_parse (text, strlen (text), &profile, error, sizeof error), -1);
	assert_null (profile);
	assert_null (strchr (error, '\n'));
	if (!strstr (error, why))
		fail_msg ("'%s' does not say '%s'", error, why);
}

static const monocle__file_format *
find_format (const char *name)
{
	for (size_t i = 0; i < monocle__file_format_count; i++) {
		if (strcmp (monocle__file_formats[i].name, name) == 0)
			return &monocle__file_formats[i];
	}
	fail_msg ("there is no format %s", name);
	return NULL;
}

static char *
convert (const monocle__profile *profile, const char *name)
{
	monocle__convert_options options = { "title", monocle__profile_main_value (profile), false };
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream (&bytes, &size);

	assert_int_equal (find_format (name)->write (out, profile, &options), 0);
	fclose (out);
	return bytes;
}

static void
assert_converts (const char *text, const char *format, const char *expected)
{
	monocle__profile *profile = parse (text);
	char *written = convert (profile, format);

	assert_string_equal (written, expected);
	free (written);
	monocle__profile_free (profile);
}

static void
collapsed_stacks_are_added_up_and_sorted (void **state)
{
	assert_converts ("b 1\na;b c 2\na;b c 3\na 4\n", "collapsed", "a 4\na;b c 5\nb 1\n");
}

static void
collapsed_stacks_may_have_comments_fractions_and_empty_frames (void **state)
{
	assert_converts ("# perf\n\n a; ;b;;c 1.5 \r\na\t2.4\nd 0\n\nlast 7", "collapsed", "a 2\na;b;c 2\nlast 7\n");
}

static void
what_separates_is_replaced_in_collapsed_names (void **state)
{
	monocle__profile *profile = parse ("x 1\n");
	char *written;

	profile->functions[0].name = "a;b\nc";
	written = convert (profile, "collapsed");
	assert_string_equal (written, "a:b c 1\n");
	free (written);
	monocle__profile_free (profile);
}

static void
a_line_without_amount_is_named (void **state)
{
	assert_refused ("a;b 1\nc;d\n", "line 2 of the collapsed stacks does not end with a number: 'c;d'");
	assert_refused ("a 1\n12\n", "line 2");
	assert_refused ("a 1\nb 1.2.3\n", "line 2");
	assert_refused ("a 1\nb 0x10\n", "line 2");
	assert_refused ("hello, this is no profile",
	                "not a profile in a format that is read: collapsed speedscope mlpd pprof");
}

#define FRAMES \
	"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.cs\",\"line\":7}]},\"profiles\":["
#define SAMPLED(name, unit, samples, weights) \
	"{\"type\":\"sampled\",\"name\":\"" name "\",\"unit\":\"" unit "\",\"startValue\":0,\"endValue\":9,\"samples\":" \
	"[" samples "],\"weights\":[" weights "]}"
#define EVENTED(events)        "{\"type\":\"evented\",\"name\":\"e\",\"unit\":\"none\",\"events\":[" events "]}"
#define EVENT(type, frame, at) "{\"type\":\"" type "\",\"frame\":" frame ",\"at\":" at "}"

static void
sampled_profiles_are_read (void **state)
{
	monocle__profile *profile = parse (FRAMES SAMPLED ("t", "milliseconds", "[0],[0,1]", "2,0.5") "]}");

	assert_int_equal (profile->value_count, 1);
	assert_string_equal (profile->value_types[0].type, "time");
	assert_string_equal (profile->value_types[0].unit, "nanoseconds");
	assert_int_equal (profile->sample_count, 2);
	assert_int_equal (profile->values[0], 2000000);
	assert_int_equal (profile->values[1], 500000);
	assert_string_equal (profile->functions[profile->frames[profile->samples[1].frames]].name, "b");
	assert_string_equal (profile->functions[1].filename, "b.cs");
	assert_int_equal (profile->functions[1].line, 7);
	assert_int_equal (profile->label_count, 0);
	monocle__profile_free (profile);
}

static void
several_profiles_become_threads_and_their_units_values (void **state)
{
	monocle__profile *profile = parse (FRAMES SAMPLED ("two", "none", "[0]", "3") "," SAMPLED (
	    "one", "bytes", "[1]", "5") "," SAMPLED ("two", "none", "[1]", "4") "]}");
	monocle__threads *threads = monocle__threads_new (profile);

	assert_int_equal (profile->value_count, 2);
	assert_int_equal (monocle__profile_sum (profile, 0), 7);
	assert_int_equal (monocle__profile_sum (profile, 1), 5);
	assert_int_equal (threads->count, 2);
	assert_string_equal (threads->names[0], "one");
	assert_string_equal (threads->names[1], "two");
	assert_int_equal (threads->of_sample[0], 1);
	assert_int_equal (threads->of_sample[1], 0);
	assert_int_equal (threads->of_sample[2], 1);
	monocle__threads_free (threads);
	monocle__profile_free (profile);
}

static void
evented_profiles_become_stretches_between_events (void **state)
{
	assert_converts (
	    FRAMES EVENTED (EVENT ("O", "0", "10") "," EVENT ("O", "1", "11") "," EVENT ("C", "1", "14") "," EVENT (
	        "O", "1", "14") "," EVENT ("C", "1", "19") "," EVENT ("C", "0", "20")) "]}",
	    "collapsed", "a 2\na;b 8\n");
}

static void
damaged_speedscope_files_say_what_is_wrong (void **state)
{
	assert_refused ("{\"a\":1", "not JSON from byte 6 on");
	assert_refused ("{\"a\":1} x", "not JSON from byte 8 on");
	assert_refused ("{}", "no shared.frames");
	assert_refused ("{\"shared\":7}", "no shared.frames");
	assert_refused ("{\"shared\":{\"frames\":[]},\"profiles\":[]}", "without profiles");
	assert_refused (FRAMES "{\"type\":\"odd\"}]}", "neither sampled nor evented");
	assert_refused (FRAMES SAMPLED ("t", "none", "[2]", "1") "]}", "a frame that is not described");
	assert_refused (FRAMES SAMPLED ("t", "none", "[-1]", "1") "]}", "a frame that is not described");
	assert_refused (FRAMES SAMPLED ("t", "none", "[0],[1]", "1") "]}", "fewer weights");
	assert_refused (FRAMES EVENTED (EVENT ("C", "0", "1")) "]}", "not the innermost");
	assert_refused (FRAMES EVENTED (EVENT ("O", "0", "1")) "]}", "leaves 1 frames open");
	assert_refused (FRAMES EVENTED (EVENT ("O", "0", "3") "," EVENT ("C", "0", "2")) "]}", "goes back");
	assert_refused (FRAMES EVENTED (EVENT ("X", "0", "3")) "]}", "neither opens nor closes");
}

static void
deep_json_is_refused (void **state)
{
	char text[1001];

	memset (text, '[', 1000);
	text[1000] = '\0';
	memcpy (text, "{\"a\":", 5);
	assert_refused (text, "not JSON from byte 260 on");
}

static void
speedscope_keeps_threads_files_and_units (void **state)
{
	monocle__profile *profile =
	    parse (FRAMES SAMPLED ("two", "bytes", "[0,1]", "3") "," SAMPLED ("one", "bytes", "[1],[1]", "5,0") "]}");
	char *written = convert (profile, "speedscope");
	monocle__profile *again = parse (written);

	assert_string_equal (again->value_types[0].unit, "bytes");
	assert_int_equal (again->sample_count, 2);
	assert_string_equal (again->functions[1].filename, "b.cs");
	assert_string_equal (again->labels[0].text, "one");
	assert_string_equal (again->labels[1].text, "two");
	assert_int_equal (again->samples[1].depth, 2);
	free (written);
	monocle__profile_free (again);
	monocle__profile_free (profile);
}

static void
a_number_may_be_a_threads_name (void **state)
{
	monocle__profile *profile = parse ("a 1\nb 2\nc 3\n");
	monocle__label label = { .key = "thread", .number = 12, .unit = "" };
	monocle__threads *threads;

	monocle__profile_add_label (profile, &label);
	threads = monocle__threads_new (profile);
	assert_int_equal (threads->count, 2);
	assert_string_equal (threads->names[0], "");
	assert_string_equal (threads->names[1], "12");
	assert_int_equal (threads->of_sample[2], 1);
	monocle__threads_free (threads);
	monocle__profile_free (profile);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (collapsed_stacks_are_added_up_and_sorted),
		cmocka_unit_test (collapsed_stacks_may_have_comments_fractions_and_empty_frames),
		cmocka_unit_test (what_separates_is_replaced_in_collapsed_names),
		cmocka_unit_test (a_line_without_amount_is_named),
		cmocka_unit_test (sampled_profiles_are_read),
		cmocka_unit_test (several_profiles_become_threads_and_their_units_values),
		cmocka_unit_test (evented_profiles_become_stretches_between_events),
		cmocka_unit_test (damaged_speedscope_files_say_what_is_wrong),
		cmocka_unit_test (deep_json_is_refused),
		cmocka_unit_test (speedscope_keeps_threads_files_and_units),
		cmocka_unit_test (a_number_may_be_a_threads_name),
	};
	return cmocka_run_group_tests_name ("formats", tests, NULL, NULL);
}

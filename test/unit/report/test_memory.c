/*
 * SPDX-License-Identifier: MIT
 *
 * test_memory.c - each allocation fails once: every reader and writer answers, and gives back what it had.
 */
#include "diff.h"
#include "failing-memory.h"
#include "format.h"
#include "profile.h"
#include "report.h"
#include "view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two values, two functions, a comment, a label, a stack of two. */
static const char profile_bytes[] = "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04"
                                    "\x12\x0e\x0a\x02\x01\x02\x12\x02\x05\x07\x1a\x04\x08\x05\x10\x06"
                                    "\x22\x06\x08\x01\x22\x02\x08\x01\x22\x06\x08\x02\x22\x02\x08\x02"
                                    "\x2a\x04\x08\x01\x10\x05\x2a\x04\x08\x02\x10\x06\x68\x03"
                                    "\x32\x00\x32\x05"
                                    "calls\x32\x05"
                                    "count\x32\x04self\x32\x0bnanoseconds"
                                    "\x32\x01"
                                    "F\x32\x01G";

static monocle__profile *
read_profile (void)
{
	monocle__profile *profile = NULL;
	char error[128] = "";

	if (monocle__pprof_parse (profile_bytes, sizeof profile_bytes - 1, SIZE_MAX, &profile, error, sizeof error) != 0)
		assert_string_equal (error, "out of memory");
	return profile;
}

static void
a_reader_without_memory_says_so (void **state)
{
	monocle__profile *profile = NULL;
	long n = 0;

	while (!profile) {
		failing_memory_allowed = n++;
		profile = read_profile ();
		assert_true (n < 1000);
	}
	failing_memory_allowed = -1;
	assert_true (n > 10);
	assert_int_equal (profile->sample_count, 1);
	assert_int_equal (profile->samples[0].label_count, 1);
	monocle__profile_free (profile);
}

static const char collapsed_bytes[] = "F;G 12\nF 3\n";
static const char speedscope_bytes[] =
    "{\"shared\":{\"frames\":[{\"name\":\"F\"},{\"name\":\"\\u0047\",\"file\":\"g.dll\",\"line\":3}]},\"profiles\":["
    "{\"type\":\"sampled\",\"name\":\"a\",\"unit\":\"none\",\"samples\":[[0,1],[0]],\"weights\":[12,3]},"
    "{\"type\":\"evented\",\"name\":\"b\",\"unit\":\"bytes\",\"events\":["
    "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":7}]}]}";

/* Names, a call with an allocation, a lock, a move and an exception in it, two samples and a heap shot. */
static const char mlpd_bytes[] =
    "\001ZPM\003\000\021\010\000\354\352\257\232\001\000\000\000\312\232;\000\000\000\000\024\000\000\000\000\000"
    "\000\000g\022\000\000\000\000\011\000\000\000log:test\000\007\000\000\000x86-64\000\006\000\000\000linux\000"
    "\001LPMf\000\000\000\000\312\232;\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000"
    "\000\000\020\000\000\000\000\000\000\000\000\000\000\000\000\000\000C\000\001\200\002\020F\000\042\000\001\300"
    "\200\300\000\000T\000\042\000\007\300\000\000\300\200\300\000\002\000\005\200 t\000\027\000\200\022\000s\000#"
    "\000\000\000\000\300\000\010\030\005\000\001\010\005\011\002\0101\000\002\010\020\204\000\020\001\000\023\005"
    "\000\007\000\200 \001\204\002\001\000\007\000\200 \001\204\022\001\000\006\000&\000\020\300\000\030\001\000"
    "\026\000";

static void
readers_of_other_formats_without_memory_say_so (void **state)
{
	static const struct {
		monocle__parser *parse;
		const char *bytes;
		size_t size, samples;
	} rows[] = {
		{ monocle__collapsed_parse, collapsed_bytes, sizeof collapsed_bytes - 1, 2 },
		{ monocle__speedscope_parse, speedscope_bytes, sizeof speedscope_bytes - 1, 3 },
		{ monocle__mlpd_parse, mlpd_bytes, sizeof mlpd_bytes - 1, 7 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		monocle__profile *profile = NULL;
		char error[128] = "";
		long n = 0;
		do {
			failing_memory_allowed = n++;
			assert_true (n < 1000);
			if (rows[i].parse (rows[i].bytes, rows[i].size, SIZE_MAX, &profile, error, sizeof error) != 0)
				assert_string_equal (error, "out of memory");
		} while (!profile);
		failing_memory_allowed = -1;
		assert_true (n > 5);
		assert_int_equal (profile->sample_count, rows[i].samples);
		monocle__profile_free (profile);
	}
}

/* Samples: what every format can hold. */
static monocle__profile *
read_samples (void)
{
	monocle__profile *profile = NULL;
	char error[128] = "";
	if (monocle__profile_parse (collapsed_bytes, sizeof collapsed_bytes - 1, &profile, error, sizeof error) != 0)
		fail_msg ("%s", error);
	return profile;
}

static void
ask_without_memory (const monocle__file_format *format, const monocle__profile *profile,
                    const monocle__convert_options *options)
{
	char why[256] = "";
	long n = 0;
	failing_memory_allowed = 0;
	while (format->fits && !format->fits (profile, options, why, sizeof why)) {
		assert_string_equal (why, "out of memory");
		failing_memory_allowed = ++n;
		assert_true (n < 1000);
	}
	failing_memory_allowed = -1;
}

static void
a_converter_without_memory_answers_minus_one (void **state)
{
	FILE *out = fopen ("/dev/null", "w");
	monocle__profile *calls = read_profile (), *samples = read_samples ();

	for (size_t i = 0; i < monocle__file_format_count; i++) {
		const monocle__file_format *format = &monocle__file_formats[i];
		const monocle__profile *profile = format->fits ? samples : calls;
		monocle__convert_options options = { .title = "t", .value = profile == calls };
		long n = 0;
		int result;
		ask_without_memory (format, profile, &options);
		do {
			failing_memory_allowed = n++;
			result = format->write (out, profile, &options);
			assert_true (result == 0 || result == -1);
			assert_true (n < 1000);
		} while (result != 0);
		failing_memory_allowed = -1;
		assert_true (n > 2);
	}
	fclose (out);
	monocle__profile_free (calls);
	monocle__profile_free (samples);
}

typedef int (*diff_writer) (FILE *out, const monocle__profile *profile, const monocle__diff_options *options);

static void
a_difference_without_memory_is_none (void **state)
{
	static const diff_writer writers[] = { monocle__diff_text, monocle__diff_tsv, monocle__diff_json };
	monocle__profile *profile = read_profile (), *joined = NULL;
	FILE *out = fopen ("/dev/null", "w");
	long n = 0;

	while (!joined) {
		failing_memory_allowed = n++;
		joined = monocle__diff_new (profile, 1, profile, 1, true);
		assert_true (n < 1000);
	}
	assert_true (n > 5);
	for (size_t i = 0; i < 2 * sizeof writers / sizeof *writers; i++) {
		monocle__diff_options options = { "a", "b", .tree = i % 2 };
		n = 0;
		do {
			failing_memory_allowed = n++;
			assert_true (n < 1000);
		} while (writers[i / 2](out, joined, &options) != 0);
		assert_true (n > 2);
	}
	failing_memory_allowed = -1;
	fclose (out);
	monocle__profile_free (joined);
	monocle__profile_free (profile);
}

static void
a_view_without_memory_is_none (void **state)
{
	static const char *const patterns[] = { "F", NULL };
	monocle__view_options options = { .fold = true, .tell_images = true, .threads = MONOCLE__THREADS_ROOT };
	monocle__profile *profile = NULL, *shown = NULL;
	static const char stacks[] = "System.Threading.Thread:Start ();A/<F>d__1:MoveNext ();B:Start ();C:F (int) 12\n";
	char error[128];
	long n = 0;
	options.focus = options.hide = patterns;
	assert_int_equal (monocle__collapsed_parse (stacks, strlen (stacks), SIZE_MAX, &profile, error, sizeof error), 0);
	while (!shown) {
		failing_memory_allowed = n++;
		shown = monocle__view_new (profile, &options);
		assert_true (n < 10000);
	}
	failing_memory_allowed = -1;
	assert_true (n > 20);
	assert_int_equal (monocle__profile_sum (shown, 0), 12);
	monocle__profile_free (shown);
	monocle__profile_free (profile);
}

typedef int (*report_writer) (FILE *out, const monocle__profile *profile, const monocle__report_options *options);

static void
a_writer_without_memory_answers_minus_one (void **state)
{
	static const report_writer writers[] = { monocle__report_text, monocle__report_tsv, monocle__report_json,
		                                     monocle__report_flame };
	FILE *out = fopen ("/dev/null", "w");
	monocle__profile *profile = read_profile ();

	for (size_t i = 0; i < 2 * sizeof writers / sizeof *writers; i++) {
		monocle__report_options options = { .title = "t", .limit = 1, .tree = i % 2 };
		long n = 0;
		int result;
		do {
			failing_memory_allowed = n++;
			result = writers[i / 2](out, profile, &options);
			assert_true (result == 0 || result == -1);
			assert_true (n < 1000);
		} while (result != 0);
		failing_memory_allowed = -1;
		assert_true (n > 2);
	}
	fclose (out);
	monocle__profile_free (profile);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_reader_without_memory_says_so),
		cmocka_unit_test (readers_of_other_formats_without_memory_say_so),
		cmocka_unit_test (a_writer_without_memory_answers_minus_one),
		cmocka_unit_test (a_converter_without_memory_answers_minus_one),
		cmocka_unit_test (a_difference_without_memory_is_none),
		cmocka_unit_test (a_view_without_memory_is_none),
	};
	return cmocka_run_group_tests_name ("memory", tests, NULL, NULL);
}

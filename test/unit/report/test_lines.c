/*
 * SPDX-License-Identifier: MIT
 *
 * test_lines.c - where frames are: kept by what rewrites profiles, and shown as lines.
 */
#include "annotate.h"
#include "format.h"
#include "join.h"
#include "line-view.h"
#include "lines.h"
#include "report.h"
#include "symbols_builder.h"
#include "view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BUILD "0a1b2c3d4e5f60718293a4b5c6d7e8f9"

enum { MAIN, WORK, NATIVE };

/* Main at line 30 calls Work, which is at lines 12 and 13 by three places, and at one that has no line. */
static monocle__profile *
make_profile (const char *source)
{
	static const monocle__function functions[] = {
		{ "App:Main ()", "app.exe!App:Main ()", "app.exe", 28, "/app/app.exe" },
		{ "App:Work (int)", "app.exe!App:Work (int)", "app.exe", 11, "/app/app.exe" },
		{ "[stub]", "![stub]", "" },
	};
	static const monocle__place places[] = {
		{ BUILD, 0x0600000100000008, 30 }, { BUILD, 0x0600000200000002, 12 }, { BUILD, 0x0600000200000009, 13 },
		{ BUILD, 0x060000020000000b, 13 }, { BUILD, 0x0600000200000000, 0 },
	};
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	monocle__profile_add_value_type (profile, "cpu", "nanoseconds");
	for (size_t i = 0; i < 3; i++) {
		monocle__function function = functions[i];
		function.source = i < 2 ? source : NULL;
		monocle__profile_add_function (profile, &function);
	}
	for (size_t i = 0; i < 5; i++)
		assert_int_equal (monocle__profile_add_place (profile, &places[i]), i + 1);
	monocle__profile_add_sample (profile, (uint32_t[]) { NATIVE }, 1, (int64_t[]) { 1000 });
	for (uint32_t place = 2; place <= 5; place++) {
		monocle__profile_add_sample (profile, (uint32_t[]) { WORK, MAIN }, 2, (int64_t[]) { place * 10 });
		assert_true (monocle__profile_set_places (profile, (uint32_t[]) { place, 1 }, 2));
	}
	return profile;
}

static int64_t
line_of (const monocle__profile *profile, size_t sample, size_t frame)
{
	const monocle__place *place = monocle__profile_place (profile, profile->samples[sample].frames + frame);
	return place ? place->line : -1;
}

static void
assert_lines (const monocle__profile *profile, size_t sample)
{
	static const int64_t lines[] = { 12, 13, 13, 0 };
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal (line_of (profile, sample + i, 0), lines[i]);
		assert_int_equal (line_of (profile, sample + i, 1), 30);
	}
}

static void
pprof_files_keep_places (void **state)
{
	const monocle__convert_options options = { .title = "" };
	monocle__profile *profile = make_profile ("/src/app.cs"), *again;
	char *bytes = NULL, error[256] = "";
	size_t size;
	FILE *out = open_memstream (&bytes, &size);
	assert_int_equal (monocle__pprof_convert (out, profile, &options), 0);
	fclose (out);
	if (monocle__profile_parse (bytes, size, &again, error, sizeof error) != 0)
		fail_msg ("%s", error);
	assert_lines (again, 1);
	assert_int_equal (line_of (again, 0, 0), -1);
	const monocle__place *place = monocle__profile_place (again, again->samples[4].frames);
	assert_string_equal (place->build_id, BUILD);
	assert_int_equal (place->address, 0x0600000200000000);
	const monocle__function *work = &again->functions[again->frames[again->samples[1].frames]];
	assert_string_equal (work->source, "/src/app.cs");
	assert_string_equal (work->filename, "app.exe");
	assert_int_equal (work->line, 11);
	free (bytes);
	monocle__profile_free (again);
	monocle__profile_free (profile);
}

static void
views_and_sums_of_profiles_keep_places (void **state)
{
	monocle__profile *profile = make_profile ("/src/app.cs");
	const monocle__profile *const both[] = { profile, profile };
	monocle__profile *sum = monocle__join (both, 2);
	monocle__profile *view = monocle__view_new (sum, &(monocle__view_options) { .fold = true });
	assert_int_equal (view->sample_count, 10);
	assert_lines (view, 1);
	assert_lines (view, 6);
	monocle__profile_free (view);
	monocle__profile_free (sum);
	monocle__profile_free (profile);
}

static char *
report (monocle__report_writer *writer, const monocle__profile *profile)
{
	const monocle__report_options options = { .title = "t", .lines = true };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);
	assert_int_equal (writer (out, profile, &options), 0);
	fclose (out);
	return text;
}

static void
a_line_is_one_row_whatever_its_places (void **state)
{
	monocle__profile *profile = make_profile ("/src/app.cs"), *lines = monocle__line_view_new (profile, false);
	char *text = report (monocle__report_tsv, lines);
	assert_string_equal (text, "method\tself_cpu_ns\ttotal_cpu_ns\tfile\tline\n"
	                           "[stub]\t1000\t1000\t\t0\n"
	                           "App:Work (int)\t70\t70\t/src/app.cs\t13\n"
	                           "App:Work (int)\t50\t50\t\t0\n"
	                           "App:Work (int)\t20\t20\t/src/app.cs\t12\n"
	                           "App:Main ()\t0\t140\t/src/app.cs\t30\n");
	free (text);
	monocle__profile_free (lines);
	lines = monocle__line_view_new (profile, true);
	text = report (monocle__report_text, lines);
	assert_non_null (strstr (text, "app.cs:13  App:Work (int)\n"));
	free (text);
	monocle__profile_free (lines);
	monocle__profile_free (profile);
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

static char said[4096];

static void
hear (const char *text)
{
	strncat (said, text, sizeof said - strlen (said) - 2);
	strcat (said, "\n");
}

static int
annotate (const monocle__profile *profile, const char *name, char **ret_text)
{
	const monocle__annotate_options options = { .name = name, .format = MONOCLE__ANNOTATE_TSV, .say = hear };
	size_t size;
	FILE *out = open_memstream (ret_text, &size);
	*said = '\0';
	int result = monocle__annotate (out, profile, &options);
	fclose (out);
	return result;
}

static void
a_source_has_costs_beside_its_lines (void **state)
{
	char path[] = "/tmp/monocle-lines-XXXXXX", wanted[4096], *text;
	int fd = mkstemp (path);
	for (int line = 1; line <= 20; line++)
		dprintf (fd, "text %d\n", line);
	close (fd);
	monocle__profile *profile = make_profile (path);
	assert_int_equal (annotate (profile, "Work", &text), 0);
	snprintf (wanted, sizeof wanted,
	          "file\tline\tself_cpu_ns\ttotal_cpu_ns\ttext\n%s\t10\t0\t0\ttext 10\n%s\t11\t0\t0\ttext 11\n"
	          "%s\t12\t20\t20\ttext 12\n%s\t13\t70\t70\ttext 13\n%s\t14\t0\t0\ttext 14\n%s\t15\t0\t0\ttext 15\n"
	          "%s\t16\t0\t0\ttext 16\n%s\t0\t50\t50\t\n",
	          path, path, path, path, path, path, path, path);
	assert_string_equal (text, wanted);
	free (text);
	unlink (path);
	assert_int_equal (annotate (profile, "Work", &text), -1);
	assert_non_null (strstr (said, path));
	assert_non_null (strstr (said, "was not found here"));
	free (text);
	monocle__profile_free (profile);
}

static void
a_name_that_may_be_several_methods_is_asked_for (void **state)
{
	monocle__profile *profile = make_profile ("/src/app.cs");
	char *text;
	assert_int_equal (annotate (profile, "App", &text), -1);
	assert_string_equal (said, "App may be several methods; name more of it:\n  App:Main ()\n  App:Work (int)\n");
	free (text);
	assert_int_equal (annotate (profile, "stub", &text), -1);
	assert_non_null (strstr (said, "the source of stub is not known"));
	free (text);
	monocle__profile_free (profile);
}

static void
symbols_of_an_image_that_is_not_there_are_no_lines (void **state)
{
	monocle__profile *profile = make_profile (NULL);
	for (size_t i = 1; i < profile->place_count; i++)
		profile->places[i].line = 0;
	assert_int_equal (monocle__lines_find (profile, NULL), 0);
	assert_false (monocle__line_view_is_possible (profile));
	monocle__profile_free (profile);
}

/* The bytes of an .mdb's id count as a GUID: its first three groups are little-endian numbers. */
#define HOUSE "33221100554477668899aabbccddeeff"

static void
write_bytes (const char *path, struct bytes bytes)
{
	FILE *file = fopen (path, "w");
	assert_non_null (file);
	assert_int_equal (fwrite (bytes.data, 1, bytes.size, file), bytes.size);
	fclose (file);
	bytes_free (&bytes);
}

/* One path in two runs may be two builds: a profile that is their sum has places of both, here by turns. */
static void
lines_of_a_build_are_found_by_its_own_id (void **state)
{
	static const monocle__place places[] = {
		{ BUILD, 0x0600000180000001, 0 },
		{ HOUSE, 0x0600000180000001, 0 },
		{ BUILD, 0x0600000180000002, 0 },
		{ HOUSE, 0x0600000180000002, 0 },
	};
	static const int64_t lines[] = { 0, 10, 0, 10 };
	char folder[] = "/tmp/monocle-lines-XXXXXX", image[64], symbols[64];
	assert_non_null (mkdtemp (folder));
	snprintf (image, sizeof image, "%s/house.exe", folder);
	snprintf (symbols, sizeof symbols, "%s/house.exe.mdb", folder);
	struct bytes metadata = build_house ();
	write_bytes (image, build_pe (&metadata, (struct pe_options) { 0 }));
	write_bytes (symbols, build_mdb ());
	bytes_free (&metadata);
	const monocle__function run = { "House:Run ()", "house.exe!House:Run ()", "house.exe", 0, image };
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	monocle__profile_add_value_type (profile, "cpu", "nanoseconds");
	monocle__profile_add_function (profile, &run);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal (monocle__profile_add_place (profile, &places[i]), i + 1);
		monocle__profile_add_sample (profile, (uint32_t[]) { 0 }, 1, (int64_t[]) { 1 });
		assert_true (monocle__profile_set_places (profile, (uint32_t[]) { i + 1 }, 1));
	}
	*said = '\0';
	assert_int_equal (monocle__lines_find (profile, hear), 3); /* and the function's source */
	for (size_t i = 0; i < 4; i++)
		assert_int_equal (line_of (profile, i, 0), lines[i]);
	assert_non_null (strstr (said, "house.exe: the file is of another build than the one that ran\n"));
	assert_null (strstr (strstr (said, "another build") + 1, "another build"));
	monocle__profile_free (profile);
	unlink (symbols);
	unlink (image);
	rmdir (folder);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (pprof_files_keep_places),
		cmocka_unit_test (views_and_sums_of_profiles_keep_places),
		cmocka_unit_test (a_line_is_one_row_whatever_its_places),
		cmocka_unit_test (a_source_has_costs_beside_its_lines),
		cmocka_unit_test (a_name_that_may_be_several_methods_is_asked_for),
		cmocka_unit_test (symbols_of_an_image_that_is_not_there_are_no_lines),
		cmocka_unit_test (lines_of_a_build_are_found_by_its_own_id),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

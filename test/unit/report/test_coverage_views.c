/*
 * SPDX-License-Identifier: MIT
 *
 * test_coverage_views.c - each allocation fails once: whatever shows coverage answers, and gives back what it had.
 */
#include "coverage-annotate.h"
#include "coverage-find.h"
#include "coverage-format.h"
#include "coverage-html.h"
#include "failing-memory.h"
#include "report-format.h"

#include "cover-file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Records end with a text of any length; here each has one of its own behind it. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif

/* A file with one of each: two lines, one of which ran. */
typedef struct {
	struct {
		struct monocle__cover_header header;
		char rest[MONOCLE__COVER_HEADER - sizeof (struct monocle__cover_header)];
	} head;
	struct {
		struct monocle__cover_image record;
		char text[8];
	} image;
	struct {
		struct monocle__cover_document record;
		char text[16];
	} document;
	struct {
		struct monocle__cover_type record;
		char text[8];
	} type;
	struct {
		struct monocle__cover_method record;
		struct monocle__cover_point points[2];
		char text[8];
		uint8_t counters[8];
	} method;
} file;

#define RECORD(part, of) \
	{ \
		sizeof ((file *) NULL)->part, of \
	}

/* clang-format off */
static const file bytes = {
	.head.header = { .magic = MONOCLE__COVER_MAGIC,
	                 .version = MONOCLE__COVER_VERSION,
	                 .counter_size = 1,
	                 .used = sizeof (file) },
	.image = { { RECORD (image, MONOCLE__COVER_IMAGE), .name_length = 1 }, "I" },
	.document = { { RECORD (document, MONOCLE__COVER_DOCUMENT), .path_length = 12 }, "/dir/sub/a.c" },
	.type = { { RECORD (type, MONOCLE__COVER_TYPE), .token = 0x02000002, .name_length = 1 }, "C" },
	.method = { { RECORD (method, MONOCLE__COVER_METHOD),
	              .token = 0x06000001,
	              .flags = MONOCLE__COVER_PROBED,
	              .point_count = 2,
	              .counter_count = 2,
	              .name_length = 4,
	              .counters = offsetof (file, method.counters) - offsetof (file, method) },
	            { { .start_line = 1, .end_line = 1 },
	              { .il_offset = 4, .start_line = 3, .end_line = 3, .counter = 1 } },
	            "F ()",
	            { 1, 0 } },
};
/* clang-format on */

static monocle__coverage *
read_coverage (void)
{
	monocle__coverage *coverage = monocle__coverage_new ();
	const char *error = NULL;
	assert_non_null (coverage);
	if (monocle__coverage_add (coverage, &bytes, sizeof bytes, &error) != 0)
		fail_msg ("%s", error);
	assert_int_equal (monocle__coverage_settle (coverage, NULL), 0);
	assert_int_equal (coverage->method_count, 1);
	assert_int_equal (coverage->line_count, 2);
	return coverage;
}

/* Repeats what answers 0 or -1 with one allocation more each time. */
#define UNTIL_ENOUGH(least, call) \
	do { \
		long n = 0; \
		int result; \
		do { \
			failing_memory_allowed = n++; \
			result = call; \
			failing_memory_allowed = -1; \
			assert_true (result == 0 || result == -1); \
			assert_true (n < 1000); \
		} while (result != 0); \
		assert_true (n > (least)); \
	} while (0)

static void
a_format_without_memory_answers_minus_one (void **state)
{
	static const monocle__coverage_convert_options options = { "t", "/dir" };
	FILE *out = fopen ("/dev/null", "w");
	monocle__coverage *coverage = read_coverage ();
	for (size_t i = 0; i < monocle__coverage_format_count; i++)
		UNTIL_ENOUGH (3, monocle__coverage_formats[i].write (out, coverage, &options));
	fclose (out);
	monocle__coverage_free (coverage);
}

static void
a_report_without_memory_answers_minus_one (void **state)
{
	FILE *out = fopen ("/dev/null", "w");
	monocle__coverage *coverage = read_coverage ();
	for (size_t i = 0; i < monocle__report_format_count; i++) {
		for (size_t by = 0; by <= monocle__coverage_by_count; by++) {
			monocle__coverage_report_options options = {
				.by = (monocle__coverage_by) (by % monocle__coverage_by_count),
				.tree = by == monocle__coverage_by_count,
				.sort = MONOCLE__COVERAGE_SORT_PERCENT,
				.limit = 1,
			};
			UNTIL_ENOUGH (2, monocle__report_formats[i].coverage (out, coverage, &options));
		}
	}
	fclose (out);
	monocle__coverage_free (coverage);
}

static int
find (const monocle__coverage *coverage, const char *name, monocle__coverage_by by)
{
	monocle__coverage_found found;
	if (monocle__coverage_find (coverage, name, &found) != 0)
		return -1;
	assert_int_equal (found.count, 1);
	assert_int_equal (found.by, by);
	free (found.items);
	return 0;
}

static void
a_name_is_not_found_without_memory (void **state)
{
	monocle__coverage *coverage = read_coverage ();
	UNTIL_ENOUGH (1, find (coverage, "a.c", MONOCLE__COVERAGE_BY_FILE));
	UNTIL_ENOUGH (2, find (coverage, "C", MONOCLE__COVERAGE_BY_CLASS));
	UNTIL_ENOUGH (3, find (coverage, "F", MONOCLE__COVERAGE_BY_METHOD));
	monocle__coverage_free (coverage);
}

static int
annotate (FILE *out, const monocle__coverage *coverage, monocle__coverage_by by)
{
	monocle__coverage_report_options options = { 0 };
	char error[128] = "";
	int result = monocle__coverage_annotate (out, coverage, by, 0, &options, error, sizeof error);
	assert_int_equal (result != 0, strstr (error, "out of memory") != NULL);
	return result;
}

static void
a_source_is_not_shown_without_memory (void **state)
{
	FILE *out = fopen ("/dev/null", "w");
	monocle__coverage *coverage = read_coverage ();
	FILE *source = tmpfile ();
	assert_non_null (source);
	fputs ("one\n\ttwo\nthree\n", source);
	fflush (source);
	assert_true (asprintf ((char **) &coverage->files[0].local, "/proc/self/fd/%d", fileno (source)) > 0);
	UNTIL_ENOUGH (1, annotate (out, coverage, MONOCLE__COVERAGE_BY_FILE));
	UNTIL_ENOUGH (1, annotate (out, coverage, MONOCLE__COVERAGE_BY_CLASS));
	UNTIL_ENOUGH (1, annotate (out, coverage, MONOCLE__COVERAGE_BY_METHOD));
	fclose (source);
	fclose (out);
	monocle__coverage_free (coverage);
}

static void
a_page_is_not_written_without_memory (void **state)
{
	monocle__coverage_html_options options = { .title = "title" };
	FILE *out = fopen ("/dev/null", "w");
	monocle__coverage *coverage = read_coverage ();
	FILE *source = tmpfile ();
	assert_non_null (source);
	fputs ("one\n\ttwo\nthree\n", source);
	fflush (source);
	assert_true (asprintf ((char **) &coverage->files[0].local, "/proc/self/fd/%d", fileno (source)) > 0);
	UNTIL_ENOUGH (12, monocle__coverage_html (out, coverage, &options));
	fclose (source);
	fclose (out);
	monocle__coverage_free (coverage);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_format_without_memory_answers_minus_one),
		cmocka_unit_test (a_report_without_memory_answers_minus_one),
		cmocka_unit_test (a_name_is_not_found_without_memory),
		cmocka_unit_test (a_source_is_not_shown_without_memory),
		cmocka_unit_test (a_page_is_not_written_without_memory),
	};
	return cmocka_run_group_tests_name ("report coverage views", tests, NULL, NULL);
}

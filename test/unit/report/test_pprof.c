/*
 * SPDX-License-Identifier: MIT
 *
 * test_pprof.c - the pprof reader: what it must understand, and that nothing in a file can hurt it.
 *
 * Messages are written by hand with the few functions at the top, in an order that real writers do not use.
 */
#include "format.h"
#include "profile.h"
#include "report.h"
#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

typedef struct {
	unsigned char bytes[4096];
	size_t size;
} message;

static void
put_varint (message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		m->bytes[m->size++] = (unsigned char) (value | 0x80);
	m->bytes[m->size++] = (unsigned char) value;
}

static void
put_number (message *m, unsigned field, uint64_t value)
{
	put_varint (m, field << 3);
	put_varint (m, value);
}

static void
put_bytes (message *m, unsigned field, const void *bytes, size_t size)
{
	put_varint (m, field << 3 | 2);
	put_varint (m, size);
	if (size)
		memcpy (m->bytes + m->size, bytes, size);
	m->size += size;
}

static void
put_text (message *m, const char *text)
{
	put_bytes (m, 6, text, strlen (text));
}

static void
put_pair (message *m, unsigned field, uint64_t first, uint64_t second)
{
	message inner = { .size = 0 };

	put_number (&inner, 1, first);
	put_number (&inner, 2, second);
	put_bytes (m, field, inner.bytes, inner.size);
}

static void
put_location (message *m, uint64_t id, uint64_t function, uint64_t inlined_into)
{
	message inner = { .size = 0 }, line = { .size = 0 };

	put_number (&inner, 1, id);
	put_number (&line, 1, function);
	put_bytes (&inner, 4, line.bytes, line.size);
	if (inlined_into) {
		line.size = 0;
		put_number (&line, 1, inlined_into);
		put_bytes (&inner, 4, line.bytes, line.size);
	}
	put_bytes (m, 4, inner.bytes, inner.size);
}

/* Not packed: a field per number, as old writers do it. */
static void
put_sample (message *m, uint64_t leaf, uint64_t root, int64_t value)
{
	message inner = { .size = 0 };

	put_number (&inner, 1, leaf);
	if (root)
		put_number (&inner, 1, root);
	put_number (&inner, 2, (uint64_t) value);
	put_bytes (m, 2, inner.bytes, inner.size);
}

/* Strings: 1 calls, 2 count, 3 Main, 4 Work, 5 note. Samples come first, strings last. */
static void
make_profile (message *m)
{
	static const char *const strings[] = { "", "calls", "count", "Main", "Work", "note" };

	put_sample (m, 70000, 5, 7);
	put_sample (m, 5, 0, -1);
	put_location (m, 70000, 900, 0);
	put_location (m, 5, 3, 0);
	put_pair (m, 5, 900, 4);
	put_pair (m, 5, 3, 3);
	put_pair (m, 1, 1, 2);
	put_number (m, 13, 5);
	put_number (m, 10, 123);
	put_varint (m, 99 << 3 | 1); /* a field that is not known: eight bytes */
	m->size += 8;
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		put_text (m, strings[i]);
}

static monocle__profile *
parse (const message *m)
{
	monocle__profile *profile = NULL;
	char error[256] = "";

	if (monocle__pprof_parse (m->bytes, m->size, SIZE_MAX, &profile, error, sizeof error) != 0)
		fail_msg ("%s", error);
	return profile;
}

static void
assert_refused (const message *m, const char *why)
{
	monocle__profile *profile = (monocle__profile *) (uintptr_t) 1;
	char error[256] = "";

	assert_int_equal (monocle__pprof_parse (m->bytes, m->size, SIZE_MAX, &profile, error, sizeof error), -1);
	assert_ptr_equal (profile, (void *) (uintptr_t) 1);
	if (!strstr (error, why))
		fail_msg ("'%s' does not say '%s'", error, why);
}

static void
parts_may_come_in_any_order (void **state)
{
	message m = { .size = 0 };
	monocle__profile *profile;

	make_profile (&m);
	profile = parse (&m);
	assert_int_equal (profile->sample_count, 2);
	assert_int_equal (profile->samples[0].depth, 2);
	assert_string_equal (profile->functions[profile->frames[0]].name, "Work");
	assert_string_equal (profile->functions[profile->frames[1]].name, "Main");
	assert_int_equal (monocle__profile_values (profile, 0)[0], 7);
	assert_int_equal (monocle__profile_values (profile, 1)[0], -1);
	assert_string_equal (profile->value_types[0].type, "calls");
	assert_string_equal (profile->comments[0], "note");
	assert_int_equal (profile->duration_nanos, 123);
	monocle__profile_free (profile);
}

static char *
write_with (const monocle__profile *profile, monocle__report_writer *writer)
{
	monocle__report_options options = { .title = "t" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);

	assert_int_equal (writer (out, profile, &options), 0);
	fclose (out);
	return text;
}

/* What Monocle writes: IMAGE!NAME beside the name, and the source where it is known. `Main` has none. */
static void
put_sources_at (message *m, uint64_t line)
{
	static const char *const strings[] = { "",     "calls",        "count",        "Main",    "Work",
		                                   "note", "app.exe!Main", "app.exe!Work", "app.exe", "/src/work.cs" };
	const uint64_t rows[][5] = { { 1, 3, 6, 8, 0 }, { 2, 4, 7, 9, line } };

	put_sample (m, 2, 1, 7);
	put_location (m, 1, 1, 0);
	put_location (m, 2, 2, 0);
	for (size_t i = 0; i < 2; i++) {
		message inner = { .size = 0 };
		for (unsigned field = 0; field < 5; field++)
			put_number (&inner, field + 1, rows[i][field]);
		put_bytes (m, 5, inner.bytes, inner.size);
	}
	put_pair (m, 1, 1, 2);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		put_text (m, strings[i]);
}

static void
put_sources (message *m)
{
	put_sources_at (m, 12);
}

static void
a_function_is_known_by_its_image_and_shown_with_its_source (void **state)
{
	message m = { .size = 0 };
	put_sources (&m);
	monocle__profile *profile = parse (&m);
	const monocle__function *functions = profile->functions;

	assert_string_equal (functions[0].filename, "app.exe");
	assert_null (functions[0].source);
	assert_string_equal (functions[1].filename, "app.exe");
	assert_string_equal (functions[1].source, "/src/work.cs");
	assert_int_equal (functions[1].line, 12);
	char *page = write_with (profile, monocle__report_flame);
	assert_non_null (strstr (page, "\"files\":[\"app.exe\",\n\"app.exe\"]"));
	assert_non_null (strstr (page, "\"sources\":[\"\",\n\"/src/work.cs\"],\n\"lines\":[0,12]"));
	free (page);
	monocle__profile_free (profile);
}

/* As of a place: an editor opens no such line, and sums of lines would run over. */
static void
a_line_that_no_text_has_is_not_known (void **state)
{
	static const uint64_t lines[] = { INT32_MAX, UINT64_C (1) << 31, INT64_MAX, UINT64_C (1) << 63, UINT64_MAX };
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		message m = { .size = 0 };
		put_sources_at (&m, lines[i]);
		monocle__profile *profile = parse (&m);
		assert_int_equal (profile->functions[1].line, i == 0 ? INT32_MAX : 0);
		monocle__profile_free (profile);
	}
}

static void
a_page_without_sources_has_no_lists_of_them (void **state)
{
	message m = { .size = 0 };
	make_profile (&m);
	monocle__profile *profile = parse (&m);
	char *page = write_with (profile, monocle__report_flame);

	assert_null (strstr (page, "\"sources\":["));
	free (page);
	monocle__profile_free (profile);
}

static void
inlined_lines_are_frames_innermost_first (void **state)
{
	message m = { .size = 0 };
	monocle__profile *profile;

	put_location (&m, 1, 1, 2);
	put_pair (&m, 5, 1, 4);
	put_pair (&m, 5, 2, 3);
	put_pair (&m, 1, 1, 2);
	put_sample (&m, 1, 0, 1);
	for (size_t i = 0; i < 5; i++)
		put_text (&m, (const char *[]) { "", "calls", "count", "Main", "Work" }[i]);
	profile = parse (&m);
	assert_int_equal (profile->samples[0].depth, 2);
	assert_string_equal (profile->functions[profile->frames[0]].name, "Work");
	assert_string_equal (profile->functions[profile->frames[1]].name, "Main");
	monocle__profile_free (profile);
}

static void
a_location_without_a_name_is_its_address (void **state)
{
	message m = { .size = 0 }, location = { .size = 0 };
	monocle__profile *profile;

	put_number (&location, 1, 1);
	put_number (&location, 3, 0xdeadbeef);
	put_bytes (&m, 4, location.bytes, location.size);
	put_pair (&m, 1, 1, 2);
	put_sample (&m, 1, 0, 1);
	for (size_t i = 0; i < 3; i++)
		put_text (&m, (const char *[]) { "", "samples", "count" }[i]);
	profile = parse (&m);
	assert_string_equal (profile->functions[profile->frames[0]].name, "0xdeadbeef");
	monocle__profile_free (profile);
}

static void
samples_without_frames_are_reported_as_nothing_but_their_sum (void **state)
{
	message m = { .size = 0 }, inner = { .size = 0 };
	monocle__profile *profile;
	monocle__methods *methods;

	put_pair (&m, 1, 1, 2);
	put_pair (&m, 5, 1, 1);
	put_number (&inner, 2, 42);
	put_bytes (&m, 2, inner.bytes, inner.size);
	for (size_t i = 0; i < 3; i++)
		put_text (&m, (const char *[]) { "", "samples", "count" }[i]);
	profile = parse (&m);
	methods = monocle__methods_new (profile);
	assert_int_equal (methods->count, 0);
	assert_int_equal (monocle__profile_sum (profile, 0), 42);
	monocle__methods_free (methods);
	monocle__profile_free (profile);
}

static void
what_refers_to_nothing_is_refused_by_name (void **state)
{
	message m = { .size = 0 };

	assert_refused (&m, "not a profile in a format that is read:");
	make_profile (&m);
	put_sample (&m, 6, 0, 1);
	assert_refused (&m, "location 6");
	m.size = 0;
	make_profile (&m);
	put_location (&m, 6, 77, 0);
	assert_refused (&m, "function 77");
	m.size = 0;
	make_profile (&m);
	put_pair (&m, 5, 8, 1000);
	assert_refused (&m, "string 1000");
	m.size = 0;
	make_profile (&m);
	put_pair (&m, 1, 1, 2);
	assert_refused (&m, "1 values");
	m.size = 0;
	put_pair (&m, 1, 0, 0);
	for (int i = 0; i < 64; i++)
		put_pair (&m, 1, 0, 0);
	assert_refused (&m, "more than 64 value types");
}

static void
wire_errors_are_refused (void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} rows[] = {
		{ "\x0a", 1 },                                              /* no length */
		{ "\x0a\x7f", 2 },                                          /* longer than the file */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },     /* longer than memory */
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12 }, /* a varint of eleven bytes */
		{ "\x0b", 1 },                                              /* a group */
		{ "\x0f", 1 },                                              /* no such wire type */
		{ "\x02\x00", 2 },                                          /* field 0 */
		{ "\x12\x02\x0a\x05", 4 },                                  /* the same inside a sample */
		{ "\x09\x00", 2 },                                          /* eight bytes that are not there */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		message m = { .size = rows[i].size };
		memcpy (m.bytes, rows[i].bytes, rows[i].size);
		assert_refused (&m, "");
	}
}

static size_t
pack (const void *bytes, size_t size, unsigned char *out, size_t room)
{
	z_stream stream = {
		.next_in = (Bytef *) (uintptr_t) bytes, .avail_in = (uInt) size, .next_out = out, .avail_out = (uInt) room
	};

	assert_int_equal (deflateInit2 (&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal (deflate (&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd (&stream);
	return stream.total_out;
}

/* Whatever the bytes are: an answer, and when it is yes, reports that come to an end. */
static void
digest (const unsigned char *bytes, size_t size, FILE *sink)
{
	monocle__report_options options = { .title = "x", .limit = 3 };
	monocle__profile *profile = NULL;
	char error[256];

	/* A copy of exactly this size, so that reading one byte too many is seen. */
	unsigned char *exact = malloc (size + !size);
	memcpy (exact, bytes, size);
	if (monocle__pprof_parse (exact, size, SIZE_MAX, &profile, error, sizeof error) == 0) {
		monocle__report_text (sink, profile, &options);
		options.tree = true;
		monocle__report_text (sink, profile, &options);
		monocle__report_json (sink, profile, &options);
		monocle__report_flame (sink, profile, &options);
	}
	monocle__profile_free (profile);
	free (exact);
}

static void
every_cut_and_every_flipped_byte_is_survived (void **state)
{
	FILE *sink = fopen ("/dev/null", "w");
	unsigned char packed[4096];
	message m = { .size = 0 };
	size_t size;

	make_profile (&m);
	size = pack (m.bytes, m.size, packed, sizeof packed);
	for (size_t cut = 0; cut <= m.size; cut++)
		digest (m.bytes, cut, sink);
	for (size_t cut = 0; cut <= size; cut++)
		digest (packed, cut, sink);
	static const unsigned char flips[] = { 0x01, 0x02, 0x08, 0x80, 0xff };
	for (size_t at = 0; at < m.size + size; at++) {
		unsigned char *byte = at < m.size ? &m.bytes[at] : &packed[at - m.size], old = *byte;
		for (size_t i = 0; i < sizeof flips; i++) {
			*byte = old ^ flips[i];
			if (at < m.size)
				digest (m.bytes, m.size, sink);
			else
				digest (packed, size, sink);
		}
		*byte = old;
	}
	fclose (sink);
}

static void
gzip_is_unpacked_and_checked (void **state)
{
	unsigned char packed[4096];
	message m = { .size = 0 };
	monocle__profile *profile = NULL;
	char error[256] = "";
	size_t size;

	make_profile (&m);
	size = pack (m.bytes, m.size, packed, sizeof packed);
	assert_int_equal (monocle__profile_parse (packed, size, &profile, error, sizeof error), 0);
	assert_int_equal (profile->sample_count, 2);
	monocle__profile_free (profile);
	assert_int_equal (monocle__profile_parse (packed, size - 4, &profile, error, sizeof error), -1);
	assert_string_equal (error, "damaged: the file is cut off");
	packed[size - 6] ^= 1;
	assert_int_equal (monocle__profile_parse (packed, size, &profile, error, sizeof error), -1);
	assert_string_equal (error, "damaged: its gzip check fails");
}

static void
long_inlined_locations_on_many_stacks_have_a_limit (void **state)
{
	enum { LINES = 60000, STACKS = 3000 };
	static unsigned char bytes[LINES * 4 + STACKS * 8 + 256];
	message head = { .size = 0 };
	size_t at, inner = 2 + LINES * 4;
	monocle__profile *profile = NULL;
	char error[256] = "";

	put_pair (&head, 5, 1, 1);
	put_pair (&head, 1, 1, 1);
	put_text (&head, "");
	put_text (&head, "x");
	put_varint (&head, 4 << 3 | 2);
	put_varint (&head, inner);
	put_number (&head, 1, 1);
	memcpy (bytes, head.bytes, head.size);
	at = head.size;
	for (size_t i = 0; i < LINES; i++, at += 4)
		memcpy (bytes + at, "\x22\x02\x08\x01", 4);
	for (size_t i = 0; i < STACKS; i++, at += 6)
		memcpy (bytes + at, "\x12\x04\x08\x01\x10\x01", 6);
	assert_int_equal (monocle__pprof_parse (bytes, at, SIZE_MAX, &profile, error, sizeof error), -1);
	assert_non_null (strstr (error, "frames"));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (parts_may_come_in_any_order),
		cmocka_unit_test (a_function_is_known_by_its_image_and_shown_with_its_source),
		cmocka_unit_test (a_line_that_no_text_has_is_not_known),
		cmocka_unit_test (a_page_without_sources_has_no_lists_of_them),
		cmocka_unit_test (inlined_lines_are_frames_innermost_first),
		cmocka_unit_test (a_location_without_a_name_is_its_address),
		cmocka_unit_test (samples_without_frames_are_reported_as_nothing_but_their_sum),
		cmocka_unit_test (what_refers_to_nothing_is_refused_by_name),
		cmocka_unit_test (wire_errors_are_refused),
		cmocka_unit_test (gzip_is_unpacked_and_checked),
		cmocka_unit_test (every_cut_and_every_flipped_byte_is_survived),
		cmocka_unit_test (long_inlined_locations_on_many_stacks_have_a_limit),
	};
	return cmocka_run_group_tests_name ("pprof", tests, NULL, NULL);
}

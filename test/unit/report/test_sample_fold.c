/*
 * SPDX-License-Identifier: MIT
 *
 * test_sample_fold.c - files with more stacks than are kept: what is folded, what stays exact, and that a packed file
 * read in pieces is the same profile.
 */
#include "format.h"
#include "sample-fold.h"
#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

enum { FUNCTIONS = 8, DEPTH = 12, WALKS = 4000 };

static int64_t made[FUNCTIONS]; /* self, by function */

static monocle__profile *
new_profile (void)
{
	static const char *const names[FUNCTIONS] = { "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7" };
	monocle__profile *profile = monocle__profile_new (SIZE_MAX);
	assert_true (profile && monocle__profile_add_value_type (profile, "calls", "count"));
	for (size_t i = 0; i < FUNCTIONS; i++) {
		monocle__function function = { .name = names[i], .system_name = "", .filename = "" };
		assert_int_equal (monocle__profile_add_function (profile, &function), i);
	}
	memset (made, 0, sizeof made);
	return profile;
}

static bool
add (monocle__sample_fold *fold, monocle__profile *profile, const uint32_t *stack, size_t depth, uint64_t labels)
{
	uint32_t frames[DEPTH + 1], places[DEPTH + 1] = { 0 };
	int64_t value = 1;
	bool is_new;
	memcpy (frames, stack, depth * sizeof *frames);
	assert_true (monocle__sample_fold_add (fold, profile, frames, places, depth, &value, labels, &is_new));
	made[stack[0]] += value;
	return is_new;
}

/* Like calls does it: a sample for each path, callers before what they call. */
static void
add_walks (monocle__sample_fold *fold, monocle__profile *profile)
{
	for (uint32_t depth = 1; depth <= DEPTH; depth++)
		for (uint32_t walk = 0; walk < WALKS; walk++) {
			uint32_t stack[DEPTH], seed = walk * 2654435761u;
			for (uint32_t i = 0; i < depth; i++) {
				seed = seed * 1664525u + 1013904223u;
				stack[depth - 1 - i] = (seed >> 24) % FUNCTIONS;
			}
			add (fold, profile, stack, depth, 0);
		}
}

static void
assert_exact (const monocle__profile *profile)
{
	monocle__methods *methods = monocle__methods_new (profile);
	assert_non_null (methods);
	for (size_t i = 0; i < profile->function_count; i++)
		assert_int_equal (methods->self[i], i < FUNCTIONS ? made[i] : 0);
	monocle__methods_free (methods);
}

static void
each_functions_own_cost_is_exact (void **state)
{
	static const size_t limits[] = { 0, 100000, 1000000, SIZE_MAX };
	size_t before = 0;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		monocle__sample_fold fold = { .limit = limits[i] };
		monocle__profile *profile = new_profile ();
		add_walks (&fold, profile);
		assert_exact (profile);
		assert_true (profile->sample_count > before);
		before = profile->sample_count;
		assert_int_equal (fold.folded > 0, limits[i] != SIZE_MAX);
		monocle__sample_fold_done (&fold);
		monocle__profile_free (profile);
	}
}

static void
samples_take_little_beyond_the_limit (void **state)
{
	monocle__sample_fold fold = { .limit = 500000 };
	monocle__profile *profile = new_profile ();
	add_walks (&fold, profile);
	size_t sample = sizeof *profile->samples + sizeof *profile->values;
	assert_true (profile->sample_count * sample + profile->frame_count * 8 < 627000); /* a part of that for folds */
	monocle__sample_fold_done (&fold);
	monocle__profile_free (profile);
}

static void
the_nearest_known_caller_has_the_fold (void **state)
{
	monocle__sample_fold fold = { .limit = 1000 };
	monocle__profile *profile = new_profile ();
	static const uint32_t outer[] = { 0 }, inner[] = { 1, 0 }, far[] = { 4, 3, 2, 1, 0 }, near[] = { 4, 2, 1, 0 };
	add (&fold, profile, outer, 1, 0);
	while (!fold.is_full)
		add (&fold, profile, inner, 2, 0);
	size_t count = profile->sample_count; /* the last one is folded */
	assert_true (add (&fold, profile, far, 5, 0));
	assert_false (add (&fold, profile, near, 4, 0)); /* the same */
	assert_true (add (&fold, profile, near, 4, 7));  /* of another thread */
	const monocle__sample *sample = &profile->samples[count];
	const uint32_t *frames = profile->frames + sample->frames;
	assert_int_equal (sample->depth, 4);
	assert_int_equal (frames[0], 4);
	assert_string_equal (profile->functions[frames[1]].name, "[other paths]");
	assert_int_equal (frames[2], 1);
	assert_int_equal (frames[3], 0);
	assert_int_equal (monocle__profile_values (profile, count)[0], 2);
	assert_int_equal (profile->sample_count, count + 2);
	assert_true (monocle__sample_fold_tell (&fold, profile));
	assert_string_equal (profile->comments[0],
	                     "folded: 4 stacks of the file are shown in [other paths]: it has more than are kept apart");
	monocle__sample_fold_done (&fold);
	monocle__profile_free (profile);
}

/* --- in pieces ---------------------------------------------------------------------------------------------------- */

typedef struct {
	char *bytes;
	size_t size;
} text;

static text
convert (const monocle__profile *profile, monocle__converter *write)
{
	monocle__convert_options options = { .title = "" };
	text made_of = { NULL, 0 };
	FILE *out = open_memstream (&made_of.bytes, &made_of.size);
	assert_int_equal (write (out, profile, &options), 0);
	fclose (out);
	return made_of;
}

/* Larger than one piece, so that fields lie across two. */
static text
packed_walks (void)
{
	monocle__sample_fold fold = { .limit = SIZE_MAX };
	monocle__profile *profile = new_profile ();
	add_walks (&fold, profile);
	text packed = convert (profile, monocle__pprof_convert);
	monocle__profile_free (profile);
	return packed;
}

static void
a_packed_file_in_pieces_is_the_same_profile (void **state)
{
	text packed = packed_walks ();
	monocle__profile *whole, *pieces;
	char error[256];
	assert_int_equal (monocle__profile_parse (packed.bytes, packed.size, &whole, error, sizeof error), 0);
	assert_int_equal (monocle__pprof_parse_packed (packed.bytes, packed.size, SIZE_MAX, &pieces, error, sizeof error),
	                  0);
	text of_whole = convert (whole, monocle__collapsed_convert),
	     of_pieces = convert (pieces, monocle__collapsed_convert);
	assert_true (of_whole.size > 100000);
	assert_int_equal (of_whole.size, of_pieces.size);
	assert_memory_equal (of_whole.bytes, of_pieces.bytes, of_whole.size);
	free (of_whole.bytes);
	free (of_pieces.bytes);
	free (packed.bytes);
	monocle__profile_free (whole);
	monocle__profile_free (pieces);
}

static void
assert_refused (const void *bytes, size_t size, const char *wanted)
{
	monocle__profile *profile = NULL;
	char error[256] = "";
	assert_int_equal (monocle__pprof_parse_packed (bytes, size, SIZE_MAX, &profile, error, sizeof error), -1);
	assert_null (profile);
	assert_non_null (strstr (error, wanted));
}

static void
a_damaged_file_in_pieces_is_refused (void **state)
{
	text packed = packed_walks ();
	assert_refused (packed.bytes, packed.size / 2, "the file is cut off");
	assert_refused (packed.bytes, 0, "the file is cut off");
	packed.bytes[packed.size - 6] ^= 1;
	assert_refused (packed.bytes, packed.size, "gzip check fails");
	packed.bytes[packed.size - 6] ^= 1;
	packed.bytes[0] = 'x';
	assert_refused (packed.bytes, packed.size, "damaged");
	free (packed.bytes);
}

/* What is packed is no message: a field of no type, one that ends nowhere, one larger than files are. */
static void
what_is_no_field_in_pieces_is_refused (void **state)
{
	static const struct {
		unsigned char bytes[16];
		size_t size;
	} rows[] = {
		{ { 0x0f, 0x01 }, 2 },
		{ { 0x12, 0x7f, 0x01 }, 3 },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 12 },
		{ { 0x12, 0xff, 0xff, 0xff, 0xff, 0x7f }, 6 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned char packed[128];
		z_stream z = { .next_in = (Bytef *) (uintptr_t) rows[i].bytes, .avail_in = (uInt) rows[i].size };
		assert_int_equal (deflateInit2 (&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
		z.next_out = packed;
		z.avail_out = sizeof packed;
		assert_int_equal (deflate (&z, Z_FINISH), Z_STREAM_END);
		assert_refused (packed, z.total_out, "damaged, or not a profile");
		deflateEnd (&z);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_functions_own_cost_is_exact),
		cmocka_unit_test (samples_take_little_beyond_the_limit),
		cmocka_unit_test (the_nearest_known_caller_has_the_fold),
		cmocka_unit_test (a_packed_file_in_pieces_is_the_same_profile),
		cmocka_unit_test (a_damaged_file_in_pieces_is_refused),
		cmocka_unit_test (what_is_no_field_in_pieces_is_refused),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}

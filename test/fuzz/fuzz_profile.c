/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_profile.c - any bytes as a profile of any format; what can be read is written in every format, and what was
 * written as pprof is read again as the same.
 */
#include <stdlib.h>

#include "format.h"
#include "report.h"
#include "view.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* The door that everybody comes through, which sets the allowance itself. */
static int
parse_any (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile, char *error,
           size_t error_size)
{
	return monocle__profile_parse (bytes, size, ret_profile, error, error_size);
}

static monocle__profile *
parse (monocle__parser *parser, const void *bytes, size_t size)
{
	monocle__profile *profile = NULL;
	char error[256] = "";

	if (parser (bytes, size, SIZE_MAX, &profile, error, sizeof error) == 0)
		return profile;
	if (profile || !*error)
		abort (); /* A refusal says why. */
	return NULL;
}

static void
write_all (const monocle__profile *profile)
{
	for (size_t i = 0; i < monocle__file_format_count; i++) {
		monocle__convert_options options = { "fuzz", monocle__profile_main_value (profile), false };
		char *bytes = NULL;
		size_t size = 0;
		if (monocle__file_formats[i].fits)
			continue; /* fuzz_mlpd.c writes what fits */
		FILE *out = open_memstream (&bytes, &size);
		if (!out || monocle__file_formats[i].write (out, profile, &options) != 0)
			abort ();
		fclose (out);
		if (monocle__file_formats[i].parse) {
			monocle__profile *again = parse (parse_any, bytes, size);
			if (monocle__file_formats[i].parse == monocle__pprof_parse &&
			    (!again || again->sample_count != profile->sample_count || again->frame_count != profile->frame_count))
				abort ();
			monocle__profile_free (again);
		}
		free (bytes);
	}
}

/* Whatever names and stacks there are, what is shown comes to the same. */
static void
view (const monocle__profile *profile)
{
	static const monocle__view_options options[] = {
		{ .fold = true, .tell_images = true },
		{ .mine = true, .names = MONOCLE__NAMES_MONO, .threads = MONOCLE__THREADS_ROOT },
	};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		monocle__profile *shown = monocle__view_new (profile, &options[i]);
		if (!shown || shown->sample_count != profile->sample_count)
			abort ();
		for (size_t v = 0; v < profile->value_count; v++) {
			if (monocle__profile_sum (shown, v) != monocle__profile_sum (profile, v))
				abort ();
		}
		monocle__profile_free (shown);
	}
}

/* Each reader gets all bytes, not only what looks like its own. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	monocle__parser *const parsers[] = { monocle__collapsed_parse, monocle__speedscope_parse, parse_any };

	for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++) {
		monocle__profile *profile = parse (parsers[i], data, size);
		if (profile && i < 2)
			write_all (profile);
		if (profile)
			view (profile);
		monocle__profile_free (profile);
	}
	return 0;
}

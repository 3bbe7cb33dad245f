/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_mlpd.c - any bytes as a file of Mono's log profiler; what can be read is shown by topic, and what fits is
 * written and read again as the same calls or samples.
 */
#include <stdlib.h>

#include "format.h"
#include "report.h"
#include "topics.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { MOST_WRITTEN = 10000 }; /* events: there may be very many of few bytes */

static monocle__profile *
parse (const void *bytes, size_t size)
{
	monocle__profile *profile = NULL;
	char error[256] = "";
	if (monocle__mlpd_parse (bytes, size, SIZE_MAX, &profile, error, sizeof error) == 0)
		return profile;
	if (profile || !*error)
		abort (); /* A refusal says why. */
	return NULL;
}

static void
write_again (const monocle__profile *profile, const char *value)
{
	monocle__convert_options options = { "fuzz", monocle__profile_find_value (profile, value), true };
	char *bytes = NULL, why[256] = "";
	size_t size = 0;
	monocle__profile *again;
	FILE *out;
	if (options.value == SIZE_MAX || monocle__profile_sum (profile, options.value) > MOST_WRITTEN)
		return;
	if (!monocle__mlpd_fits (profile, &options, why, sizeof why)) {
		if (!*why)
			abort ();
		return;
	}
	out = open_memstream (&bytes, &size);
	if (!out || monocle__mlpd_convert (out, profile, &options) != 0)
		abort ();
	fclose (out);
	again = parse (bytes, size);
	if (again) {
		size_t same = monocle__profile_find_value (again, value);
		if (same == SIZE_MAX || monocle__profile_sum (again, same) != monocle__profile_sum (profile, options.value))
			abort ();
	} else if (monocle__profile_sum (profile, options.value) > 0) {
		abort ();
	}
	monocle__profile_free (again);
	free (bytes);
}

/* `profile` is not what it was afterwards. */
static void
show (FILE *out, monocle__profile *profile)
{
	monocle__topics topics = monocle__topics_find (profile);
	monocle__report_options options = { .title = "fuzz", .width = 40 };
	size_t topic = 0;
	while (topics.count && !topics.samples[topic])
		topic++;
	if (topics.count && !monocle__topics_keep (profile, (monocle__topic) topic, 0))
		abort ();
	if (monocle__report_text (out, profile, &options) != 0)
		abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	monocle__profile *profile = parse (data, size);
	if (!nowhere && !(nowhere = fopen ("/dev/null", "w")))
		abort ();
	if (!profile)
		return 0;
	write_again (profile, "calls");
	write_again (profile, "samples");
	show (nowhere, profile);
	monocle__profile_free (profile);
	return 0;
}

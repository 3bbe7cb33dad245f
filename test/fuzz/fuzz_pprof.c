/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_pprof.c - any bytes as a profile; what can be read is written in every format.
 */
#include <stdlib.h>

#include "format.h"
#include "report.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef int (*writer) (FILE *out, const monocle__profile *profile, const monocle__report_options *options);

static const writer writers[] = { monocle__report_text, monocle__report_tsv, monocle__report_json,
	                              monocle__report_flame };

static void
write_all (FILE *out, const monocle__profile *profile)
{
	for (size_t i = 0; i < 2 * sizeof writers / sizeof *writers; i++) {
		monocle__report_options options = { .title = "fuzz", .tree = i & 1, .limit = i & 2 ? 3 : 0, .width = 40 };
		if (writers[i / 2](out, profile, &options) != 0)
			abort ();
	}
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	monocle__profile *profile = NULL;
	char error[256] = "";
	if (!nowhere && !(nowhere = fopen ("/dev/null", "w")))
		abort ();
	if (monocle__pprof_parse (data, size, SIZE_MAX, &profile, error, sizeof error) == 0)
		write_all (nowhere, profile);
	else if (profile || !*error)
		abort (); /* A refusal says why. */
	monocle__profile_free (profile);
	return 0;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_pprof.c - any bytes as a profile; what can be read is written in every format. Packed, and read in pieces, they
 * are the same profile, or none.
 */
#include <stdlib.h>
#include <zlib.h>

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

/* `whole`: what the bytes are; NULL: nothing. */
static void
read_in_pieces (const uint8_t *data, size_t size, const monocle__profile *whole)
{
	monocle__profile *pieces = NULL;
	char error[256] = "";
	z_stream z = { .next_in = (Bytef *) (uintptr_t) data, .avail_in = (uInt) size };
	if (deflateInit2 (&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort ();
	uLong room = deflateBound (&z, size);
	uint8_t *packed = malloc (room);
	if (!packed)
		abort ();
	z.next_out = packed;
	z.avail_out = (uInt) room;
	if (deflate (&z, Z_FINISH) != Z_STREAM_END)
		abort ();
	bool is_read = monocle__pprof_parse_packed (packed, z.total_out, SIZE_MAX, &pieces, error, sizeof error) == 0;
	if (is_read != (whole != NULL) || is_read != !*error)
		abort ();
	if (is_read && (pieces->sample_count != whole->sample_count || pieces->frame_count != whole->frame_count ||
	                pieces->function_count != whole->function_count || pieces->comment_count != whole->comment_count))
		abort ();
	monocle__profile_free (pieces);
	deflateEnd (&z);
	free (packed);
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
	read_in_pieces (data, size, profile);
	monocle__profile_free (profile);
	return 0;
}

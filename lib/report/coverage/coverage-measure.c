/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-measure.c - see coverage-measure.h.
 */
#include "coverage-measure.h"

#include "cover-file.h"
#include "invariant.h"

#include <inttypes.h>

/* clang-format off */
const char *const monocle__coverage_measure_names[] = {
	[MONOCLE__COVERAGE_LINES]    = "line",
	[MONOCLE__COVERAGE_BRANCHES] = "branch",
	[MONOCLE__COVERAGE_METHODS]  = "method",
	[MONOCLE__COVERAGE_CLASSES]  = "class",
};

const char *const monocle__coverage_measure_plurals[] = {
	[MONOCLE__COVERAGE_LINES]    = "lines",
	[MONOCLE__COVERAGE_BRANCHES] = "branches",
	[MONOCLE__COVERAGE_METHODS]  = "methods",
	[MONOCLE__COVERAGE_CLASSES]  = "classes",
};

#define METHODS "method", "methods"
enum { UNKNOWN = MONOCLE__COVERAGE_LOSS_KINDS - 1 };
const monocle__coverage_loss_words monocle__coverage_measure_losses[MONOCLE__COVERAGE_LOSS_KINDS] = {
	[MONOCLE__COVER_LOSS_SPACE]   = { "space",   METHODS, "found no room in the file" },
	[MONOCLE__COVER_LOSS_REFUSED] = { "refused", METHODS, "could not be given counters" },
	[MONOCLE__COVER_LOSS_SOURCES] = { "sources", METHODS, "came without lines in their symbols" },
	[MONOCLE__COVER_LOSS_CHANGED] = { "changed", METHODS, "changed after they got counters" },
	[MONOCLE__COVER_LOSS_SKIPPED] = { "skipped", "assembly", "assemblies", "without any source that is here, left out" },
	[UNKNOWN]                     = { "other",   "thing", "things", "of a kind that this version does not know" },
};
#undef METHODS
_Static_assert (MONOCLE__COVER_LOSS_SKIPPED + 1 == UNKNOWN, "every kind of loss has words");
/* clang-format on */

monocle__coverage_share
monocle__coverage_measure_share (const monocle__coverage_sums *sums, monocle__coverage_measure measure)
{
	switch (measure) {
	case MONOCLE__COVERAGE_LINES: return (monocle__coverage_share) { sums->lines_hit, sums->lines };
	case MONOCLE__COVERAGE_BRANCHES: return (monocle__coverage_share) { sums->arms_hit, sums->arms };
	case MONOCLE__COVERAGE_METHODS: return (monocle__coverage_share) { sums->methods_hit, sums->methods };
	default: return (monocle__coverage_share) { sums->types_hit, sums->types };
	}
}

uint32_t
monocle__coverage_measure_hundredths (monocle__coverage_share share)
{
	MONOCLE__INVARIANT (share.covered <= share.total);
	/* The double is a whole number of hundredths but for its last bits. */
	return (uint32_t) (monocle__coverage_percent (share.covered, share.total) * 100 + 0.5);
}

uint64_t
monocle__coverage_measure_lost (const monocle__coverage *coverage, size_t kind)
{
	uint64_t sum = 0;
	if (kind < UNKNOWN)
		return coverage->losses[kind];
	for (size_t i = UNKNOWN; i < MONOCLE__COVER_LOSS_COUNT; i++)
		sum += coverage->losses[i];
	return sum;
}

void
monocle__coverage_measure_write_json (FILE *out, const monocle__coverage_sums *sums)
{
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		monocle__coverage_share share = monocle__coverage_measure_share (sums, (monocle__coverage_measure) i);
		const char *one = monocle__coverage_measure_names[i], *many = monocle__coverage_measure_plurals[i];
		uint32_t hundredths = monocle__coverage_measure_hundredths (share);
		fprintf (out, "%s\"%s\": %" PRIu64 ", \"%s_covered\": %" PRIu64 ", \"%s_percent\": ", i ? ", " : "", many,
		         share.total, many, share.covered, one);
		if (share.total > 0)
			fprintf (out, "%" PRIu32 ".%02" PRIu32, hundredths / 100, hundredths % 100);
		else
			fputs ("null", out);
	}
}

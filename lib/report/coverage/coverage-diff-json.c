/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-diff-json.c - two coverages as one JSON object: sums before and after, then the lines that changed.
 */
#include "column.h"
#include "coverage-diff.h"
#include "coverage-measure.h"

#include <inttypes.h>

static void
write_text (FILE *out, const char *before, const char *text)
{
	fputs (before, out);
	monocle__json_string (out, text);
}

static void
write_side (FILE *out, const char *name, const char *path, const monocle__coverage *coverage)
{
	monocle__coverage_sums sums = monocle__coverage_sum (coverage);
	fprintf (out, "  \"%s\": ", name);
	write_text (out, "{\"coverage\": ", path);
	fputs (", \"sums\": {", out);
	monocle__coverage_measure_write_json (out, &sums);
	fputs ("}},\n", out);
}

static void
write_change (FILE *out, const monocle__coverage_diff *diff, const monocle__coverage_change *change)
{
	const monocle__coverage *after = diff->after;
	const monocle__coverage_line *line = &after->lines[change->line];
	const monocle__coverage_line *before = &diff->before->lines[change->line_before];
	const monocle__coverage_method *method = &after->methods[line->method];
	fprintf (out, "{\"change\": \"%s\"", monocle__coverage_diff_is_gain (diff, change) ? "gained" : "lost");
	write_text (out, ", \"file\": ", after->files[change->file].path);
	fprintf (out, ", \"line\": %" PRIu32, line->number);
	write_text (out, ", \"class\": ", after->types[method->type].name);
	write_text (out, ", \"method\": ", method->name);
	fprintf (out, ", \"hits\": %" PRIu64 ", \"line_before\": %" PRIu32 ", \"hits_before\": %" PRIu64 "}", line->hits,
	         before->number, before->hits);
}

void
monocle__coverage_diff_json (FILE *out, const monocle__coverage_diff *diff,
                             const monocle__coverage_diff_options *options)
{
	fputs ("{\n", out);
	write_side (out, "before", options->before, diff->before);
	write_side (out, "after", options->after, diff->after);
	fprintf (out, "  \"gained\": %" PRIu64 ",\n  \"lost\": %" PRIu64 ",\n", diff->gained, diff->lost);
	fprintf (out, "  \"only_before\": %" PRIu64 ",\n  \"only_after\": %" PRIu64 ",\n", diff->only_before,
	         diff->only_after);
	fputs ("  \"lines\": [", out);
	for (size_t i = 0; i < diff->change_count; i++) {
		fputs (i ? ",\n    " : "\n    ", out);
		write_change (out, diff, &diff->changes[i]);
	}
	fputs (diff->change_count ? "\n  ]\n}\n" : "]\n}\n", out);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-diff-tsv.c - the lines that changed as tab-separated rows.
 */
#include "column.h"
#include "coverage-diff.h"

#include <inttypes.h>

void
monocle__coverage_diff_tsv (FILE *out, const monocle__coverage_diff *diff,
                            const monocle__coverage_diff_options *options)
{
	const monocle__coverage *after = diff->after;
	(void) options;
	fputs ("change\tfile\tline\tclass\tmethod\thits\tline_before\thits_before\n", out);
	for (size_t i = 0; i < diff->change_count; i++) {
		const monocle__coverage_change *change = &diff->changes[i];
		const monocle__coverage_line *line = &after->lines[change->line];
		const monocle__coverage_line *before = &diff->before->lines[change->line_before];
		const monocle__coverage_method *method = &after->methods[line->method];
		fputs (monocle__coverage_diff_is_gain (diff, change) ? "gained\t" : "lost\t", out);
		monocle__tsv_name (out, after->files[change->file].path);
		fprintf (out, "\t%" PRIu32 "\t", line->number);
		monocle__tsv_name (out, after->types[method->type].name);
		putc ('\t', out);
		monocle__tsv_name (out, method->name);
		fprintf (out, "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\n", line->hits, before->number, before->hits);
	}
}

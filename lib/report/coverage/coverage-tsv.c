/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-tsv.c - coverage as tab-separated rows: a header line, then every row, plain numbers, names in full.
 *
 * A percentage of nothing is empty. Missed lines are ranges as people see them.
 */
#include "column.h"
#include "coverage-measure.h"
#include "coverage-ranges.h"
#include "coverage-rows.h"
#include "coverage-tree.h"

#include <inttypes.h>

static void
write_header (FILE *out)
{
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++)
		fprintf (out, "\t%s\t%s_covered\t%s_percent", monocle__coverage_measure_plurals[i],
		         monocle__coverage_measure_plurals[i], monocle__coverage_measure_names[i]);
}

static void
write_sums (FILE *out, const monocle__coverage_sums *sums)
{
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		monocle__coverage_share share = monocle__coverage_measure_share (sums, (monocle__coverage_measure) i);
		uint32_t hundredths = monocle__coverage_measure_hundredths (share);
		fprintf (out, "\t%" PRIu64 "\t%" PRIu64 "\t", share.total, share.covered);
		if (share.total > 0)
			fprintf (out, "%" PRIu32 ".%02" PRIu32, hundredths / 100, hundredths % 100);
	}
}

/* Where a class or a method is. */
static void
write_place (FILE *out, const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index)
{
	const monocle__coverage_image *image = monocle__coverage_rows_image (coverage, by, index);
	if (by == MONOCLE__COVERAGE_BY_CLASS || by == MONOCLE__COVERAGE_BY_METHOD) {
		putc ('\t', out);
		monocle__tsv_name (out, image->name);
	}
	if (by == MONOCLE__COVERAGE_BY_METHOD) {
		const monocle__coverage_method *method = &coverage->methods[index];
		putc ('\t', out);
		monocle__tsv_name (out, method->file == MONOCLE__COVERAGE_NONE ? "" : coverage->files[method->file].path);
		fprintf (out, "\t%" PRIu32 "\t%" PRIu64, method->line, method->calls);
	}
}

static int
write_missed (FILE *out, const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index,
              monocle__coverage_ranges *ranges)
{
	char text[MONOCLE__COVERAGE_RANGE_SIZE];
	if (monocle__coverage_ranges_find (ranges, coverage, by, index) != 0)
		return -1;
	putc ('\t', out);
	for (size_t i = 0; i < ranges->count; i++) {
		monocle__coverage_ranges_format (ranges, coverage, i, text);
		fputs (i ? ", " : "", out);
		monocle__tsv_name (out, text);
	}
	return 0;
}

static int
write_rows (FILE *out, const monocle__coverage *coverage, const monocle__coverage_report_options *options)
{
	static const char *const places[] = { "", "\tassembly", "\tassembly\tfile\tline\tcalls", "" };
	bool has_missed = options->by != MONOCLE__COVERAGE_BY_ASSEMBLY;
	monocle__coverage_ranges ranges = { 0 };
	monocle__coverage_rows rows;
	int result = 0;
	if (monocle__coverage_rows_init (&rows, coverage, options) != 0)
		return -1;
	fprintf (out, "%s%s", monocle__coverage_by_names[options->by], places[options->by]);
	write_header (out);
	fputs (has_missed ? "\tmissed\n" : "\n", out);
	for (size_t i = 0; result == 0 && i < rows.shown; i++) {
		const monocle__coverage_row *row = &rows.items[i];
		monocle__tsv_name (out, row->name);
		write_place (out, coverage, options->by, row->index);
		write_sums (out, &row->sums);
		if (has_missed)
			result = write_missed (out, coverage, options->by, row->index, &ranges);
		putc ('\n', out);
	}
	monocle__coverage_ranges_done (&ranges);
	monocle__coverage_rows_done (&rows);
	return result;
}

static void
write_node (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context)
{
	FILE *out = context;
	(void) tree;
	fprintf (out, "%s\t%" PRIu32 "\t", monocle__coverage_tree_kinds[node->kind], node->depth - 1);
	monocle__tsv_name (out, node->name);
	write_sums (out, &node->sums);
	putc ('\n', out);
}

static int
write_tree (FILE *out, const monocle__coverage *coverage, const monocle__coverage_report_options *options)
{
	monocle__coverage_tree_visitor visitor = { write_node, NULL, out };
	monocle__coverage_tree tree;
	if (monocle__coverage_tree_init (&tree, coverage, options) != 0)
		return -1;
	fputs ("kind\tdepth\tname", out);
	write_header (out);
	putc ('\n', out);
	monocle__coverage_tree_walk (&tree, &visitor);
	monocle__coverage_tree_done (&tree);
	return 0;
}

int
monocle__coverage_report_tsv (FILE *out, const monocle__coverage *coverage,
                              const monocle__coverage_report_options *options)
{
	return options->tree ? write_tree (out, coverage, options) : write_rows (out, coverage, options);
}

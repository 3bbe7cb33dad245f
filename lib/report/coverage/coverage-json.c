/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-json.c - coverage as one JSON object: what the file says of itself, its sums, then a flat list of rows.
 *
 * A percentage of nothing is null.
 */
#include "column.h"
#include "coverage-measure.h"
#include "coverage-ranges.h"
#include "coverage-rows.h"
#include "coverage-tree.h"

#include <inttypes.h>

typedef struct {
	FILE *out;
	const monocle__coverage *coverage;
	const char *comma; /* before the next row */
} writer;

static void
write_text (FILE *out, const char *before, const char *text)
{
	fputs (before, out);
	monocle__json_string (out, text);
}

static void
write_losses (const writer *w)
{
	fputs (",\n  \"lost\": {", w->out);
	for (size_t i = 0; i < MONOCLE__COVERAGE_LOSS_KINDS; i++)
		fprintf (w->out, "%s\"%s\": %" PRIu64, i ? ", " : "", monocle__coverage_measure_losses[i].name,
		         monocle__coverage_measure_lost (w->coverage, i));
	fprintf (w->out, "},\n  \"left_out\": %" PRIu64, w->coverage->left_out);
	fprintf (w->out, ",\n  \"conflicts\": %" PRIu64 ",\n  \"counts_lost\": %s", w->coverage->conflicts,
	         w->coverage->mixed ? "true" : "false");
}

static void
write_head (const writer *w, const monocle__coverage_report_options *options, const char *rows)
{
	const monocle__coverage *c = w->coverage;
	monocle__coverage_sums sums = monocle__coverage_sum (c);
	write_text (w->out, "{\n  \"coverage\": ", options->title ? options->title : "");
	write_text (w->out, ",\n  \"program\": ", c->program);
	write_text (w->out, ",\n  \"runtime\": ", c->runtime);
	write_text (w->out, ",\n  \"desc\": ", c->desc);
	fprintf (w->out, ",\n  \"begun_ns\": %" PRIu64 ",\n  \"ended_ns\": %" PRIu64, c->begun_ns, c->ended_ns);
	fprintf (w->out, ",\n  \"processes\": %" PRIu32 ",\n  \"complete\": %s,\n  \"counts\": %s", c->processes,
	         c->incomplete ? "false" : "true", c->counts ? "true" : "false");
	write_losses (w);
	fputs (",\n  \"sums\": {", w->out);
	monocle__coverage_measure_write_json (w->out, &sums);
	fprintf (w->out, "},\n  \"%s\": [", rows);
}

static void
write_end (const writer *w)
{
	fputs (*w->comma ? "\n  ]\n}\n" : "]\n}\n", w->out);
}

static void
write_place (const writer *w, monocle__coverage_by by, uint32_t index)
{
	const monocle__coverage *c = w->coverage;
	if (by == MONOCLE__COVERAGE_BY_CLASS || by == MONOCLE__COVERAGE_BY_METHOD)
		write_text (w->out, "\"assembly\": ", monocle__coverage_rows_image (c, by, index)->name);
	if (by == MONOCLE__COVERAGE_BY_METHOD) {
		const monocle__coverage_method *method = &c->methods[index];
		write_text (w->out, ", \"file\": ", method->file == MONOCLE__COVERAGE_NONE ? "" : c->files[method->file].path);
		fprintf (w->out, ", \"line\": %" PRIu32 ", \"calls\": %" PRIu64, method->line, method->calls);
	}
	if (by == MONOCLE__COVERAGE_BY_CLASS || by == MONOCLE__COVERAGE_BY_METHOD)
		fputs (", ", w->out);
}

/* An object per file that misses lines. */
static int
write_missed (const writer *w, monocle__coverage_by by, uint32_t index, monocle__coverage_ranges *ranges)
{
	if (monocle__coverage_ranges_find (ranges, w->coverage, by, index) != 0)
		return -1;
	fputs (", \"missed\": [", w->out);
	for (size_t i = 0; i < ranges->count; i++) {
		const monocle__coverage_range *range = &ranges->items[i];
		bool is_first = i == 0 || range->file != range[-1].file;
		bool is_last = i + 1 == ranges->count || range->file != range[1].file;
		if (is_first) {
			write_text (w->out, i ? ", {\"file\": " : "{\"file\": ", w->coverage->files[range->file].path);
			fputs (", \"lines\": [", w->out);
		}
		fprintf (w->out, "%s[%" PRIu32 ", %" PRIu32 "]%s", is_first ? "" : ", ", range->first, range->last,
		         is_last ? "]}" : "");
	}
	putc (']', w->out);
	return 0;
}

static int
write_rows (writer *w, const monocle__coverage_report_options *options)
{
	monocle__coverage_ranges ranges = { 0 };
	monocle__coverage_rows rows;
	int result = 0;
	if (monocle__coverage_rows_init (&rows, w->coverage, options) != 0)
		return -1;
	write_head (w, options, "rows");
	for (size_t i = 0; result == 0 && i < rows.shown; i++) {
		const monocle__coverage_row *row = &rows.items[i];
		fprintf (w->out, "%s\n    {\"%s\": ", w->comma, monocle__coverage_by_names[options->by]);
		write_text (w->out, "", row->name);
		fputs (", ", w->out);
		write_place (w, options->by, row->index);
		monocle__coverage_measure_write_json (w->out, &row->sums);
		if (options->by != MONOCLE__COVERAGE_BY_ASSEMBLY)
			result = write_missed (w, options->by, row->index, &ranges);
		putc ('}', w->out);
		w->comma = ",";
	}
	write_end (w);
	monocle__coverage_ranges_done (&ranges);
	monocle__coverage_rows_done (&rows);
	return result;
}

static void
write_node (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context)
{
	writer *w = context;
	(void) tree;
	fprintf (w->out, "%s\n    {\"kind\": \"%s\", \"depth\": %" PRIu32 ", \"name\": ", w->comma,
	         monocle__coverage_tree_kinds[node->kind], node->depth - 1);
	write_text (w->out, "", node->name);
	fputs (", ", w->out);
	monocle__coverage_measure_write_json (w->out, &node->sums);
	putc ('}', w->out);
	w->comma = ",";
}

static int
write_tree (writer *w, const monocle__coverage_report_options *options)
{
	monocle__coverage_tree_visitor visitor = { write_node, NULL, w };
	monocle__coverage_tree tree;
	if (monocle__coverage_tree_init (&tree, w->coverage, options) != 0)
		return -1;
	write_head (w, options, "rows");
	monocle__coverage_tree_walk (&tree, &visitor);
	write_end (w);
	monocle__coverage_tree_done (&tree);
	return 0;
}

int
monocle__coverage_report_json (FILE *out, const monocle__coverage *coverage,
                               const monocle__coverage_report_options *options)
{
	writer w = { .out = out, .coverage = coverage, .comma = "" };
	return options->tree ? write_tree (&w, options) : write_rows (&w, options);
}

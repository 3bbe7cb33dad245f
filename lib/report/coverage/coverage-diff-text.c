/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-diff-text.c - two coverages for people: what is covered before and after, then the files and methods whose
 * lines changed.
 */
#include "column.h"
#include "coverage-diff.h"
#include "coverage-measure.h"
#include "width.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_SIZE = 8192 };

typedef struct {
	FILE *out;
	const monocle__coverage_diff *diff;
	const monocle__coverage_diff_options *options;
} writer;

/* A name of others, fit to be printed. */
static void
print_name (const writer *w, const char *name)
{
	char buffer[NAME_SIZE];
	monocle__utf8_elide (name, 0, "", buffer, sizeof buffer);
	fputs (buffer, w->out);
}

static void
print_percent (const writer *w, monocle__coverage_share share)
{
	uint32_t tenths = monocle__coverage_measure_hundredths (share) / 10;
	char text[32] = "-";
	if (share.total)
		snprintf (text, sizeof text, "%" PRIu32 ".%" PRIu32 "%%", tenths / 10, tenths % 10);
	fprintf (w->out, "  %11" PRIu64 " of %-9" PRIu64 " %6s", share.covered, share.total, text);
}

static void
print_sums (const writer *w)
{
	monocle__coverage_sums before = monocle__coverage_sum (w->diff->before);
	monocle__coverage_sums after = monocle__coverage_sum (w->diff->after);
	fprintf (w->out, "%-8s  %32s  %32s  %8s\n", "", "before", "after", "points");
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		monocle__coverage_share b = monocle__coverage_measure_share (&before, (monocle__coverage_measure) i);
		monocle__coverage_share a = monocle__coverage_measure_share (&after, (monocle__coverage_measure) i);
		int points = (int) monocle__coverage_measure_hundredths (a) - (int) monocle__coverage_measure_hundredths (b);
		fprintf (w->out, "%-8s", monocle__coverage_measure_plurals[i]);
		print_percent (w, b);
		print_percent (w, a);
		fprintf (w->out, "  %+8.2f\n", points / 100.0);
	}
}

/* What follows the change in the same file and method, whichever way it went. */
static size_t
end_of_method (const writer *w, size_t begin)
{
	const monocle__coverage_change *changes = w->diff->changes;
	const monocle__coverage_line *lines = w->diff->after->lines;
	size_t end = begin;
	while (end < w->diff->change_count && changes[end].file == changes[begin].file &&
	       lines[changes[end].line].method == lines[changes[begin].line].method)
		end++;
	return end;
}

/* "+10-12 -15": lines side by side, but for those that cannot be covered, are a range. */
static void
print_lines (const writer *w, size_t begin, size_t end)
{
	const monocle__coverage_change *changes = w->diff->changes;
	for (size_t i = begin, next; i < end; i = next) {
		bool is_gain = monocle__coverage_diff_is_gain (w->diff, &changes[i]);
		const char *colour = !w->options->colour ? "" : is_gain ? "\033[32m" : "\033[31m";
		uint32_t first = w->diff->after->lines[changes[i].line].number, last;
		for (next = i + 1; next < end && changes[next].line == changes[next - 1].line + 1 &&
		                   monocle__coverage_diff_is_gain (w->diff, &changes[next]) == is_gain;)
			next++;
		last = w->diff->after->lines[changes[next - 1].line].number;
		fprintf (w->out, "  %s%c%" PRIu32, colour, is_gain ? '+' : '-', first);
		if (last != first)
			fprintf (w->out, "-%" PRIu32, last);
		fputs (*colour ? "\033[0m" : "", w->out);
	}
	putc ('\n', w->out);
}

static void
print_file (const writer *w, size_t begin)
{
	const monocle__coverage_change *changes = w->diff->changes;
	uint64_t gained = 0, lost = 0;
	for (size_t i = begin; i < w->diff->change_count && changes[i].file == changes[begin].file; i++) {
		bool is_gain = monocle__coverage_diff_is_gain (w->diff, &changes[i]);
		gained += is_gain;
		lost += !is_gain;
	}
	fprintf (w->out, "\n+%" PRIu64 " -%" PRIu64 "  ", gained, lost);
	print_name (w, w->diff->after->files[changes[begin].file].path);
	putc ('\n', w->out);
}

static void
print_changes (const writer *w)
{
	const monocle__coverage *after = w->diff->after;
	for (size_t i = 0, end; i < w->diff->change_count; i = end) {
		const monocle__coverage_change *change = &w->diff->changes[i];
		const monocle__coverage_method *method = &after->methods[after->lines[change->line].method];
		if (i == 0 || change->file != change[-1].file)
			print_file (w, i);
		end = end_of_method (w, i);
		fputs ("  ", w->out);
		print_name (w, after->types[method->type].name);
		putc ('.', w->out);
		print_name (w, method->name);
		print_lines (w, i, end);
	}
}

static void
print_foot (const writer *w)
{
	const monocle__coverage_diff *d = w->diff;
	if (d->change_count == 0)
		fputs ("\nNo line that both have changed.\n", w->out);
	else
		fprintf (w->out, "\n%" PRIu64 " line%s newly covered, %" PRIu64 " lost.\n", d->gained,
		         d->gained == 1 ? "" : "s", d->lost);
	if (d->only_before || d->only_after)
		fprintf (w->out, "# not compared: lines that only one has, %" PRIu64 " before and %" PRIu64 " after\n",
		         d->only_before, d->only_after);
}

void
monocle__coverage_diff_text (FILE *out, const monocle__coverage_diff *diff,
                             const monocle__coverage_diff_options *options)
{
	writer w = { out, diff, options };
	fputs ("# before: ", out);
	print_name (&w, options->before);
	fputs ("\n# after: ", out);
	print_name (&w, options->after);
	fputs ("\n\n", out);
	print_sums (&w);
	print_changes (&w);
	print_foot (&w);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-lcov.c - a tracefile that lcov reads, versions 1 and 2, and what else reads those.
 *
 * Functions are FN and FNDA without an end line: version 1 takes that for a part of the name. Each has a name that no
 * other of its file has, because version 2 refuses one name on two lines; and it ran as often as its first point. A
 * block is a branch, by its number on the line. Of a line that did not run no branch did, whatever its counters say:
 * they may have been reset between the two.
 */
#include "coverage-format.h"
#include "coverage-roots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A method whose first point is in the file. */
typedef struct {
	const char *type, *name;
	uint32_t file, line;
	uint32_t number; /* among those of its name in the file, from 1 on */
	uint64_t calls;
} function;

typedef struct {
	FILE *out;
	const monocle__coverage *coverage;
	const monocle__coverage_roots *roots;
	function *functions; /* by file, then by line */
	size_t count;
} writer;

/* --- functions ---------------------------------------------------------------------------------------------------- */

static int
compare_numbers (uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_names (const function *a, const function *b)
{
	int order = strcmp (a->type, b->type);
	return order ? order : strcmp (a->name, b->name);
}

static int
by_name (const void *a, const void *b)
{
	const function *x = a, *y = b;
	int order = compare_numbers (x->file, y->file);
	if (order == 0)
		order = compare_names (x, y);
	return order ? order : compare_numbers (x->line, y->line);
}

static int
by_line (const void *a, const void *b)
{
	const function *x = a, *y = b;
	int order = compare_numbers (x->file, y->file);
	if (order == 0)
		order = compare_numbers (x->line, y->line);
	return order ? order : compare_names (x, y);
}

/* One name on one line is one function, as of two images that were made of the same source. */
static void
number_names (writer *w)
{
	function *last = NULL;
	for (size_t i = 0; i < w->count; i++) {
		function *f = &w->functions[i];
		bool is_same = last && last->file == f->file && compare_names (last, f) == 0;
		if (is_same && last->line == f->line) {
			last->calls = f->calls > last->calls ? f->calls : last->calls;
			continue;
		}
		f->number = is_same ? last->number + 1 : 1;
		last = last ? last + 1 : w->functions;
		*last = *f;
	}
	w->count = last ? (size_t) (last - w->functions) + 1 : 0;
}

static bool
find_functions (writer *w)
{
	const monocle__coverage *c = w->coverage;
	w->functions = calloc (c->method_count + 1, sizeof *w->functions);
	if (!w->functions)
		return false;
	for (size_t i = 0; i < c->method_count; i++) {
		const monocle__coverage_method *m = &c->methods[i];
		if (m->file != MONOCLE__COVERAGE_NONE)
			w->functions[w->count++] = (function) { c->types[m->type].name, m->name, m->file, m->line, 0, m->calls };
	}
	qsort (w->functions, w->count, sizeof *w->functions, by_name);
	number_names (w);
	qsort (w->functions, w->count, sizeof *w->functions, by_line);
	return true;
}

/* What would end the line becomes a blank. */
static void
write_text (FILE *out, const char *text)
{
	for (; *text; text++)
		putc ((unsigned char) *text < 0x20 ? ' ' : *text, out);
}

static void
write_name (const writer *w, const function *f)
{
	write_text (w->out, f->type);
	putc (':', w->out);
	write_text (w->out, f->name);
	if (f->number > 1)
		fprintf (w->out, " #%" PRIu32, f->number);
	putc ('\n', w->out);
}

/* Those of the file begin at `first`; how many there are. */
static size_t
write_functions (const writer *w, uint32_t file, size_t first)
{
	size_t end = first, hit = 0;
	for (; end < w->count && w->functions[end].file == file; end++) {
		fprintf (w->out, "FN:%" PRIu32 ",", w->functions[end].line);
		write_name (w, &w->functions[end]);
	}
	for (size_t i = first; i < end; i++) {
		fprintf (w->out, "FNDA:%" PRIu64 ",", w->functions[i].calls);
		write_name (w, &w->functions[i]);
		hit += w->functions[i].calls > 0;
	}
	fprintf (w->out, "FNF:%zu\nFNH:%zu\n", end - first, hit);
	return end - first;
}

/* --- branches and lines ------------------------------------------------------------------------------------------- */

/* How many arms of the line were taken. */
static uint32_t
write_branches (const writer *w, const monocle__coverage_line *line)
{
	const uint32_t *indexes = w->coverage->line_arms + line->first_branch_of_line;
	const monocle__coverage_arm *last = NULL;
	uint32_t block = 0, number = 0, hit = 0;
	for (uint32_t i = 0; i < line->arms; i++) {
		const monocle__coverage_arm *arm = &w->coverage->arms[indexes[i]];
		if (last && arm->branch != last->branch) {
			block++;
			number = 0;
		}
		fprintf (w->out, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", line->number, block, number++);
		if (line->hits > 0)
			fprintf (w->out, "%" PRIu64 "\n", arm->hits);
		else
			fputs ("-\n", w->out);
		hit += line->hits > 0 && arm->hits > 0;
		last = arm;
	}
	return hit;
}

static void
write_lines (const writer *w, const monocle__coverage_line *lines, size_t count)
{
	uint64_t arms = 0, arms_hit = 0, hit = 0;
	for (size_t i = 0; i < count; i++) {
		arms += lines[i].arms;
		arms_hit += write_branches (w, &lines[i]);
	}
	fprintf (w->out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", arms, arms_hit);
	for (size_t i = 0; i < count; i++) {
		fprintf (w->out, "DA:%" PRIu32 ",%" PRIu64 "\n", lines[i].number, lines[i].hits);
		hit += lines[i].hits > 0;
	}
	fprintf (w->out, "LF:%zu\nLH:%" PRIu64 "\nend_of_record\n", count, hit);
}

int
monocle__coverage_lcov_convert (FILE *out, const monocle__coverage *coverage,
                                const monocle__coverage_convert_options *options)
{
	monocle__coverage_roots *roots = monocle__coverage_roots_new (coverage, options->source_root);
	writer w = { .out = out, .coverage = coverage, .roots = roots };
	size_t first = 0;
	int result = roots && find_functions (&w) ? 0 : -1;
	for (uint32_t f = 0; result == 0 && f < coverage->file_count; f++) {
		const monocle__coverage_file *file = &coverage->files[f];
		if (file->line_count == 0)
			continue;
		fputs ("TN:\nSF:", out);
		write_text (out, monocle__coverage_roots_short (roots, f));
		putc ('\n', out);
		first += write_functions (&w, f, first);
		write_lines (&w, &coverage->lines[file->first_line], file->line_count);
	}
	free (w.functions);
	monocle__coverage_roots_free (roots);
	return result;
}

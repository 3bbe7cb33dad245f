/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-annotate.c - see coverage-annotate.h.
 *
 *     hits  branches  line
 *        3       1/2!   17  	if (a > b)
 *   missed              18  		return a;
 *
 * A line without hits beside it cannot be covered. "!" is the mark of branches that were taken in part, and of hits
 * where a statement that begins on the line never ran.
 */
#include "coverage-annotate.h"

#include "array.h"
#include "column.h"
#include "coverage-measure.h"
#include "source-text.h"
#include "utf8.h"
#include "width.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 64, NAME_SIZE = 4096 };

/* Lines of a file. */
typedef struct {
	uint32_t file, first, last;
} part;

typedef struct {
	part *items;
	size_t count, capacity;
} parts;

typedef struct {
	FILE *out;
	const monocle__coverage *coverage;
	monocle__coverage_by by; /* what was asked for */
	uint32_t index;
	const monocle__coverage_file *file;
	bool colour, has_branches;
	int hits_width, branches_width, number_width;
	uint32_t next; /* of the file's lines */
} writer;

/* --- which lines -------------------------------------------------------------------------------------------------- */

static bool
add_part (parts *p, uint32_t file, uint32_t first, uint32_t last)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->items[i].file != file)
			continue;
		p->items[i].first = first < p->items[i].first ? first : p->items[i].first;
		p->items[i].last = last > p->items[i].last ? last : p->items[i].last;
		return true;
	}
	if (!MONOCLE__RESERVE (p->items, p->capacity, p->count + 1))
		return false;
	p->items[p->count++] = (part) { file, first, last };
	return true;
}

static bool
add_method (parts *p, const monocle__coverage *coverage, uint32_t index)
{
	const monocle__coverage_method *method = &coverage->methods[index];
	for (uint32_t i = 0; i < method->body_count; i++) {
		const monocle__coverage_body *body = &coverage->bodies[method->first_body + i];
		for (uint32_t k = 0; k < body->point_count; k++) {
			const monocle__coverage_point *point = &coverage->points[body->first_point + k];
			uint32_t last = point->end_line > point->start_line ? point->end_line : point->start_line;
			if (!add_part (p, point->file, point->start_line, last))
				return false;
		}
	}
	return true;
}

/* A declaration is usually on the line before the first point, which is at a brace. */
static bool
find_parts (parts *p, const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index)
{
	const monocle__coverage_type *type = &coverage->types[index];
	bool is_found = true;
	if (by == MONOCLE__COVERAGE_BY_FILE)
		return add_part (p, index, 1, UINT32_MAX);
	if (by == MONOCLE__COVERAGE_BY_METHOD)
		is_found = add_method (p, coverage, index);
	for (uint32_t i = 0; is_found && by == MONOCLE__COVERAGE_BY_CLASS && i < type->method_count; i++)
		is_found = add_method (p, coverage, type->first_method + i);
	for (size_t i = 0; i < p->count; i++)
		p->items[i].first -= p->items[i].first > 1;
	return is_found;
}

/* --- a line ------------------------------------------------------------------------------------------------------- */

static const char *
colour_of (const writer *w, const monocle__coverage_line *line)
{
	if (!w->colour || !line)
		return "";
	bool in_part = line->statements_hit < line->statements || line->arms_hit < line->arms;
	return line->hits == 0 ? "\033[31m" : in_part ? "\033[33m" : "\033[32m";
}

static void
format_hits (const writer *w, const monocle__coverage_line *line, char *buffer)
{
	if (line->hits == 0)
		strcpy (buffer, "missed");
	else if (!w->coverage->counts)
		strcpy (buffer, "hit");
	else
		monocle__amount_format ((int64_t) line->hits, "count", buffer, CELL_SIZE - 1);
	if (line->hits > 0 && line->statements_hit < line->statements)
		strcat (buffer, "!");
}

static void
format_branches (const monocle__coverage_line *line, char *buffer)
{
	if (line->arms == 0)
		strcpy (buffer, "");
	else
		snprintf (buffer, CELL_SIZE, "%" PRIu32 "/%" PRIu32 "%s", line->arms_hit, line->arms,
		          line->arms_hit < line->arms ? "!" : " ");
}

static void
widen (int *width, const char *text)
{
	if ((int) strlen (text) > *width)
		*width = (int) strlen (text);
}

static void
measure (writer *w, uint32_t last)
{
	char buffer[CELL_SIZE];
	w->hits_width = (int) strlen ("missed");
	w->branches_width = (int) strlen ("branches");
	w->number_width = (int) strlen ("line");
	for (uint32_t i = 0; i < w->file->line_count; i++) {
		const monocle__coverage_line *line = &w->coverage->lines[w->file->first_line + i];
		if (line->number > last)
			break;
		format_hits (w, line, buffer);
		widen (&w->hits_width, buffer);
		format_branches (line, buffer);
		widen (&w->branches_width, buffer);
		w->has_branches |= line->arms > 0;
	}
}

/* Lines are asked for in ascending order. */
static const monocle__coverage_line *
line_of (writer *w, uint32_t number)
{
	const monocle__coverage_line *lines = w->coverage->lines + w->file->first_line;
	while (w->next < w->file->line_count && lines[w->next].number < number)
		w->next++;
	return w->next < w->file->line_count && lines[w->next].number == number ? &lines[w->next] : NULL;
}

static void
print_line (writer *w, uint32_t number, const char *text, size_t length)
{
	const monocle__coverage_line *line = line_of (w, number);
	char hits[CELL_SIZE] = "", branches[CELL_SIZE] = "";
	const char *colour = colour_of (w, line);
	if (line) {
		format_hits (w, line, hits);
		format_branches (line, branches);
	}
	fprintf (w->out, "%s%*s  ", colour, w->hits_width, hits);
	if (w->has_branches)
		fprintf (w->out, "%*s  ", w->branches_width, branches);
	fprintf (w->out, "%*" PRIu32 "%s%s", w->number_width, number, *colour ? "\033[0m" : "", length ? "  " : "");
	monocle__source_text_print (w->out, text, length);
}

/* --- a file ------------------------------------------------------------------------------------------------------- */

static void
print_text (const writer *w, const char *before, const char *text)
{
	char buffer[NAME_SIZE];
	monocle__utf8_elide (text, 0, "", buffer, sizeof buffer);
	fprintf (w->out, "%s%s\n", before, buffer);
}

static void
print_share (const writer *w, const monocle__coverage_sums *sums, monocle__coverage_measure measure, const char *before)
{
	monocle__coverage_share share = monocle__coverage_measure_share (sums, measure);
	uint32_t tenths = monocle__coverage_measure_hundredths (share) / 10;
	if (share.total > 0)
		fprintf (w->out, "%s%s %" PRIu64 " of %" PRIu64 " (%" PRIu32 ".%" PRIu32 "%%)", before,
		         monocle__coverage_measure_plurals[measure], share.covered, share.total, tenths / 10, tenths % 10);
}

/* Of a class or method the name, and the shares of it alone. */
static void
print_head (const writer *w, bool is_changed)
{
	const monocle__coverage_method *method = &w->coverage->methods[w->index];
	const monocle__coverage_type *types = w->coverage->types;
	monocle__coverage_sums sums;
	print_text (w, "", w->file->path);
	if (w->by == MONOCLE__COVERAGE_BY_FILE) {
		sums = monocle__coverage_sum_of_file (w->coverage, w->index);
	} else if (w->by == MONOCLE__COVERAGE_BY_CLASS) {
		sums = monocle__coverage_sum_of_type (w->coverage, w->index);
		print_text (w, "# class: ", types[w->index].name);
	} else {
		sums = monocle__coverage_sum_of_method (w->coverage, w->index);
		print_text (w, "# class: ", types[method->type].name);
		print_text (w, "# method: ", method->name);
	}
	if (strcmp (w->file->path, w->file->local) != 0)
		print_text (w, "# source: ", w->file->local);
	if (is_changed)
		fprintf (w->out, "%s# this is not the text that was compiled: lines may have moved%s\n",
		         w->colour ? "\033[1m" : "", w->colour ? "\033[0m" : "");
	print_share (w, &sums, MONOCLE__COVERAGE_LINES, "");
	print_share (w, &sums, MONOCLE__COVERAGE_BRANCHES, ", ");
	fputs ("\n\n", w->out);
	fprintf (w->out, "%s%*s  ", w->colour ? "\033[1m" : "", w->hits_width, "hits");
	if (w->has_branches)
		fprintf (w->out, "%*s  ", w->branches_width, "branches");
	fprintf (w->out, "%*s%s\n", w->number_width, "line", w->colour ? "\033[0m" : "");
}

/* What the coverage has below the end of the text. */
static void
print_beyond (writer *w, uint32_t number, uint32_t last)
{
	uint32_t count = 0;
	line_of (w, number);
	for (uint32_t i = w->next; i < w->file->line_count; i++)
		count += w->coverage->lines[w->file->first_line + i].number <= last;
	if (count > 0)
		fprintf (w->out, "(%" PRIu32 " more line%s with code %s beyond the end of this text)\n", count,
		         count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

static void
print_source_lines (writer *w, const part *p, const monocle__source_text *source)
{
	monocle__source_rest left = monocle__source_text_lines (source);
	const char *text;
	size_t length;
	uint32_t number = 0;
	while (number < p->last && monocle__source_text_try_next (&left, &text, &length)) {
		if (++number >= p->first)
			print_line (w, number, text, length);
	}
	print_beyond (w, number + 1, p->last);
}

static int
fail (const writer *w, monocle__source_text_state state, const char *why, char *error, size_t error_size)
{
	char name[NAME_SIZE];
	monocle__utf8_elide (w->file->path, 0, "", name, sizeof name);
	if (state == MONOCLE__SOURCE_TEXT_MISSING)
		why = "its source was not found here; --source-root names folders to look in";
	if (state == MONOCLE__SOURCE_TEXT_MEMORY)
		why = "out of memory";
	snprintf (error, error_size, "%s: %s", name, why);
	return -1;
}

static int
print_part (writer *w, const part *p, char *error, size_t error_size)
{
	monocle__source_text source;
	monocle__source_text_state state;
	w->file = &w->coverage->files[p->file];
	w->next = 0;
	w->has_branches = false;
	state = monocle__source_text_read (w->file, &source);
	if (state != MONOCLE__SOURCE_TEXT_SAME && state != MONOCLE__SOURCE_TEXT_CHANGED)
		return fail (w, state, source.why, error, error_size);
	measure (w, p->last);
	print_head (w, state == MONOCLE__SOURCE_TEXT_CHANGED);
	print_source_lines (w, p, &source);
	free (source.bytes);
	return 0;
}

int
monocle__coverage_annotate (FILE *out, const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index,
                            const monocle__coverage_report_options *options, char *error, size_t error_size)
{
	writer w = { .out = out, .coverage = coverage, .by = by, .index = index, .colour = options->colour };
	parts p = { 0 };
	int result = 0;
	if (!find_parts (&p, coverage, by, index)) {
		snprintf (error, error_size, "out of memory");
		result = -1;
	}
	for (size_t i = 0; result == 0 && i < p.count; i++) {
		if (i > 0)
			putc ('\n', out);
		result = print_part (&w, &p.items[i], error, error_size);
	}
	free (p.items);
	return result;
}

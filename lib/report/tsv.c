/*
 * SPDX-License-Identifier: MIT
 *
 * tsv.c - tab-separated rows for awk and spreadsheets: every method, plain numbers, the unit in the column's name.
 *
 * Names are exact: what must not be printed, or would mean something to who reads the rows, is escaped as in C, and a
 * backslash is doubled.
 */
#include "rows.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A spreadsheet computes a cell that begins with one of these four; one that begins with a quote goes on until the next
 * quote, over tabs and lines.
 */
static const char first_letters[] = "=+-@\"";

static void
write_letter (FILE *out, const char *text, size_t length, uint32_t code)
{
	static const char letters[] = "\t\n\r\\", names[] = "tnr\\";
	const char *found = code < 0x80 && code != 0 ? strchr (letters, (int) code) : NULL;
	if (found)
		fprintf (out, "\\%c", names[found - letters]);
	else if (!monocle__utf8_is_unsafe (code))
		fwrite (text, 1, length, out);
	else
		fprintf (out, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned) code);
}

void
monocle__tsv_name (FILE *out, const char *name)
{
	size_t left = strlen (name);
	uint32_t code;
	if (left > 0 && strchr (first_letters, *name)) {
		fprintf (out, "\\x%02x", (unsigned) *name++);
		left--;
	}
	while (left > 0) {
		size_t length = monocle__utf8_decode (name, left, &code);
		write_letter (out, name, length, code);
		name += length;
		left -= length;
	}
}

typedef struct {
	FILE *out;
	const monocle__column *columns;
	size_t count;
	const char *subject;
	bool depth, lines;
} writer;

static void
write_header (const writer *w)
{
	fputs (w->subject, w->out);
	for (size_t i = 0; i < w->count; i++)
		fprintf (w->out, "\t%s", w->columns[i].name);
	fputs (w->depth ? "\tdepth" : "", w->out);
	fputs (w->lines ? "\tfile\tline\n" : "\timage\n", w->out);
}

static void
write_row (const monocle__row *row, void *context)
{
	const writer *w = context;
	monocle__tsv_name (w->out, row->name);
	for (size_t i = 0; i < w->count; i++)
		fprintf (w->out, "\t%" PRId64, monocle__row_amount (row, &w->columns[i]));
	if (w->depth)
		fprintf (w->out, "\t%" PRIu32, row->depth);
	putc ('\t', w->out);
	monocle__tsv_name (w->out, w->lines ? row->source : row->image);
	if (w->lines)
		fprintf (w->out, "\t%" PRId64, row->line);
	putc ('\n', w->out);
}

int
monocle__report_tsv (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .subject = options->subject ? options->subject : "method", .depth = options->tree };
	w.lines = options->lines;
	monocle__column *columns = monocle__columns_new (profile, &w.count);
	int result;
	if (!columns)
		return -1;
	w.columns = columns;
	write_header (&w);
	result = monocle__rows_each (profile, options, write_row, &w);
	free (columns);
	return result;
}

/* SPDX-License-Identifier: MIT
 *
 * tsv.c - tab-separated rows for awk and spreadsheets: every method, plain numbers, the unit in the column's name.
 */
#include "rows.h"

#include <inttypes.h>
#include <stdlib.h>

void
monocle__tsv_name (FILE *out, const char *name)
{
	for (; *name; name++) {
		switch (*name) {
		case '\t':
			fputs ("\\t", out);
			break;
		case '\n':
			fputs ("\\n", out);
			break;
		case '\r':
			fputs ("\\r", out);
			break;
		case '\\':
			fputs ("\\\\", out);
			break;
		default:
			if ((unsigned char)*name < 0x20 || *name == 0x7f)
				fprintf (out, "\\x%02x", (unsigned)*name);
			else
				putc (*name, out);
		}
	}
}

typedef struct {
	FILE *out;
	const monocle__column *columns;
	size_t count;
	bool depth;
} writer;

static void
write_header (const writer *w)
{
	fputs ("method", w->out);
	for (size_t i = 0; i < w->count; i++)
		fprintf (w->out, "\t%s", w->columns[i].name);
	fputs (w->depth ? "\tdepth\n" : "\n", w->out);
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
	putc ('\n', w->out);
}

int
monocle__report_tsv (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .depth = options->tree };
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

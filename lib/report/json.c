/*
 * SPDX-License-Identifier: MIT
 *
 * json.c - one JSON object: what the profile says of itself, then a flat list of methods or of paths.
 *
 * Paths are flat too, depth first with their depth: a stack may be deeper than any JSON parser nests.
 */
#include "rows.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
needs_escape (uint32_t code)
{
	return code == '"' || code == '\\' || code == '<' || code == '>' || code == '&' || monocle__utf8_is_unsafe (code) ||
	       !monocle__utf8_is_xml (code);
}

void
monocle__json_string (FILE *out, const char *text)
{
	size_t left = strlen (text);
	uint32_t code;
	putc ('"', out);
	while (left > 0) {
		size_t length = monocle__utf8_decode (text, left, &code);
		if (code == '"' || code == '\\')
			fprintf (out, "\\%c", (int) code);
		else if (needs_escape (code))
			fprintf (out, "\\u%04x", (unsigned) code);
		else if (code == 0xfffd)
			fputs ("\xef\xbf\xbd", out);
		else
			fwrite (text, 1, length, out);
		text += length;
		left -= length;
	}
	putc ('"', out);
}

typedef struct {
	FILE *out;
	const monocle__column *columns;
	size_t count;
	const char *subject;
	bool depth, lines;
	const char *comma; /* before the next row */
} writer;

static void
write_row (const monocle__row *row, void *context)
{
	writer *w = context;
	fprintf (w->out, "%s\n    {\"%s\": ", w->comma, w->subject);
	monocle__json_string (w->out, row->name);
	for (size_t i = 0; i < w->count; i++)
		fprintf (w->out, ", \"%s\": %" PRId64, w->columns[i].name, monocle__row_amount (row, &w->columns[i]));
	if (w->depth)
		fprintf (w->out, ", \"depth\": %" PRIu32, row->depth);
	if (w->lines ? *row->source : *row->image) {
		fputs (w->lines ? ", \"file\": " : ", \"image\": ", w->out);
		monocle__json_string (w->out, w->lines ? row->source : row->image);
	}
	if (w->lines && row->line)
		fprintf (w->out, ", \"line\": %" PRId64, row->line);
	putc ('}', w->out);
	w->comma = ",";
}

static void
write_head (const writer *w, const monocle__profile *profile, const monocle__report_options *options)
{
	fputs ("{\n  \"profile\": ", w->out);
	monocle__json_string (w->out, options->title ? options->title : "");
	fprintf (w->out, ",\n  \"time_ns\": %" PRId64 ",\n  \"duration_ns\": %" PRId64 ",\n  \"comments\": [",
	         profile->time_nanos, profile->duration_nanos);
	for (size_t i = 0; i < profile->comment_count; i++) {
		fputs (i ? ", " : "", w->out);
		monocle__json_string (w->out, profile->comments[i]);
	}
	fputs ("],\n  \"values\": [", w->out);
	for (size_t i = 0; i < profile->value_count; i++) {
		fputs (i ? ", {\"type\": " : "{\"type\": ", w->out);
		monocle__json_string (w->out, profile->value_types[i].type);
		fputs (", \"unit\": ", w->out);
		monocle__json_string (w->out, profile->value_types[i].unit);
		fprintf (w->out, ", \"sum\": %" PRId64 "}", monocle__profile_sum (profile, i));
	}
	fprintf (w->out, "],\n  \"%s%s\": [", options->tree ? "path" : options->lines ? "line" : w->subject, "s");
}

int
monocle__report_json (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .depth = options->tree, .lines = options->lines, .comma = "" };
	w.subject = options->subject ? options->subject : "method";
	monocle__column *columns = monocle__columns_new (profile, &w.count);
	int result;
	if (!columns)
		return -1;
	w.columns = columns;
	write_head (&w, profile, options);
	result = monocle__rows_each (profile, options, write_row, &w);
	fputs (*w.comma ? "\n  ]\n}\n" : "]\n}\n", out);
	free (columns);
	return result;
}

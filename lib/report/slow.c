/*
 * SPDX-License-Identifier: MIT
 *
 * slow.c - see slow.h. A table for people, rows of tab-separated values, and JSON.
 */
#include "slow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "width.h"

enum { CELL_SIZE = 64, THREAD_SIZE = 192, LINE_SIZE = 16384 };

/* By monocle_kit_end: for programs, and behind a call for people. */
static const struct {
	const char *name, *mark;
} ends[] = {
	{ "returned", "" },
	{ "threw", " threw" },
	{ "tail_called", " (tail call)" },
	{ "abandoned", " (ended by its caller)" },
	{ "unfinished", " (unfinished)" },
};

static size_t
end_of (const monocle__slow_call *call)
{
	return call->end < sizeof ends / sizeof *ends ? call->end : 0;
}

static const char *
name_of (const monocle__profile *profile, const monocle__slow_call *call, size_t level)
{
	return profile->functions[profile->frames[call->frames + level]].name;
}

static size_t
row_count (const monocle__profile *profile, const monocle__report_options *options)
{
	size_t count = profile->slow_call_count;
	return options->limit && options->limit < count ? options->limit : count;
}

/* --- for people --------------------------------------------------------------------------------------------------- */

typedef struct {
	char start[CELL_SIZE], took[CELL_SIZE], thread[THREAD_SIZE];
} cells;

static void
format_cells (const monocle__slow_call *call, cells *to)
{
	char name[THREAD_SIZE - CELL_SIZE];
	monocle__amount_format (call->start, "nanoseconds", to->start, sizeof to->start);
	monocle__amount_format (call->duration, "nanoseconds", to->took, sizeof to->took);
	monocle__utf8_elide (call->thread_name, 24, "..", name, sizeof name);
	snprintf (to->thread, sizeof to->thread, "%" PRId64 "%s%s", call->thread, *name ? " " : "", name);
}

/* Where arguments are known, they take the place of the parameters' types. */
static void
format_call (const monocle__profile *profile, const monocle__slow_call *call, char *to, size_t size)
{
	const char *name = name_of (profile, call, 0), *types = strstr (name, " (");
	size_t length = *call->arguments && types ? (size_t) (types - name) : strlen (name);
	snprintf (to, size, "%.*s%s%s%s%s%s", (int) (length < size ? length : size), name, *call->arguments ? " " : "",
	          call->arguments, *call->result ? " = " : "", call->result, ends[end_of (call)].mark);
}

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__report_options *options;
	int start, took, thread; /* widths */
} writer;

static void
print_elided (const writer *w, size_t used, const char *text)
{
	char buffer[LINE_SIZE];
	size_t width = w->options->width, least = 24;
	size_t columns = !width ? 0 : width > used + least ? width - used : least;
	monocle__utf8_elide (text, columns, w->options->ellipsis ? w->options->ellipsis : "..", buffer, sizeof buffer);
	fprintf (w->out, "%s\n", buffer);
}

static int
larger (int a, const char *text)
{
	int b = (int) monocle__utf8_width (text);
	return a > b ? a : b;
}

static void
print_cells (const writer *w, const cells *row)
{
	fprintf (w->out, "%*s%s  %*s%s  %s%*s  ", w->start - larger (0, row->start), "", row->start,
	         w->took - larger (0, row->took), "", row->took, row->thread, w->thread - larger (0, row->thread), "");
}

static void
print_call (const writer *w, const monocle__slow_call *call)
{
	char line[LINE_SIZE];
	cells row;
	size_t used = (size_t) (w->start + w->took + w->thread) + 6;
	format_cells (call, &row);
	format_call (w->profile, call, line, sizeof line);
	print_cells (w, &row);
	print_elided (w, used, line);
	for (size_t level = 1; w->options->tree && level < call->depth; level++) {
		fprintf (w->out, "%*s", (int) used + 2, "");
		print_elided (w, used + 2, name_of (w->profile, call, level));
	}
}

/* What the profile says of slow calls, or why there are none. */
static void
print_head (const writer *w)
{
	char buffer[LINE_SIZE];
	bool is_said = false;
	monocle__utf8_elide (w->options->title ? w->options->title : "", 0, "", buffer, sizeof buffer);
	fprintf (w->out, "%s\n", buffer);
	for (size_t i = 0; i < w->profile->comment_count; i++) {
		const char *comment = w->profile->comments[i];
		if (strncmp (comment, "slow: ", 6) != 0 && strncmp (comment, "lost: ", 6) != 0)
			continue;
		is_said = is_said || *comment == 's';
		monocle__utf8_elide (comment, 0, "", buffer, sizeof buffer);
		fprintf (w->out, "# %s\n", buffer);
	}
	if (!is_said && w->profile->slow_call_count == 0)
		fputs ("# no slow calls are in it: calls lists them with threshold=TIME\n", w->out);
	putc ('\n', w->out);
}

int
monocle__slow_text (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { out, profile, options, 2, 4, 6 };
	size_t count = row_count (profile, options);
	cells row;
	print_head (&w);
	if (count == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		format_cells (&profile->slow_calls[i], &row);
		w.start = larger (w.start, row.start);
		w.took = larger (w.took, row.took);
		w.thread = larger (w.thread, row.thread);
	}
	fputs (options->bold ? "\033[1m" : "", out);
	print_cells (&w, &(cells) { "at", "took", "thread" });
	fputs (options->bold ? "method\033[0m\n" : "method\n", out);
	for (size_t i = 0; i < count; i++)
		print_call (&w, &profile->slow_calls[i]);
	if (count < profile->slow_call_count)
		fprintf (out, "(%zu more)\n", profile->slow_call_count - count);
	return 0;
}

/* --- for programs ------------------------------------------------------------------------------------------------- */

int
monocle__slow_tsv (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	fprintf (out, "start_ns\tduration_ns\tthread\tthread_name\tend\tmethod\targuments\tresult%s\n",
	         options->tree ? "\tcallers" : "");
	for (size_t i = 0; i < row_count (profile, options); i++) {
		const monocle__slow_call *call = &profile->slow_calls[i];
		const char *texts[] = { name_of (profile, call, 0), call->arguments, call->result };
		fprintf (out, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t", call->start, call->duration, call->thread);
		monocle__tsv_name (out, call->thread_name);
		fprintf (out, "\t%s", ends[end_of (call)].name);
		for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
			putc ('\t', out);
			monocle__tsv_name (out, texts[t]);
		}
		for (size_t level = 1; options->tree && level < call->depth; level++) {
			fputs (level == 1 ? "\t" : ";", out);
			monocle__tsv_name (out, name_of (profile, call, level));
		}
		fputs (options->tree && call->depth < 2 ? "\t\n" : "\n", out);
	}
	return 0;
}

static void
write_json_call (FILE *out, const monocle__profile *profile, const monocle__slow_call *call, bool callers)
{
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "thread_name", call->thread_name },
		{ "end", ends[end_of (call)].name },
		{ "method", name_of (profile, call, 0) },
		{ "arguments", call->arguments },
		{ "result", call->result },
	};
	fprintf (out, "\n    {\"start_ns\": %" PRId64 ", \"duration_ns\": %" PRId64 ", \"thread\": %" PRId64, call->start,
	         call->duration, call->thread);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		fprintf (out, ", \"%s\": ", texts[i].key);
		monocle__json_string (out, texts[i].text);
	}
	fputs (callers ? ", \"callers\": [" : "", out);
	for (size_t level = 1; callers && level < call->depth; level++) {
		fputs (level == 1 ? "" : ", ", out);
		monocle__json_string (out, name_of (profile, call, level));
	}
	fputs (callers ? "]}" : "}", out);
}

int
monocle__slow_json (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	size_t count = row_count (profile, options);
	fputs ("{\n  \"profile\": ", out);
	monocle__json_string (out, options->title ? options->title : "");
	fputs (",\n  \"slow_calls\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs (i ? "," : "", out);
		write_json_call (out, profile, &profile->slow_calls[i], options->tree);
	}
	fputs (count ? "\n  ]\n}\n" : "]\n}\n", out);
	return 0;
}

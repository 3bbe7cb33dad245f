/*
 * SPDX-License-Identifier: MIT
 *
 * stat-format.c - see stat-format.h. Columns and rows are those of figures.def. For programs a sum is what it is since
 * looking began, at each row: differences can be had from sums, but not the other way round. People are shown what
 * happened in each interval.
 */
#include "stat-format.h"

#include "column.h"
#include "command/command.h"
#include "nanoseconds.h"
#include "top-rates.h"

#include <inttypes.h>
#include <string.h>

static const char *const units[] = {
	[MONOCLE__LIVE_COUNT] = "count", [MONOCLE__LIVE_BYTES] = "bytes", [MONOCLE__LIVE_NANOSECONDS] = "nanoseconds"
};

monocle__choice
monocle__stat_format_choice (size_t index)
{
	static const char *const names[] = { "text", "tsv", "json", "openmetrics" };
	return (monocle__choice) { index < MONOCLE__STAT_FORMATS ? names[index] : NULL, NULL };
}

static const monocle__live_figures *
figures_of (const monocle__live_watched *at)
{
	return monocle__live_session_figures (at->session);
}

static double
seconds_of (const monocle__live_watched *at)
{
	uint64_t until = at->until ? at->until : monocle__nanoseconds (CLOCK_MONOTONIC);
	return (double) (until - at->since) / 1e9;
}

static bool
is_shown (const monocle__live_watched *at, bool is_end)
{
	return at->session && (is_end || !at->is_over);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void
print_rate (FILE *out, const monocle__live_figure_row *row, uint64_t value, double seconds)
{
	char amount[48];
	if (seconds <= 0)
		return;
	if (row->unit == MONOCLE__LIVE_NANOSECONDS) {
		fprintf (out, "  %10.1f %% of the time", (double) value / 1e7 / seconds);
		return;
	}
	if (row->unit == MONOCLE__LIVE_COUNT && (double) value / seconds < 1000)
		snprintf (amount, sizeof amount, "%.1f", (double) value / seconds);
	else
		monocle__amount_format ((int64_t) ((double) value / seconds), units[row->unit], amount, sizeof amount);
	fprintf (out, "  %10s /s", amount);
}

static void
print_table (FILE *out, const monocle__live_watched *at)
{
	const monocle__live_figures *figures = figures_of (at);
	double seconds = seconds_of (at);
	fprintf (out, "\nprocess %d, %s (%s %s), %.3f s\n\n", (int) at->process.pid, at->process.program,
	         monocle__live_process_kind_name (at->process.kind), at->process.version, seconds);
	for (size_t i = 0; i < MONOCLE__LIVE_FIGURES; i++) {
		const monocle__live_figure_row *row = &monocle__live_figure_rows[i];
		char amount[48] = "-";
		if (i == MONOCLE__LIVE_LOST && !figures->values[i])
			continue;
		if (figures->is_known[i])
			monocle__amount_format ((int64_t) figures->values[i], units[row->unit], amount, sizeof amount);
		if (row->growth == MONOCLE__LIVE_SUM && figures->is_known[i]) {
			fprintf (out, "%16s  %-28s", amount, row->heading);
			print_rate (out, row, figures->values[i], seconds);
			putc ('\n', out);
		} else {
			fprintf (out, "%16s  %s\n", amount, row->heading);
		}
	}
	if (at->error[0])
		fprintf (out, "\nIt was not followed to its end: it %s.\n", at->error);
}

/* clang-format off */
/* A row tells of its interval: sums by the second, times as a share of it, other figures as they are. */
static const struct {
	const char *heading;
	int width;
	monocle__live_figure figure;
} columns[] = {
	{ "CPU",       7, MONOCLE__LIVE_CPU },
	{ "memory",   10, MONOCLE__LIVE_RESIDENT },
	{ "heap",     10, MONOCLE__LIVE_HEAP },
	{ "alloc/s",  10, MONOCLE__LIVE_ALLOCATED },
	{ "gen0/s",    7, MONOCLE__LIVE_GC_0 },
	{ "gen1/s",    7, MONOCLE__LIVE_GC_1 },
	{ "gen2/s",    7, MONOCLE__LIVE_GC_2 },
	{ "paused",    7, MONOCLE__LIVE_GC_PAUSE },
	{ "throws/s",  9, MONOCLE__LIVE_EXCEPTIONS },
	{ "locks/s",   8, MONOCLE__LIVE_CONTENTIONS },
	{ "waited",    7, MONOCLE__LIVE_CONTENTION },
	{ "pool",      5, MONOCLE__LIVE_POOL_THREADS },
	{ "queue",     6, MONOCLE__LIVE_POOL_QUEUE },
	{ "items/s",   8, MONOCLE__LIVE_POOL_ITEMS },
};
/* clang-format on */

static void
format_column (const monocle__top_rates *rates, monocle__live_figure figure, char *text, size_t size)
{
	const monocle__live_figure_row *row = &monocle__live_figure_rows[figure];
	bool is_sum = row->growth == MONOCLE__LIVE_SUM;
	double rate = rates->rates[figure];
	if (!rates->is_known[figure])
		snprintf (text, size, "-");
	else if (is_sum && row->unit == MONOCLE__LIVE_NANOSECONDS)
		snprintf (text, size, "%.1f%%", rate / 1e7);
	else if (is_sum && row->unit == MONOCLE__LIVE_COUNT)
		snprintf (text, size, rate < 1000 ? "%.1f" : "%.0f", rate);
	else
		monocle__amount_format (is_sum ? (int64_t) rate : (int64_t) rates->values[figure], units[row->unit], text,
		                        size);
}

static void
print_headings (FILE *out)
{
	fprintf (out, "%8s", "time");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		fprintf (out, "%*s", columns[i].width, columns[i].heading);
	fputs ("  process\n", out);
}

static void
print_row (FILE *out, const monocle__live_watched *at, monocle__top_rates *rates)
{
	char amount[48];
	monocle__top_rates_read (rates, at);
	snprintf (amount, sizeof amount, "%.1f s", seconds_of (at));
	fprintf (out, "%8s", amount);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		format_column (rates, columns[i].figure, amount, sizeof amount);
		fprintf (out, "%*s", columns[i].width, amount);
	}
	fprintf (out, "  %d %s\n", (int) at->process.pid, at->process.program);
}

static void
print_rows (FILE *out, const monocle__live_watch *watch)
{
	enum { ROWS = 20 }; /* to a head */
	static monocle__top_rates before[MONOCLE__LIVE_WATCHED_MOST];
	static size_t printed;
	for (size_t i = 0; i < watch->count; i++) {
		if (!is_shown (watch->watched[i], false))
			continue;
		if (printed++ % ROWS == 0)
			print_headings (out);
		print_row (out, watch->watched[i], &before[i]);
	}
}

/* --- for programs ------------------------------------------------------------------------------------------------- */

/* Seconds with all their digits, other figures as they are. */
static void
print_value (FILE *out, const monocle__live_figures *figures, size_t i, const char *unknown)
{
	if (!figures->is_known[i])
		fputs (unknown, out);
	else if (monocle__live_figure_rows[i].unit == MONOCLE__LIVE_NANOSECONDS)
		fprintf (out, "%.9f", (double) figures->values[i] / 1e9);
	else
		fprintf (out, "%" PRIu64, figures->values[i]);
}

static const char *
unit_suffix (const monocle__live_figure_row *row)
{
	static const char *const suffixes[] = { "", "_bytes", "_seconds" };
	return suffixes[row->unit];
}

static void
print_tsv (FILE *out, const monocle__live_watched *at)
{
	fprintf (out, "%.3f\t%d\t", seconds_of (at), (int) at->process.pid);
	monocle__tsv_name (out, at->process.program);
	for (size_t i = 0; i < MONOCLE__LIVE_FIGURES; i++) {
		putc ('\t', out);
		print_value (out, figures_of (at), i, "");
	}
	putc ('\n', out);
}

static void
print_json (FILE *out, const monocle__live_watched *at)
{
	fprintf (out, "{\"time_seconds\": %.3f, \"pid\": %d, \"program\": ", seconds_of (at), (int) at->process.pid);
	monocle__json_string (out, at->process.program);
	for (size_t i = 0; i < MONOCLE__LIVE_FIGURES; i++) {
		const monocle__live_figure_row *row = &monocle__live_figure_rows[i];
		fprintf (out, ", \"%s%s\": ", row->name, unit_suffix (row));
		print_value (out, figures_of (at), i, "null");
	}
	fputs ("}\n", out);
}

/* Programs' names have no quotes, backslashes or line feeds left that matter: they are taken out. */
static void
print_label (FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc ('\\', out);
		putc (*text, out);
	}
}

static void
print_metric (FILE *out, size_t i, const monocle__live_watched *at)
{
	const monocle__live_figure_row *row = &monocle__live_figure_rows[i];
	if (!figures_of (at)->is_known[i])
		return;
	fprintf (out, "dotnet_%s%s%s{pid=\"%d\",program=\"", row->name, unit_suffix (row),
	         row->growth == MONOCLE__LIVE_SUM ? "_total" : "", (int) at->process.pid);
	print_label (out, at->process.program);
	fputs ("\"} ", out);
	print_value (out, figures_of (at), i, "");
	putc ('\n', out);
}

static void
print_openmetrics (FILE *out, const monocle__live_watch *watch, bool is_end)
{
	for (size_t i = 0; i < MONOCLE__LIVE_FIGURES; i++) {
		const monocle__live_figure_row *row = &monocle__live_figure_rows[i];
		fprintf (out, "# TYPE dotnet_%s%s %s\n", row->name, unit_suffix (row),
		         row->growth == MONOCLE__LIVE_SUM ? "counter" : "gauge");
		if (row->unit != MONOCLE__LIVE_COUNT)
			fprintf (out, "# UNIT dotnet_%s%s %s\n", row->name, unit_suffix (row), unit_suffix (row) + 1);
		fprintf (out, "# HELP dotnet_%s%s %s\n", row->name, unit_suffix (row), row->heading);
		for (size_t k = 0; k < watch->count; k++) {
			if (is_shown (watch->watched[k], is_end))
				print_metric (out, i, watch->watched[k]);
		}
	}
	fputs ("# EOF\n", out);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

void
monocle__stat_format_head (FILE *out, monocle__stat_kind kind)
{
	if (kind != MONOCLE__STAT_TSV)
		return;
	fputs ("time_seconds\tpid\tprogram", out);
	for (size_t i = 0; i < MONOCLE__LIVE_FIGURES; i++)
		fprintf (out, "\t%s%s", monocle__live_figure_rows[i].name, unit_suffix (&monocle__live_figure_rows[i]));
	putc ('\n', out);
}

static void
print_all (FILE *out, monocle__stat_kind kind, const monocle__live_watch *watch, bool is_end)
{
	static void (*const print[]) (FILE *, const monocle__live_watched *) = { print_table, print_tsv, print_json };
	if (kind == MONOCLE__STAT_OPENMETRICS) {
		print_openmetrics (out, watch, is_end);
		return;
	}
	if (kind == MONOCLE__STAT_TEXT && !is_end) {
		print_rows (out, watch);
		return;
	}
	for (size_t i = 0; i < watch->count; i++) {
		if (is_shown (watch->watched[i], is_end))
			print[kind](out, watch->watched[i]);
	}
}

void
monocle__stat_format_rows (FILE *out, monocle__stat_kind kind, const monocle__live_watch *watch)
{
	print_all (out, kind, watch, false);
}

void
monocle__stat_format_end (FILE *out, monocle__stat_kind kind, const monocle__live_watch *watch)
{
	print_all (out, kind, watch, true);
}

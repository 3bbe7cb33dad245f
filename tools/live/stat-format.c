/*
 * SPDX-License-Identifier: MIT
 *
 * stat-format.c - see stat-format.h. Columns and rows are those of figures.def. For programs a sum is what it is since
 * looking began, at each row: differences can be had from sums, but not the other way round.
 */
#include "stat-format.h"

#include "column.h"
#include "command/command.h"
#include "nanoseconds.h"

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

/* "12.0 s  8123 app  CPU 120.3%  heap 12.3 MiB ..." */
static void
print_line (FILE *out, const monocle__live_watched *at)
{
	static const struct {
		monocle__live_figure figure;
		const char *name;
	} parts[] = { { MONOCLE__LIVE_CPU, "CPU" },
		          { MONOCLE__LIVE_RESIDENT, "RSS" },
		          { MONOCLE__LIVE_HEAP, "heap" },
		          { MONOCLE__LIVE_ALLOCATED, "allocated" },
		          { MONOCLE__LIVE_GC_0, "gen0" },
		          { MONOCLE__LIVE_GC_1, "gen1" },
		          { MONOCLE__LIVE_GC_2, "gen2" },
		          { MONOCLE__LIVE_GC_PAUSE, "paused" },
		          { MONOCLE__LIVE_EXCEPTIONS, "exceptions" },
		          { MONOCLE__LIVE_CONTENTIONS, "contended" },
		          { MONOCLE__LIVE_POOL_THREADS, "pool" },
		          { MONOCLE__LIVE_POOL_QUEUE, "queue" },
		          { MONOCLE__LIVE_METHODS, "methods" } };
	const monocle__live_figures *figures = figures_of (at);
	fprintf (out, "%7.1f s  %d %s", seconds_of (at), (int) at->process.pid, at->process.program);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char amount[48] = "-";
		monocle__live_figure figure = parts[i].figure;
		if (figures->is_known[figure])
			monocle__amount_format ((int64_t) figures->values[figure], units[monocle__live_figure_rows[figure].unit],
			                        amount, sizeof amount);
		fprintf (out, "  %s %s", parts[i].name, amount);
	}
	putc ('\n', out);
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

static bool
is_shown (const monocle__live_watched *at, bool is_end)
{
	return at->session && (is_end || !at->is_over);
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
	static void (*const print[]) (FILE *, const monocle__live_watched *) = { print_line, print_tsv, print_json };
	if (kind == MONOCLE__STAT_OPENMETRICS) {
		print_openmetrics (out, watch, is_end);
		return;
	}
	for (size_t i = 0; i < watch->count; i++) {
		if (is_shown (watch->watched[i], is_end))
			(is_end && kind == MONOCLE__STAT_TEXT ? print_table : print[kind]) (out, watch->watched[i]);
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

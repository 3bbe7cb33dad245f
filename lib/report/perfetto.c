/*
 * SPDX-License-Identifier: MIT
 *
 * perfetto.c - a profile as a trace for https://ui.perfetto.dev: the JSON trace events that Chrome's tools exchange.
 *
 * A profile knows amounts, not moments. Each thread is a track on which its tree is laid out as a flame graph is: a
 * slice is as long as what the path cost with everything it called. One nanosecond is a nanosecond; of values that are
 * no times, one is a microsecond, so that small counts are seen.
 */
#include "column.h"
#include "format.h"
#include "per-thread.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	FILE *out;
	const monocle__convert_options *options;
	int64_t *total; /* by node of the tree that is written: what is not negative below it */
	int64_t *start; /* where it begins */
	int64_t *next;  /* where its next child begins */
	double scale;   /* to microseconds */
	size_t thread;
	bool failed;
} writer;

static int64_t
self (const writer *w, const monocle__tree *tree, uint32_t node)
{
	int64_t amount = monocle__tree_self (tree, node, w->options->value);
	return amount > 0 ? amount : 0;
}

static void
write_metadata (const writer *w, const char *kind, const char *name)
{
	fprintf (w->out, "%s\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"%s\",\"args\":{\"name\":",
	         strcmp (kind, "process_name") == 0 ? "" : ",", w->thread + 1, kind);
	monocle__json_string (w->out, name);
	fputs ("}}", w->out);
}

/* A child begins where the one before it ended, the first one where its caller does. */
static void
write_slice (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	uint32_t parent = tree->nodes[node].parent;
	if (node == 0 || w->total[node] == 0)
		return;
	w->start[node] = w->next[node] = w->next[parent];
	w->next[parent] = monocle__add (w->next[parent], w->total[node]);
	fputs (",\n{\"ph\":\"X\",\"pid\":1,", w->out);
	fprintf (w->out, "\"tid\":%zu,\"ts\":%.3f,\"dur\":%.3f,\"name\":", w->thread + 1,
	         (double) w->start[node] * w->scale, (double) w->total[node] * w->scale);
	monocle__json_string (w->out, tree->profile->functions[tree->nodes[node].function].name);
	fprintf (w->out, ",\"args\":{\"self\":%" PRId64 ",\"total\":%" PRId64 "}}", self (w, tree, node), w->total[node]);
}

static void
add_totals (writer *w, const monocle__tree *tree)
{
	for (uint32_t node = 0; node < tree->count; node++)
		w->total[node] = self (w, tree, node);
	for (size_t node = tree->count - 1; node > 0; node--) {
		int64_t *sum = &w->total[tree->nodes[node].parent];
		*sum = monocle__add (*sum, w->total[node]);
	}
}

static void
write_thread (const monocle__tree *tree, const char *name, size_t number, void *context)
{
	writer *w = context;
	monocle__tree_visitor visitor = { .enter = write_slice, .context = w };
	w->thread = number;
	w->total = calloc (tree->count, sizeof *w->total);
	w->start = calloc (tree->count, sizeof *w->start);
	w->next = calloc (tree->count, sizeof *w->next);
	if (w->total && w->start && w->next) {
		write_metadata (w, "thread_name", *name ? name : w->options->title);
		add_totals (w, tree);
		monocle__tree_walk (tree, &visitor);
	} else {
		w->failed = true;
	}
	free (w->total);
	free (w->start);
	free (w->next);
}

static double
microseconds (const char *unit)
{
	static const struct {
		const char *unit;
		double scale;
	} rows[] = { { "nanoseconds", 1e-3 }, { "milliseconds", 1e3 }, { "seconds", 1e6 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp (rows[i].unit, unit) == 0)
			return rows[i].scale;
	}
	return 1;
}

int
monocle__perfetto_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	writer w = { .out = out, .options = options, .scale = microseconds (profile->value_types[options->value].unit) };
	int result;
	fputs ("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	write_metadata (&w, "process_name", options->title);
	result = monocle__per_thread (profile, write_thread, &w);
	fputs ("\n]}\n", out);
	return w.failed ? -1 : result;
}

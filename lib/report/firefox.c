/*
 * SPDX-License-Identifier: MIT
 *
 * firefox.c - a profile for https://profiler.firefox.com: its "processed profile format", version 48.
 *
 * Every thread has tables of columns: functions, frames (one per function here), stacks (a row per path, with the path
 * of its caller as prefix), samples (one per path, with a weight). The format wants a time for each sample, which a
 * profile of sums does not have: samples are laid end to end, each as long as its weight.
 */
#include "column.h"
#include "format.h"
#include "per-thread.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__convert_options *options;
	const char *weight_type;
	double scale; /* of amounts: times are milliseconds */
} writer;

typedef struct {
	const char *unit, *weight_type;
	double scale;
} unit_row;

/* clang-format off */
static const unit_row units[] = {
	{ "nanoseconds",  "tracing-ms", 1e-6 },
	{ "microseconds", "tracing-ms", 1e-3 },
	{ "milliseconds", "tracing-ms", 1 },
	{ "seconds",      "tracing-ms", 1e3 },
	{ "bytes",        "bytes",      1 },
	{ "count",        "samples",    1 },
};
/* clang-format on */

/* A column in which every row has the same. */
static void
write_same (FILE *out, const char *name, const char *value, size_t count)
{
	fprintf (out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf (out, i ? ",%s" : "%s", value);
	putc (']', out);
}

/* A column that numbers its rows, from `first`. */
static void
write_numbers (FILE *out, const char *name, size_t first, size_t count)
{
	fprintf (out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf (out, i ? ",%zu" : "%zu", first + i);
	putc (']', out);
}

static void
write_meta (const writer *w)
{
	fprintf (w->out,
	         "{\"meta\":{\"interval\":1,\"startTime\":%" PRId64 ",\"processType\":0,\"stackwalk\":1,\"debug\":false,"
	         "\"version\":27,\"preprocessedProfileVersion\":48,\"symbolicated\":true,"
	         "\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},\"markerSchema\":[],\n"
	         "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],\"product\":",
	         w->profile->time_nanos / 1000000);
	monocle__json_string (w->out, w->options->title);
	fputs ("},\n\"libs\":[],\"pages\":[],\"threads\":[", w->out);
}

/* The string table is the functions' names, then their files. */
static void
write_functions (const writer *w, const monocle__profile *profile)
{
	size_t count = profile->function_count;
	fprintf (w->out, ",\n\"funcTable\":{\"length\":%zu", count);
	write_numbers (w->out, "name", 0, count);
	write_same (w->out, "isJS", "false", count);
	write_same (w->out, "relevantForJS", "false", count);
	write_same (w->out, "resource", "-1", count);
	fputs (",\"fileName\":[", w->out);
	for (size_t i = 0; i < count; i++) {
		fputs (i ? "," : "", w->out);
		if (*monocle__function_file (&profile->functions[i]))
			fprintf (w->out, "%zu", count + i);
		else
			fputs ("null", w->out);
	}
	fputs ("],\"lineNumber\":[", w->out);
	for (size_t i = 0; i < count; i++) {
		fputs (i ? "," : "", w->out);
		if (profile->functions[i].line > 0)
			fprintf (w->out, "%" PRId64, profile->functions[i].line);
		else
			fputs ("null", w->out);
	}
	putc (']', w->out);
	write_same (w->out, "columnNumber", "null", count);
	fputs ("},\n\"stringArray\":[", w->out);
	for (size_t i = 0; i < 2 * count; i++) {
		fputs (i ? ",\n" : "", w->out);
		monocle__json_string (w->out, i < count ? profile->functions[i].name
		                                        : monocle__function_file (&profile->functions[i - count]));
	}
	putc (']', w->out);
}

static void
write_frames (const writer *w, size_t count)
{
	fprintf (w->out, ",\n\"frameTable\":{\"length\":%zu", count);
	write_numbers (w->out, "func", 0, count);
	write_same (w->out, "address", "-1", count);
	write_same (w->out, "inlineDepth", "0", count);
	write_same (w->out, "category", "0", count);
	write_same (w->out, "subcategory", "0", count);
	write_same (w->out, "nativeSymbol", "null", count);
	write_same (w->out, "innerWindowID", "0", count);
	write_same (w->out, "implementation", "null", count);
	write_same (w->out, "line", "null", count);
	write_same (w->out, "column", "null", count);
	putc ('}', w->out);
}

/* Stack n is node n + 1: the root is not a frame. */
static void
write_stacks (const writer *w, const monocle__tree *tree)
{
	size_t count = tree->count - 1;
	fprintf (w->out, ",\n\"stackTable\":{\"length\":%zu,\"prefix\":[", count);
	for (size_t i = 1; i <= count; i++) {
		fputs (i > 1 ? "," : "", w->out);
		if (tree->nodes[i].parent == 0)
			fputs ("null", w->out);
		else
			fprintf (w->out, "%" PRIu32, tree->nodes[i].parent - 1);
	}
	fputs ("],\"frame\":[", w->out);
	for (size_t i = 1; i <= count; i++)
		fprintf (w->out, i > 1 ? ",%" PRIu32 : "%" PRIu32, tree->nodes[i].function);
	putc (']', w->out);
	write_same (w->out, "category", "0", count);
	write_same (w->out, "subcategory", "0", count);
	putc ('}', w->out);
}

typedef enum { STACK, TIME, WEIGHT } sample_column;

/* Only what is above zero is a sample. Answers how many there are; `name` NULL writes nothing. */
static size_t
write_samples_column (const writer *w, const monocle__tree *tree, const char *name, sample_column column)
{
	size_t written = 0;
	double time = 0;
	if (name)
		fprintf (w->out, ",\"%s\":[", name);
	for (uint32_t i = 1; i < tree->count; i++) {
		int64_t amount = monocle__tree_self (tree, i, w->options->value);
		double weight = (double) amount * w->scale;
		if (amount <= 0)
			continue;
		if (name && column == STACK)
			fprintf (w->out, written ? ",%" PRIu32 : "%" PRIu32, i - 1);
		else if (name)
			fprintf (w->out, written ? ",%.15g" : "%.15g", column == TIME ? time : weight);
		time += weight;
		written++;
	}
	if (name)
		putc (']', w->out);
	return written;
}

static void
write_samples (const writer *w, const monocle__tree *tree)
{
	fprintf (w->out, ",\n\"samples\":{\"length\":%zu,\"weightType\":\"%s\"",
	         write_samples_column (w, tree, NULL, STACK), w->weight_type);
	write_samples_column (w, tree, "stack", STACK);
	write_samples_column (w, tree, "time", TIME);
	write_samples_column (w, tree, "weight", WEIGHT);
	putc ('}', w->out);
}

static void
write_thread (const monocle__tree *tree, const char *name, size_t number, void *context)
{
	const writer *w = context;
	fprintf (w->out,
	         "%s\n{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	         "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"1\",\"tid\":%zu,"
	         "\"isMainThread\":%s,\"name\":",
	         number ? "," : "", number + 1, number ? "false" : "true");
	monocle__json_string (w->out, *name ? name : w->options->title);
	fputs (",\"processName\":", w->out);
	monocle__json_string (w->out, w->options->title);
	fputs (",\n\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
	       "\"category\":[]},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
	       "\"functionSize\":[]},\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]}",
	       w->out);
	write_functions (w, tree->profile);
	write_frames (w, tree->profile->function_count);
	write_stacks (w, tree);
	write_samples (w, tree);
	putc ('}', w->out);
}

int
monocle__firefox_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	const char *unit = profile->value_types[options->value].unit;
	writer w = { out, profile, options, "samples", 1 };
	int result;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp (units[i].unit, unit) == 0) {
			w.weight_type = units[i].weight_type;
			w.scale = units[i].scale;
		}
	}
	write_meta (&w);
	result = monocle__per_thread (profile, write_thread, &w);
	fputs ("\n]}\n", out);
	return result;
}

/* SPDX-License-Identifier: MIT
 *
 * json.c - one JSON object: what the profile says of itself, then a flat list of methods or of paths.
 *
 * Paths are flat too, depth first with their depth: a stack may be deeper than any JSON parser nests.
 */
#include "column.h"
#include "tree.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
needs_escape (uint32_t code)
{
	return code < 0x20 || code == '"' || code == '\\' || code == '<' || code == '>' || code == '&' || code == 0x7f ||
	       code == 0x2028 || code == 0x2029;
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
			fprintf (out, "\\%c", (int)code);
		else if (needs_escape (code))
			fprintf (out, "\\u%04x", (unsigned)code);
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
	size_t left;       /* rows that may still be written */
	const char *comma; /* before the next row */
} writer;

static void
write_row (writer *w, const char *name, const int64_t *self, const int64_t *total)
{
	fprintf (w->out, "%s\n    {\"method\": ", w->comma);
	monocle__json_string (w->out, name);
	for (size_t i = 0; i < w->count; i++) {
		const monocle__column *column = &w->columns[i];
		int64_t amount = column->is_total ? total[column->value] : self[column->value];
		fprintf (w->out, ", \"%s\": %" PRId64, column->name, amount);
	}
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
	fprintf (w->out, "],\n  \"%s\": [", options->tree ? "paths" : "methods");
}

static int
write_methods (writer *w, const monocle__profile *profile, const monocle__report_options *options)
{
	monocle__methods *methods = monocle__methods_new (profile);
	size_t width = profile->value_count;

	if (!methods)
		return -1;
	monocle__methods_sort (methods, monocle__sort_value (profile, options->sort), options->sort == MONOCLE__SORT_TOTAL);
	for (size_t i = 0; i < methods->count && i < w->left; i++) {
		uint32_t function = methods->order[i];
		write_row (w, profile->functions[function].name, methods->self + function * width,
		           methods->total + function * width);
		putc ('}', w->out);
	}
	monocle__methods_free (methods);
	return 0;
}

static void
write_node (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	const monocle__profile *profile = tree->profile;
	const monocle__node *n = &tree->nodes[node];

	if (node == 0 || w->left == 0)
		return;
	w->left--;
	write_row (w, profile->functions[n->function].name, tree->self + node * profile->value_count,
	           tree->total + node * profile->value_count);
	fprintf (w->out, ", \"depth\": %" PRIu32 "}", n->depth);
}

static int
write_tree (writer *w, const monocle__profile *profile, const monocle__report_options *options)
{
	monocle__tree *tree = monocle__tree_new (profile);
	monocle__tree_visitor visitor = { .enter = write_node, .context = w };
	bool sorted = tree && monocle__tree_sort (tree, monocle__sort_value (profile, options->sort));

	if (sorted)
		monocle__tree_walk (tree, &visitor);
	monocle__tree_free (tree);
	return sorted ? 0 : -1;
}

int
monocle__report_json (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .left = options->limit ? options->limit : SIZE_MAX, .comma = "" };
	monocle__column *columns = monocle__columns_new (profile, &w.count);
	int result;

	if (!columns)
		return -1;
	w.columns = columns;
	write_head (&w, profile, options);
	result = options->tree ? write_tree (&w, profile, options) : write_methods (&w, profile, options);
	fputs (*w.comma ? "\n  ]\n}\n" : "]\n}\n", out);
	free (columns);
	return result;
}

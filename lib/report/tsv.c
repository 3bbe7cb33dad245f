/* SPDX-License-Identifier: MIT
 *
 * tsv.c - tab-separated rows for awk and spreadsheets: every method, plain numbers, the unit in the column's name.
 */
#include "column.h"
#include "tree.h"

#include <inttypes.h>
#include <stdlib.h>

static void
write_name (FILE *out, const char *name)
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
	size_t left; /* rows that may still be written */
} writer;

static void
write_header (const writer *w, bool depth)
{
	fputs ("method", w->out);
	for (size_t i = 0; i < w->count; i++)
		fprintf (w->out, "\t%s", w->columns[i].name);
	fputs (depth ? "\tdepth\n" : "\n", w->out);
}

/* `self` and `total` are rows of amounts by value. */
static void
write_row (const writer *w, const char *name, const int64_t *self, const int64_t *total)
{
	write_name (w->out, name);
	for (size_t i = 0; i < w->count; i++) {
		const monocle__column *column = &w->columns[i];
		fprintf (w->out, "\t%" PRId64, column->is_total ? total[column->value] : self[column->value]);
	}
}

static int
write_methods (const writer *w, const monocle__profile *profile, const monocle__report_options *options)
{
	monocle__methods *methods = monocle__methods_new (profile);
	size_t width = profile->value_count;

	if (!methods)
		return -1;
	monocle__methods_sort (methods, monocle__sort_value (profile, options->sort), options->sort == MONOCLE__SORT_TOTAL);
	write_header (w, false);
	for (size_t i = 0; i < methods->count && i < w->left; i++) {
		uint32_t function = methods->order[i];
		write_row (w, profile->functions[function].name, methods->self + function * width,
		           methods->total + function * width);
		putc ('\n', w->out);
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
	fprintf (w->out, "\t%" PRIu32 "\n", n->depth);
}

static int
write_tree (writer *w, const monocle__profile *profile, const monocle__report_options *options)
{
	monocle__tree *tree = monocle__tree_new (profile);
	monocle__tree_visitor visitor = { .enter = write_node, .context = w };
	int result = -1;

	if (tree && monocle__tree_sort (tree, monocle__sort_value (profile, options->sort))) {
		write_header (w, true);
		monocle__tree_walk (tree, &visitor);
		result = 0;
	}
	monocle__tree_free (tree);
	return result;
}

int
monocle__report_tsv (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .left = options->limit ? options->limit : SIZE_MAX };
	monocle__column *columns = monocle__columns_new (profile, &w.count);
	int result;

	if (!columns)
		return -1;
	w.columns = columns;
	result = options->tree ? write_tree (&w, profile, options) : write_methods (&w, profile, options);
	free (columns);
	return result;
}

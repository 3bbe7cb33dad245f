/*
 * SPDX-License-Identifier: MIT
 *
 * rows.c - the walk that all formats for machines share.
 */
#include "rows.h"
#include "tree.h"

#include <stdlib.h>

typedef struct {
	void (*write) (const monocle__row *row, void *context);
	void *context;
	size_t left; /* rows that may still be written */
} walk;

static monocle__row
row_of (const monocle__profile *profile, uint32_t index)
{
	const monocle__function *function = &profile->functions[index];
	return (monocle__row) {
		.name = function->name,
		.image = function->filename,
		.source = function->source ? function->source : "",
		.line = function->line,
	};
}

static int
walk_methods (walk *w, const monocle__profile *profile, const monocle__report_options *options)
{
	monocle__methods *methods = monocle__methods_new (profile);
	size_t width = profile->value_count;
	if (!methods)
		return -1;
	monocle__methods_sort (methods, monocle__sort_value (profile, options->sort), options->sort == MONOCLE__SORT_TOTAL);
	for (size_t i = 0; i < methods->count && i < w->left; i++) {
		uint32_t function = methods->order[i];
		monocle__row row = row_of (profile, function);
		row.self = methods->self + function * width;
		row.total = methods->total + function * width;
		w->write (&row, w->context);
	}
	monocle__methods_free (methods);
	return 0;
}

static void
walk_node (const monocle__tree *tree, uint32_t node, void *context)
{
	walk *w = context;
	const monocle__profile *profile = tree->profile;
	const monocle__node *n = &tree->nodes[node];
	if (node == 0 || w->left == 0)
		return;
	w->left--;
	monocle__row row = row_of (profile, n->function);
	row.self = tree->self + node * profile->value_count;
	row.total = tree->total + node * profile->value_count;
	row.depth = n->depth;
	w->write (&row, w->context);
}

static int
walk_tree (walk *w, const monocle__profile *profile, const monocle__report_options *options)
{
	monocle__tree *tree = monocle__tree_new (profile);
	monocle__tree_visitor visitor = { .enter = walk_node, .context = w };
	bool sorted = tree && monocle__tree_sort (tree, monocle__sort_value (profile, options->sort));
	if (sorted)
		monocle__tree_walk (tree, &visitor);
	monocle__tree_free (tree);
	return sorted ? 0 : -1;
}

int
monocle__rows_each (const monocle__profile *profile, const monocle__report_options *options,
                    void (*write) (const monocle__row *row, void *context), void *context)
{
	walk w = { write, context, options->limit ? options->limit : SIZE_MAX };
	return options->tree ? walk_tree (&w, profile, options) : walk_methods (&w, profile, options);
}

int64_t
monocle__row_amount (const monocle__row *row, const monocle__column *column)
{
	return column->is_total ? row->total[column->value] : row->self[column->value];
}

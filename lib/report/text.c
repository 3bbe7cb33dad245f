/*
 * SPDX-License-Identifier: MIT
 *
 * text.c - the report for people: a table of methods, or a tree of calls.
 *
 * A row is cells and a name. Cells are formatted twice, once to know how wide each column gets and once to print, so
 * that nothing is kept per row. The main value also has a column of percent; a value that is zero throughout has no
 * column, and neither have samples beside the time that they stand for.
 */
#include "column.h"
#include "origin.h"
#include "short-name.h"
#include "text-exceptions.h"
#include "text-head.h"
#include "text-stacks.h"
#include "tree.h"
#include "width.h"

#include <stdlib.h>
#include <string.h>

enum {
	CELL_SIZE = 64,
	NAME_SIZE = 8192,      /* longer names are cut */
	INDENT_LEVELS = 30,    /* deeper nodes say their depth instead of moving further right */
	MIN_NAME_WIDTH = 24,   /* a name gets so much of a narrow terminal, even if lines wrap */
	PIPE_NAME_WIDTH = 100, /* what a name in a tree gets where there is no terminal */
};

typedef struct {
	size_t value;
	bool is_total, is_percent;
	const char *heading;
	size_t width;
} cell_column;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__report_options *options;
	monocle__column *columns;
	cell_column *cells;
	size_t cell_count;
	size_t main;   /* the value that percentages are of */
	int64_t *sums; /* by value */
	char program[256];
	const uint8_t *shown;
} writer;

/* --- cells -------------------------------------------------------------------------------------------------------- */

static void
format_cell (const writer *w, const cell_column *cell, const int64_t *self, const int64_t *total, char *buffer)
{
	int64_t amount = cell->is_total ? total[cell->value] : self[cell->value], sum = w->sums[cell->value];
	if (!cell->is_percent)
		monocle__amount_format (amount, w->profile->value_types[cell->value].unit, buffer, CELL_SIZE);
	else if (sum == 0)
		strcpy (buffer, "-");
	else
		snprintf (buffer, CELL_SIZE, "%.1f%%", 100.0 * (double) amount / (double) sum);
}

static void
measure_row (writer *w, const int64_t *self, const int64_t *total)
{
	char buffer[CELL_SIZE];
	for (size_t i = 0; i < w->cell_count; i++) {
		format_cell (w, &w->cells[i], self, total, buffer);
		if (strlen (buffer) > w->cells[i].width)
			w->cells[i].width = strlen (buffer);
	}
}

static void
print_right (const writer *w, const char *text, size_t width)
{
	size_t own = monocle__utf8_width (text);
	fprintf (w->out, "%*s%s  ", own < width ? (int) (width - own) : 0, "", text);
}

/* `prefix` moves the name to the right and is not shortened. */
static void
print_name (const writer *w, size_t used, const char *prefix, const char *name)
{
	char buffer[NAME_SIZE];
	size_t width = w->options->width, columns = 0;
	used += strlen (prefix);
	if (width == 0 && w->options->tree)
		columns = PIPE_NAME_WIDTH;
	else if (width > 0)
		columns = width > used + MIN_NAME_WIDTH ? width - used : MIN_NAME_WIDTH;
	monocle__short_name (name, columns, w->options->ellipsis ? w->options->ellipsis : "..", buffer, sizeof buffer);
	fprintf (w->out, "%s%s\n", prefix, buffer);
}

static void
print_row (const writer *w, const int64_t *self, const int64_t *total, const char *prefix, const char *name)
{
	char buffer[CELL_SIZE];
	size_t used = 0;
	for (size_t i = 0; i < w->cell_count; i++) {
		format_cell (w, &w->cells[i], self, total, buffer);
		print_right (w, buffer, w->cells[i].width);
		used += w->cells[i].width + 2;
	}
	print_name (w, used, prefix, name);
}

static const char *
subject_of (const writer *w)
{
	if (w->options->subject)
		return w->options->subject;
	return w->options->lines ? "line" : "method";
}

static void
print_headings (const writer *w, const char *subject)
{
	fputs (w->options->bold ? "\033[1m" : "", w->out);
	for (size_t i = 0; i < w->cell_count; i++)
		print_right (w, w->cells[i].heading, w->cells[i].width);
	fprintf (w->out, "%s%s\n", subject, w->options->bold ? "\033[0m" : "");
}

static void
cell_add (writer *w, const monocle__column *column, bool is_percent)
{
	cell_column *cell = &w->cells[w->cell_count++];
	*cell = (cell_column) { column->value, column->is_total, is_percent, is_percent ? "%" : column->heading, 0 };
	cell->width = monocle__utf8_width (cell->heading);
}

/* How often a stack was seen says nothing that its weight does not. */
static bool
is_idle (const writer *w, size_t value)
{
	bool is_main = value == w->main;
	return !is_main && (w->sums[value] == 0 || strcmp (w->profile->value_types[value].type, "samples") == 0);
}

static bool
writer_init (writer *w)
{
	size_t count = 0;
	w->columns = monocle__columns_new (w->profile, &count);
	w->cells = calloc (count * 2, sizeof *w->cells);
	w->sums = calloc (w->profile->value_count, sizeof *w->sums);
	if (!w->columns || !w->cells || !w->sums)
		return false;
	w->main = monocle__profile_main_value (w->profile);
	monocle__origin_program (w->profile, w->program, sizeof w->program);
	for (size_t i = 0; i < w->profile->value_count; i++)
		w->sums[i] = monocle__profile_sum (w->profile, i);
	for (size_t i = 0; i < count; i++) {
		if (is_idle (w, w->columns[i].value) || (w->options->subject && w->columns[i].is_total))
			continue; /* what is no method calls nothing */
		cell_add (w, &w->columns[i], false);
		if (w->columns[i].value == w->main)
			cell_add (w, &w->columns[i], true);
	}
	return true;
}

static void
writer_done (writer *w)
{
	free (w->columns);
	free (w->cells);
	free (w->sums);
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

static void
print_sums (const writer *w, size_t count, const char *what)
{
	char amount[CELL_SIZE];
	monocle__amount_format ((int64_t) count, "count", amount, sizeof amount);
	fprintf (w->out, "%s %s%s", amount, what, count == 1 ? "" : "s");
	for (size_t i = 0; i < w->profile->value_count; i++) {
		const monocle__value_type *type = &w->profile->value_types[i];
		if (w->sums[i] == 0)
			continue;
		monocle__amount_format (w->sums[i], type->unit, amount, sizeof amount);
		fprintf (w->out, ", %s", amount);
		if (strcmp (type->type, "self") != 0) {
			monocle__utf8_elide (type->type, 0, "", amount, sizeof amount);
			fprintf (w->out, " %s", amount);
		}
	}
	fputs ("\n\n", w->out);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void
print_methods (writer *w, const monocle__methods *methods)
{
	size_t width = w->profile->value_count, limit = w->options->limit;
	size_t count = limit && limit < methods->count ? limit : methods->count;
	int64_t rest = 0;
	char amount[CELL_SIZE];
	for (size_t i = 0; i < count; i++)
		measure_row (w, methods->self + methods->order[i] * width, methods->total + methods->order[i] * width);
	print_headings (w, subject_of (w));
	for (size_t i = 0; i < count; i++) {
		uint32_t function = methods->order[i];
		print_row (w, methods->self + function * width, methods->total + function * width, "",
		           w->profile->functions[function].name);
	}
	if (count == methods->count)
		return;
	for (size_t i = count; i < methods->count; i++)
		rest = monocle__add (rest, methods->self[methods->order[i] * width + w->main]);
	monocle__amount_format (rest, w->profile->value_types[w->main].unit, amount, sizeof amount);
	fprintf (w->out, "(%zu more %s%s, %s)\n", methods->count - count, subject_of (w),
	         methods->count - count == 1 ? "" : "s", amount);
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

/* What `module` was given, "" without arguments; NULL: the profile is of another. */
static const char *
arguments_of (const monocle__profile *profile, const char *module)
{
	static const char key[] = "desc: ";
	size_t length = strlen (module);
	for (size_t i = 0; i < profile->comment_count; i++) {
		const char *comment = profile->comments[i], *desc = comment + sizeof key - 1;
		if (strncmp (comment, key, sizeof key - 1) == 0 && strncmp (desc, module, length) == 0 &&
		    (!desc[length] || desc[length] == ':'))
			return desc + length;
	}
	return NULL;
}

/* A row of one or two samples may be there by chance, or be missing. */
static void
print_few (const writer *w)
{
	enum { ENOUGH = 100 };
	const char *arguments = arguments_of (w->profile, "sample");
	size_t samples = monocle__profile_find_value (w->profile, "samples");
	if (!arguments || samples == SIZE_MAX || w->sums[samples] <= 0 || w->sums[samples] >= ENOUGH)
		return;
	fprintf (w->out, "# few samples: what is in one or two of them says little%s\n",
	         strstr (arguments, "freq=") ? "" : "; --profile=sample:freq=1000 takes more");
}

static void
print_head (const writer *w, size_t count, const char *noun)
{
	monocle__text_head (w->out, w->profile, w->options, NULL);
	print_few (w);
	print_sums (w, count, noun);
}

/* --- the program's own methods ------------------------------------------------------------------------------------ */

static bool
is_own (const writer *w, uint32_t function)
{
	return monocle__origin_shown (&w->profile->functions[function], w->program) == MONOCLE__ORIGIN_OWN;
}

/* Most of the cost is in other code: what one looks for would be found far below, if at all. */
static bool
is_own_far (const writer *w, const monocle__methods *methods)
{
	int64_t own = 0;
	for (size_t i = 0; i < methods->count; i++) {
		if (is_own (w, methods->order[i]))
			own = monocle__add (own, methods->self[methods->order[i] * w->profile->value_count + w->main]);
	}
	return own < w->sums[w->main] / 2;
}

/* What they cost is mostly what they called: by that they are ordered. */
static void
print_own (writer *w, monocle__methods *methods)
{
	enum { ROWS = 8 };
	uint32_t rows[ROWS];
	size_t count = 0, width = w->profile->value_count;
	monocle__methods_sort (methods, w->main, true);
	for (size_t i = 0; i < methods->count && count < ROWS; i++) {
		if (is_own (w, methods->order[i]) && methods->total[methods->order[i] * width + w->main] > 0)
			rows[count++] = methods->order[i];
	}
	for (size_t i = 0; i < count; i++)
		measure_row (w, methods->self + rows[i] * width, methods->total + rows[i] * width);
	if (count > 0)
		print_headings (w, "your own code, by what it cost with what it called");
	for (size_t i = 0; i < count; i++)
		print_row (w, methods->self + rows[i] * width, methods->total + rows[i] * width, "",
		           w->profile->functions[rows[i]].name);
	if (count > 0)
		putc ('\n', w->out);
}

static int
write_methods (writer *w)
{
	monocle__methods *methods = monocle__methods_new (w->profile);
	monocle__sort sort = w->options->sort;
	if (!methods)
		return -1;
	monocle__methods_sort (methods, monocle__sort_value (w->profile, sort), sort == MONOCLE__SORT_TOTAL);
	print_head (w, methods->count, subject_of (w));
	if (w->options->own_first && is_own_far (w, methods)) {
		print_own (w, methods);
		monocle__methods_sort (methods, monocle__sort_value (w->profile, sort), sort == MONOCLE__SORT_TOTAL);
	}
	print_methods (w, methods);
	monocle__methods_free (methods);
	return 0;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static void
measure_node (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	size_t width = w->profile->value_count;
	if (node != 0)
		measure_row (w, tree->self + node * width, tree->total + node * width);
}

static void
make_prefix (uint32_t depth, char *buffer, size_t size)
{
	int levels = depth < INDENT_LEVELS ? (int) depth : INDENT_LEVELS;
	if (depth > INDENT_LEVELS)
		snprintf (buffer, size, "%*s[%u] ", 2 * levels, "", depth);
	else
		snprintf (buffer, size, "%*s", 2 * levels, "");
}

static void
print_node (const monocle__tree *tree, uint32_t node, void *context)
{
	const writer *w = context;
	size_t width = w->profile->value_count;
	const monocle__node *n = &tree->nodes[node];
	char prefix[2 * INDENT_LEVELS + 24];
	if (node == 0)
		return;
	make_prefix (n->depth - 1, prefix, sizeof prefix);
	print_row (w, tree->self + node * width, tree->total + node * width, prefix,
	           w->profile->functions[n->function].name);
}

/* After the children that are shown: how many are not, and what they come to. */
static void
print_hidden (const monocle__tree *tree, uint32_t node, void *context)
{
	const writer *w = context;
	char prefix[2 * INDENT_LEVELS + 24], amount[CELL_SIZE], name[CELL_SIZE + 64];
	size_t hidden = 0, used = 0;
	int64_t rest = 0;
	for (uint32_t child = tree->nodes[node].first_child; w->shown && child != MONOCLE__NO_NODE;
	     child = tree->nodes[child].next_sibling) {
		if (w->shown[child])
			continue;
		hidden++;
		rest = monocle__add (rest, monocle__tree_total (tree, child, w->main));
	}
	if (hidden == 0)
		return;
	for (size_t i = 0; i < w->cell_count; i++)
		used += w->cells[i].width + 2;
	make_prefix (tree->nodes[node].depth, prefix, sizeof prefix);
	monocle__amount_format (rest, w->profile->value_types[w->main].unit, amount, sizeof amount);
	snprintf (name, sizeof name, "(%zu more, %s)", hidden, amount);
	fprintf (w->out, "%*s", (int) used, "");
	print_name (w, used, prefix, name);
}

typedef struct {
	const monocle__tree *tree;
	size_t value;
} heavy_context;

/* The heaviest first; of equal ones the older, so that a parent never comes after its child. */
static int
compare_weight (const void *a, const void *b, void *data)
{
	const heavy_context *context = data;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	int64_t weight_x = monocle__tree_total (context->tree, x, context->value);
	int64_t weight_y = monocle__tree_total (context->tree, y, context->value);
	if (weight_x != weight_y)
		return weight_x > weight_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Marks the `limit` heaviest nodes and the way to them. With values that are never negative the way is heavier than
 * what it leads to and nothing is added. NULL: out of memory.
 */
static uint8_t *
choose_nodes (const monocle__tree *tree, size_t value, size_t limit)
{
	heavy_context context = { tree, value };
	uint8_t *shown = calloc (tree->count, 1);
	uint32_t *order = malloc (tree->count * sizeof *order);
	if (!shown || !order) {
		free (shown);
		free (order);
		return NULL;
	}
	for (size_t i = 0; i < tree->count; i++)
		order[i] = (uint32_t) i;
	qsort_r (order, tree->count, sizeof *order, compare_weight, &context);
	for (size_t i = 0; i < tree->count && i <= limit; i++) {
		for (uint32_t node = order[i]; node != MONOCLE__NO_NODE && !shown[node]; node = tree->nodes[node].parent)
			shown[node] = 1;
	}
	free (order);
	return shown;
}

static int
print_tree (writer *w, monocle__tree *tree)
{
	size_t value = monocle__sort_value (w->profile, w->options->sort), limit = w->options->limit;
	uint8_t *shown = limit ? choose_nodes (tree, value, limit) : NULL;
	monocle__tree_visitor measure = { shown, measure_node, NULL, w }, print = { shown, print_node, print_hidden, w };
	if ((limit && !shown) || !monocle__tree_sort (tree, value)) {
		free (shown);
		return -1;
	}
	w->shown = shown;
	print_head (w, tree->count - 1, "path");
	monocle__tree_walk (tree, &measure);
	print_headings (w, subject_of (w));
	monocle__tree_walk (tree, &print);
	free (shown);
	return 0;
}

static int
write_tree (writer *w)
{
	monocle__tree *tree = monocle__tree_new (w->profile);
	int result = tree ? print_tree (w, tree) : -1;
	monocle__tree_free (tree);
	return result;
}

int
monocle__report_text (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .profile = profile, .options = options };
	int result = -1;
	if (!options->tree && !options->subject && monocle__text_exceptions_is_for (profile))
		return monocle__text_exceptions (out, profile, options);
	if (!options->tree && !options->subject && monocle__text_stacks_is_for (profile))
		return monocle__text_stacks (out, profile, options);
	if (writer_init (&w))
		result = options->tree ? write_tree (&w) : write_methods (&w);
	writer_done (&w);
	return result;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * diff.c - two profiles as one with two values, and the rows that tell their difference.
 *
 * A row has four amounts: self and total, before and after. *Points* are the change of its share: percent of the whole
 * after, less percent of the whole before.
 */
#include "diff.h"

#include "array.h"
#include "column.h"
#include "invariant.h"
#include "short-name.h"
#include "tree.h"
#include "width.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELL_SIZE = 64,
	NAME_SIZE = 8192,
	CELLS = 4,
	INDENT_LEVELS = 30,  /* deeper paths say their depth instead of moving further right */
	MIN_NAME_WIDTH = 24, /* a name gets so much of a narrow terminal, even if lines wrap */
};

/* --- one profile of two ------------------------------------------------------------------------------------------- */

typedef struct {
	monocle__profile *profile;
	uint32_t *functions; /* by function of the source */
	uint32_t *stack;
	size_t stack_capacity;
} joiner;

static bool
add_functions (joiner *j, const monocle__profile *source)
{
	uint32_t *functions = realloc (j->functions, (source->function_count + 1) * sizeof *functions);
	if (!functions)
		return false;
	j->functions = functions;
	for (size_t i = 0; i < source->function_count; i++) {
		const char *name = source->functions[i].name;
		monocle__function function = { .system_name = "", .filename = "", .origin = source->functions[i].origin };
		size_t index = SIZE_MAX;
		function.name = monocle__profile_text (j->profile, name, strlen (name));
		if (function.name)
			index = monocle__profile_add_function (j->profile, &function);
		if (index == SIZE_MAX)
			return false;
		functions[i] = (uint32_t) index;
	}
	return true;
}

static bool
add_samples (joiner *j, const monocle__profile *source, size_t value, size_t side, double scale)
{
	if (!add_functions (j, source))
		return false;
	for (size_t i = 0; i < source->sample_count; i++) {
		const monocle__sample *sample = &source->samples[i];
		int64_t amount = monocle__profile_values (source, i)[value], values[2] = { 0 };
		size_t depth = sample->depth + sample->hidden;
		if (!MONOCLE__RESERVE (j->stack, j->stack_capacity, depth + 1))
			return false;
		for (size_t k = 0; k < depth; k++)
			j->stack[k] = j->functions[source->frames[sample->frames + k]];
		values[side] = scale == 1 ? amount : monocle__round ((double) amount * scale);
		if (!monocle__profile_add_sample (j->profile, j->stack, sample->depth, values) ||
		    !monocle__profile_hide_frames (j->profile, j->stack + sample->depth, sample->hidden))
			return false;
	}
	return true;
}

static bool
add_value (monocle__profile *profile, const char *type, const char *unit)
{
	const char *own = monocle__profile_text (profile, unit, strlen (unit));
	return own && monocle__profile_add_value_type (profile, type, own);
}

/* What a view left out of a profile is told of both. */
static bool
add_idle (monocle__profile *joined, const monocle__profile *source, const char *side)
{
	static const char key[] = "idle: ";
	for (size_t i = 0; i < source->comment_count; i++) {
		char text[256];
		if (strncmp (source->comments[i], key, sizeof key - 1) != 0)
			continue;
		snprintf (text, sizeof text, "idle %s: %.200s", side, source->comments[i] + sizeof key - 1);
		const char *own = monocle__profile_text (joined, text, strlen (text));
		if (!own || !monocle__profile_add_comment (joined, own))
			return false;
	}
	return true;
}

monocle__profile *
monocle__diff_new (const monocle__profile *before, size_t before_value, const monocle__profile *after,
                   size_t after_value, bool normalize)
{
	joiner j = { .profile = monocle__profile_new (SIZE_MAX) };
	const char *unit = after->value_types[after_value].unit;
	double whole = (double) monocle__profile_sum (before, before_value), scale = 1;
	if (normalize && whole != 0)
		scale = (double) monocle__profile_sum (after, after_value) / whole;
	if (!j.profile || !add_value (j.profile, "before", unit) || !add_value (j.profile, "after", unit) ||
	    !add_samples (&j, before, before_value, MONOCLE__BEFORE, scale) ||
	    !add_samples (&j, after, after_value, MONOCLE__AFTER, 1) || !add_idle (j.profile, before, "before") ||
	    !add_idle (j.profile, after, "after")) {
		monocle__profile_free (j.profile);
		j.profile = NULL;
	} else {
		j.profile->default_type = "after";
	}
	free (j.functions);
	free (j.stack);
	return j.profile;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

typedef struct {
	const char *name;
	uint32_t depth;  /* 0 where rows are methods */
	int64_t self[2]; /* before and after */
	int64_t total[2];
} row;

typedef struct {
	const monocle__diff_options *options;
	row *rows;
	size_t count, capacity;
	size_t unchanged, left_out; /* rows that are not there */
	int64_t rest;               /* the change of those that were left out */
	int64_t sums[2];
	bool changed_only;
	bool failed;
	const uint8_t *shown; /* by node */
} table;

/* The difference, which saturates. */
static int64_t
change (const int64_t *amounts)
{
	int64_t difference;
	if (__builtin_sub_overflow (amounts[1], amounts[0], &difference))
		return amounts[1] < 0 ? INT64_MIN : INT64_MAX;
	return difference;
}

static uint64_t
magnitude (int64_t amount)
{
	return amount < 0 ? 0 - (uint64_t) amount : (uint64_t) amount;
}

static double
points (const table *t, const int64_t *amounts)
{
	double shares[2];
	for (int i = 0; i < 2; i++)
		shares[i] = t->sums[i] ? 100 * (double) amounts[i] / (double) t->sums[i] : 0;
	return shares[1] - shares[0];
}

static const int64_t *
key (const table *t, const row *r)
{
	return t->options->sort == MONOCLE__SORT_TOTAL ? r->total : r->self;
}

static void
add_row (table *t, const char *name, uint32_t depth, const int64_t *self, const int64_t *total)
{
	if (!MONOCLE__RESERVE (t->rows, t->capacity, t->count + 1)) {
		t->failed = true;
		return;
	}
	t->rows[t->count++] = (row) { name, depth, { self[0], self[1] }, { total[0], total[1] } };
}

/* The largest change first, whatever its direction. */
static int
compare_rows (const void *a, const void *b, void *data)
{
	const table *t = data;
	uint64_t x = magnitude (change (key (t, a))), y = magnitude (change (key (t, b)));
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp (((const row *) a)->name, ((const row *) b)->name);
}

static void
cut_rows (table *t)
{
	size_t end = t->count, limit = t->options->limit;
	while (t->changed_only && end > 0 && change (key (t, &t->rows[end - 1])) == 0)
		end--;
	t->unchanged = t->count - end;
	t->count = limit && limit < end ? limit : end;
	MONOCLE__INVARIANT (t->count <= end);
	t->left_out = end - t->count;
	for (size_t i = t->count; i < end; i++)
		t->rest = monocle__add (t->rest, change (key (t, &t->rows[i])));
}

static bool
fill_methods (table *t, const monocle__profile *profile)
{
	monocle__methods *methods = monocle__methods_new (profile);
	if (!methods)
		return false;
	for (size_t i = 0; i < methods->count; i++) {
		uint32_t function = methods->order[i];
		add_row (t, profile->functions[function].name, 0, methods->self + function * 2, methods->total + function * 2);
	}
	monocle__methods_free (methods);
	if (t->failed)
		return false;
	if (t->count)
		qsort_r (t->rows, t->count, sizeof *t->rows, compare_rows, t);
	cut_rows (t);
	return true;
}

typedef struct {
	uint64_t change;
	uint32_t node;
} heavy;

static int
compare_heavy (const void *a, const void *b)
{
	const heavy *x = a, *y = b;
	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Marks the nodes that changed most, up to the limit, and the way to them. NULL: out of memory. */
static uint8_t *
choose_nodes (table *t, const monocle__tree *tree)
{
	const int64_t *amounts = t->options->sort == MONOCLE__SORT_TOTAL ? tree->total : tree->self;
	uint8_t *shown = calloc (tree->count, 1);
	heavy *order = calloc (tree->count, sizeof *order);
	size_t limit = t->options->limit ? t->options->limit : SIZE_MAX;
	if (!shown || !order) {
		free (shown);
		free (order);
		return NULL;
	}
	for (size_t i = 0; i < tree->count; i++)
		order[i] = (heavy) { i ? magnitude (change (amounts + i * 2)) : 0, (uint32_t) i };
	qsort (order, tree->count, sizeof *order, compare_heavy);
	shown[0] = 1;
	for (size_t i = 0; i < tree->count; i++) {
		if (order[i].node == 0)
			continue;
		if (t->changed_only && order[i].change == 0) {
			t->unchanged += !shown[order[i].node];
			continue;
		}
		if (limit == 0) {
			t->left_out += !shown[order[i].node];
			continue;
		}
		limit--;
		for (uint32_t node = order[i].node; !shown[node]; node = tree->nodes[node].parent)
			shown[node] = 1;
	}
	free (order);
	return shown;
}

static void
add_node (const monocle__tree *tree, uint32_t node, void *context)
{
	const monocle__node *n = &tree->nodes[node];
	if (node != 0)
		add_row (context, tree->profile->functions[n->function].name, n->depth, tree->self + node * 2,
		         tree->total + node * 2);
}

static bool
fill_paths (table *t, const monocle__profile *profile)
{
	monocle__tree *tree = monocle__tree_new (profile);
	uint8_t *shown = tree && monocle__tree_sort (tree, SIZE_MAX) ? choose_nodes (t, tree) : NULL;
	monocle__tree_visitor visitor = { .shown = shown, .enter = add_node, .context = t };
	if (shown)
		monocle__tree_walk (tree, &visitor);
	else
		t->failed = true;
	free (shown);
	monocle__tree_free (tree);
	return !t->failed;
}

/* The rows of a report; table_done () also after failure. */
static bool
table_fill (table *t, const monocle__profile *profile, const monocle__diff_options *options, bool changed_only)
{
	*t = (table) { .options = options, .changed_only = changed_only };
	for (size_t i = 0; i < 2; i++)
		t->sums[i] = monocle__profile_sum (profile, i);
	return options->tree ? fill_paths (t, profile) : fill_methods (t, profile);
}

static void
table_done (table *t)
{
	free (t->rows);
}

/* --- for people --------------------------------------------------------------------------------------------------- */

typedef struct {
	FILE *out;
	const table *table;
	const char *unit;
	size_t widths[CELLS];
	const char *const *comments;
	size_t comment_count;
} writer;

static const char *const headings[CELLS] = { "before", "after", "change", "points" };

/* An amount that has its sign also when it is above zero. */
static void
format_change (int64_t amount, const char *unit, char *buffer, size_t size)
{
	buffer[0] = '+';
	monocle__amount_format (amount, unit, buffer + (amount > 0), size - 1);
}

static void
format_cells (const writer *w, const row *r, char cells[CELLS][CELL_SIZE])
{
	const int64_t *amounts = w->table->options->tree ? r->total : key (w->table, r);
	monocle__amount_format (amounts[0], w->unit, cells[0], CELL_SIZE);
	monocle__amount_format (amounts[1], w->unit, cells[1], CELL_SIZE);
	format_change (change (amounts), w->unit, cells[2], CELL_SIZE);
	snprintf (cells[3], CELL_SIZE, "%+.2f", points (w->table, amounts));
}

static void
measure (writer *w)
{
	char cells[CELLS][CELL_SIZE];
	for (size_t k = 0; k < CELLS; k++)
		w->widths[k] = strlen (headings[k]);
	for (size_t i = 0; i < w->table->count; i++) {
		format_cells (w, &w->table->rows[i], cells);
		for (size_t k = 0; k < CELLS; k++)
			w->widths[k] = strlen (cells[k]) > w->widths[k] ? strlen (cells[k]) : w->widths[k];
	}
}

static void
print_row (const writer *w, const row *r)
{
	char cells[CELLS][CELL_SIZE], name[NAME_SIZE], prefix[2 * INDENT_LEVELS + 24] = "";
	const monocle__diff_options *options = w->table->options;
	size_t used = 0, columns = 0;
	int levels = r->depth > INDENT_LEVELS ? INDENT_LEVELS : r->depth ? (int) r->depth - 1 : 0;
	format_cells (w, r, cells);
	for (size_t k = 0; k < CELLS; k++) {
		fprintf (w->out, "%*s  ", (int) w->widths[k], cells[k]);
		used += w->widths[k] + 2;
	}
	if (r->depth > INDENT_LEVELS)
		snprintf (prefix, sizeof prefix, "%*s[%" PRIu32 "] ", 2 * levels, "", r->depth);
	else
		snprintf (prefix, sizeof prefix, "%*s", 2 * levels, "");
	used += strlen (prefix);
	if (options->width > 0)
		columns = options->width > used + MIN_NAME_WIDTH ? options->width - used : MIN_NAME_WIDTH;
	monocle__short_name (r->name, columns, options->ellipsis ? options->ellipsis : "..", name, sizeof name);
	fprintf (w->out, "%s%s\n", prefix, name);
}

static void
print_head (const writer *w)
{
	const monocle__diff_options *options = w->table->options;
	const char *const names[] = { options->before, options->after };
	char name[NAME_SIZE], amount[CELL_SIZE];
	for (size_t i = 0; i < 2; i++) {
		monocle__utf8_elide (names[i], 0, "", name, sizeof name);
		monocle__amount_format (w->table->sums[i], w->unit, amount, sizeof amount);
		fprintf (w->out, "%s %s, %s%s\n", i ? "after: " : "before:", name, amount,
		         i == 0 && options->normalized ? " (scaled to the whole after)" : "");
	}
	for (size_t i = 0; i < w->comment_count; i++)
		fprintf (w->out, "# %s\n", w->comments[i]);
	putc ('\n', w->out);
	fputs (options->bold ? "\033[1m" : "", w->out);
	for (size_t k = 0; k < CELLS; k++)
		fprintf (w->out, "%*s  ", (int) w->widths[k], headings[k]);
	fprintf (w->out, "%s%s\n",
	         options->tree                          ? "path, with everything it called"
	         : options->sort == MONOCLE__SORT_TOTAL ? "method, with everything it called"
	                                                : "method",
	         options->bold ? "\033[0m" : "");
}

static void
print_rest (const writer *w)
{
	const char *what = w->table->options->tree ? "path" : "method";
	const table *t = w->table;
	char amount[CELL_SIZE];
	format_change (t->rest, w->unit, amount, sizeof amount);
	if (t->left_out && t->options->tree)
		fprintf (w->out, "(%zu more %s%s changed)\n", t->left_out, what, t->left_out == 1 ? "" : "s");
	else if (t->left_out)
		fprintf (w->out, "(%zu more %s%s changed, %s)\n", t->left_out, what, t->left_out == 1 ? "" : "s", amount);
	if (t->unchanged)
		fprintf (w->out, "(%zu %s%s did not change)\n", t->unchanged, what, t->unchanged == 1 ? "" : "s");
}

int
monocle__diff_text (FILE *out, const monocle__profile *profile, const monocle__diff_options *options)
{
	table t;
	bool filled = table_fill (&t, profile, options, true);
	writer w = { .out = out, .table = &t, .unit = profile->value_types[0].unit };
	w.comments = (const char *const *) profile->comments;
	w.comment_count = profile->comment_count;
	if (filled) {
		measure (&w);
		print_head (&w);
		for (size_t i = 0; i < t.count; i++)
			print_row (&w, &t.rows[i]);
		print_rest (&w);
	}
	table_done (&t);
	return filled ? 0 : -1;
}

/* --- for programs ------------------------------------------------------------------------------------------------- */

/* "self_before_ns" -> "self_change_ns" */
static void
change_name (const monocle__column *column, char *buffer, size_t size)
{
	const char *middle = strstr (column->name, "before");
	snprintf (buffer, size, "%.*schange%s", (int) (middle - column->name), column->name, middle + strlen ("before"));
}

typedef struct {
	char before[64], after[64], change[64], points[64];
} names;

/* The names of self's columns, then of total's. false: out of memory. */
static bool
names_init (names *n, const monocle__profile *profile)
{
	size_t count = 0;
	monocle__column *columns = monocle__columns_new (profile, &count);
	if (!columns)
		return false;
	for (size_t i = 0; i < 2; i++) {
		strcpy (n[i].before, columns[i].name);
		strcpy (n[i].after, columns[2 + i].name);
		change_name (&columns[i], n[i].change, sizeof n[i].change);
		strcpy (n[i].points, i ? "total_points" : "self_points");
	}
	free (columns);
	return true;
}

int
monocle__diff_tsv (FILE *out, const monocle__profile *profile, const monocle__diff_options *options)
{
	names n[2];
	table t;
	bool filled = table_fill (&t, profile, options, false) && names_init (n, profile);
	if (filled) {
		fputs ("method", out);
		for (size_t i = 0; i < 2; i++)
			fprintf (out, "\t%s\t%s\t%s\t%s", n[i].before, n[i].after, n[i].change, n[i].points);
		fputs (options->tree ? "\tdepth\n" : "\n", out);
	}
	for (size_t i = 0; filled && i < t.count; i++) {
		const row *r = &t.rows[i];
		monocle__tsv_name (out, r->name);
		for (size_t k = 0; k < 2; k++) {
			const int64_t *amounts = k ? r->total : r->self;
			fprintf (out, "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.3f", amounts[0], amounts[1], change (amounts),
			         points (&t, amounts));
		}
		if (options->tree)
			fprintf (out, "\t%" PRIu32, r->depth);
		putc ('\n', out);
	}
	table_done (&t);
	return filled ? 0 : -1;
}

static void
write_json_row (FILE *out, const table *t, const names *n, const row *r)
{
	fputs ("{\"method\": ", out);
	monocle__json_string (out, r->name);
	for (size_t k = 0; k < 2; k++) {
		const int64_t *amounts = k ? r->total : r->self;
		fprintf (out, ", \"%s\": %" PRId64 ", \"%s\": %" PRId64 ", \"%s\": %" PRId64 ", \"%s\": %.3f", n[k].before,
		         amounts[0], n[k].after, amounts[1], n[k].change, change (amounts), n[k].points, points (t, amounts));
	}
	if (t->options->tree)
		fprintf (out, ", \"depth\": %" PRIu32, r->depth);
	fputs ("}", out);
}

static void
write_json_value (FILE *out, const char *value)
{
	if (!value)
		return;
	fputs (", \"value\": ", out);
	monocle__json_string (out, value);
}

int
monocle__diff_json (FILE *out, const monocle__profile *profile, const monocle__diff_options *options)
{
	names n[2];
	table t;
	bool filled = table_fill (&t, profile, options, false) && names_init (n, profile);
	if (filled) {
		fputs ("{\n  \"before\": {\"profile\": ", out);
		monocle__json_string (out, options->before);
		write_json_value (out, options->before_value);
		fprintf (out, ", \"sum\": %" PRId64 "},\n  \"after\": {\"profile\": ", t.sums[0]);
		monocle__json_string (out, options->after);
		write_json_value (out, options->after_value);
		fprintf (out, ", \"sum\": %" PRId64 "},\n  \"unit\": ", t.sums[1]);
		monocle__json_string (out, profile->value_types[0].unit);
		fprintf (out, ",\n  \"normalized\": %s,\n  \"%s\": [", options->normalized ? "true" : "false",
		         options->tree ? "paths" : "methods");
		for (size_t i = 0; i < t.count; i++) {
			fputs (i ? ",\n    " : "\n    ", out);
			write_json_row (out, &t, n, &t.rows[i]);
		}
		fputs (t.count ? "\n  ]\n}\n" : "]\n}\n", out);
	}
	table_done (&t);
	return filled ? 0 : -1;
}

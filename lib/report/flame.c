/*
 * SPDX-License-Identifier: MIT
 *
 * flame.c - the flame graph: flame.html with the call tree in it.
 *
 * The page gets the tree depth first, one run of numbers per node: the index of its name, how many levels up its parent
 * is from the node before, and its own amounts. Totals and places are computed there. In a large tree, frames narrower
 * than a share of the whole are folded into one per parent, which says how many they were; amounts stay exact.
 *
 * Nothing from the profile is markup: it all travels as JSON in which <, > and & are escaped, and the page puts it on
 * the screen as text.
 */
#include "column.h"
#include "template.h"
#include "tree.h"

#include "flame-template.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LARGE_TREE = 20000, /* nodes; smaller trees are written whole */
	UNNAMED = UINT32_MAX,
};

static const double default_min_share = 0.0001;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	monocle__tree *tree;
	uint8_t *shown;  /* by node */
	uint32_t *names; /* by function: its index in the page's list of names, UNNAMED when no node shows it */
	uint32_t name_count;
	uint64_t *folds;    /* by node: how many below it are folded into it */
	uint32_t *fold_of;  /* by node: the shown node into which a hidden one is folded */
	int64_t *fold_sums; /* by node and value */
	size_t folded;
	double min_share;
	bool diff, upright;
	uint32_t depth; /* of the node written last */
	const char *comma;
} writer;

/* --- which frames are wide enough --------------------------------------------------------------------------------- */

static int64_t
positive (int64_t amount)
{
	return amount > 0 ? amount : 0;
}

static bool
is_wide (const writer *w, uint32_t node)
{
	for (size_t v = 0; v < w->profile->value_count; v++) {
		double whole = (double) monocle__tree_total (w->tree, 0, v);
		if (whole > 0 && (double) monocle__tree_total (w->tree, node, v) >= whole * w->min_share)
			return true;
	}
	return false;
}

/* Parents come before children, so one walk decides for all: below a folded node everything goes into the same fold. */
static void
fold_narrow (writer *w)
{
	size_t width = w->profile->value_count;
	w->shown[0] = 1;
	for (uint32_t node = 1; node < w->tree->count; node++) {
		uint32_t parent = w->tree->nodes[node].parent;
		w->shown[node] = w->shown[parent] && (w->min_share <= 0 || is_wide (w, node));
		if (w->shown[node])
			continue;
		w->fold_of[node] = w->shown[parent] ? parent : w->fold_of[parent];
		w->folds[w->fold_of[node]]++;
		w->folded++;
		for (size_t v = 0; v < width; v++) {
			int64_t *sum = &w->fold_sums[w->fold_of[node] * width + v];
			*sum = monocle__add (*sum, positive (monocle__tree_self (w->tree, node, v)));
		}
	}
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static void
write_numbers (writer *w, int64_t name, uint32_t depth, const int64_t *amounts)
{
	fprintf (w->out, "%s%" PRId64 ",%" PRIu32, w->comma, name, depth == 0 ? 0 : w->depth + 1 - depth);
	for (size_t v = 0; v < w->profile->value_count; v++)
		fprintf (w->out, ",%" PRId64, positive (amounts[v]));
	w->depth = depth;
	w->comma = ",";
}

static void
write_node (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	uint32_t function = tree->nodes[node].function;
	write_numbers (w, node == 0 ? 0 : w->names[function], tree->nodes[node].depth,
	               tree->self + node * w->profile->value_count);
}

static void
write_fold (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	if (w->folds[node] > 0)
		write_numbers (w, -(int64_t) w->folds[node], tree->nodes[node].depth + 1,
		               w->fold_sums + node * w->profile->value_count);
}

/* Names in the order of the functions, only those that are shown, with their files in a second list. */
static void
write_names (writer *w)
{
	const char *comma = "";
	for (size_t i = 0; i < w->profile->function_count; i++)
		w->names[i] = UNNAMED;
	for (size_t i = 1; i < w->tree->count; i++) {
		if (w->shown[i])
			w->names[w->tree->nodes[i].function] = 0;
	}
	fputs (",\n\"names\":[", w->out);
	for (size_t i = 0; i < w->profile->function_count; i++) {
		if (w->names[i] == UNNAMED)
			continue;
		w->names[i] = w->name_count++;
		fputs (comma, w->out);
		monocle__json_string (w->out, w->profile->functions[i].name);
		comma = ",\n";
	}
	fputs ("],\n\"files\":[", w->out);
	comma = "";
	for (size_t i = 0; i < w->profile->function_count; i++) {
		if (w->names[i] == UNNAMED)
			continue;
		fputs (comma, w->out);
		monocle__json_string (w->out, w->profile->functions[i].filename);
		comma = ",\n";
	}
	fputs ("]", w->out);
}

static bool
is_shown (const writer *w, size_t function)
{
	return w->names[function] != UNNAMED;
}

/*
 * Where the functions are in their sources: "sources" and "lines" go with "names", one of each per name. A source is
 * the path that the compiler wrote down, "" when it is not known; a line is that of the function's beginning, 0 when it
 * is not known. Neither list is there when no source is known.
 */
static void
write_sources (writer *w)
{
	const monocle__function *functions = w->profile->functions;
	size_t count = w->profile->function_count, first = 0;
	const char *comma = "";
	while (first < count && (!is_shown (w, first) || !functions[first].source))
		first++;
	if (first == count)
		return;
	fputs (",\n\"sources\":[", w->out);
	for (size_t i = 0; i < count; i++) {
		if (!is_shown (w, i))
			continue;
		fputs (comma, w->out);
		monocle__json_string (w->out, functions[i].source ? functions[i].source : "");
		comma = ",\n";
	}
	fputs ("],\n\"lines\":[", w->out);
	comma = "";
	for (size_t i = 0; i < count; i++) {
		if (!is_shown (w, i))
			continue;
		fprintf (w->out, "%s%" PRId64, comma, functions[i].source ? functions[i].line : 0);
		comma = ",";
	}
	putc (']', w->out);
}

static void
write_values (writer *w)
{
	fprintf (w->out, ",\n\"metric\":%zu,\"values\":[", monocle__profile_main_value (w->profile));
	for (size_t v = 0; v < w->profile->value_count; v++) {
		fputs (v ? ",{\"type\":" : "{\"type\":", w->out);
		monocle__json_string (w->out, w->profile->value_types[v].type);
		fputs (",\"unit\":", w->out);
		monocle__json_string (w->out, w->profile->value_types[v].unit);
		fputs ("}", w->out);
	}
	fputs ("]", w->out);
}

static void
write_data (writer *w, const char *title)
{
	monocle__tree_visitor visitor = { w->shown, write_node, write_fold, w };
	fputs ("{\"title\":", w->out);
	monocle__json_string (w->out, title);
	fprintf (w->out, ",\"time\":%" PRId64 ",\"duration\":%" PRId64, w->profile->time_nanos, w->profile->duration_nanos);
	fprintf (w->out, "%s%s,\"frames\":%zu,\"folded\":%zu,\"minShare\":%g,\"comments\":[",
	         w->diff ? ",\"diff\":true" : "", w->upright ? ",\"icicle\":false" : "", w->tree->count - 1, w->folded,
	         w->min_share * 100);
	for (size_t i = 0; i < w->profile->comment_count; i++) {
		fputs (i ? "," : "", w->out);
		monocle__json_string (w->out, w->profile->comments[i]);
	}
	fputs ("]", w->out);
	write_values (w);
	write_names (w);
	write_sources (w);
	fputs (",\n\"nodes\":[", w->out);
	monocle__tree_walk (w->tree, &visitor);
	fputs ("]}", w->out);
}

static void
write_page (writer *w, const char *title)
{
	const char *at =
	    monocle__template_until (w->out, flame_template, flame_template + sizeof flame_template, "@TITLE@");
	monocle__template_text (w->out, title);
	at = monocle__template_until (w->out, at, flame_template + sizeof flame_template, "@DATA@");
	write_data (w, title);
	fwrite (at, 1, (size_t) (flame_template + sizeof flame_template - at), w->out);
}

static bool
writer_init (writer *w)
{
	size_t count;
	w->tree = monocle__tree_new (w->profile);
	if (!w->tree || !monocle__tree_sort (w->tree, SIZE_MAX))
		return false;
	count = w->tree->count;
	w->shown = calloc (count, 1);
	w->names = calloc (w->profile->function_count + 1, sizeof *w->names);
	w->folds = calloc (count, sizeof *w->folds);
	w->fold_of = calloc (count, sizeof *w->fold_of);
	w->fold_sums = calloc (count * w->profile->value_count, sizeof *w->fold_sums);
	return w->shown && w->names && w->folds && w->fold_of && w->fold_sums;
}

static void
writer_done (writer *w)
{
	monocle__tree_free (w->tree);
	free (w->shown);
	free (w->names);
	free (w->folds);
	free (w->fold_of);
	free (w->fold_sums);
}

int
monocle__report_flame (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out,
		         .profile = profile,
		         .min_share = options->min_share,
		         .diff = options->diff,
		         .upright = options->upright,
		         .comma = "" };
	int result = -1;
	if (writer_init (&w)) {
		if (w.min_share <= 0 && w.tree->count > LARGE_TREE)
			w.min_share = default_min_share;
		fold_narrow (&w);
		write_page (&w, options->title ? options->title : "profile");
		result = 0;
	}
	writer_done (&w);
	return result;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * flame.c - the flame graph: flame/flame.html with the call tree in it.
 *
 * The page gets the tree depth first, two numbers per node: the index of its name, and how many levels up its parent is
 * from the node before. Then it gets the costs, a run of numbers for each node and group of samples: how many nodes
 * further the node is, the group, and the amounts. Totals and places are computed there, and so are the trees of one
 * thread, from the leaf on, with the framework collapsed, and so on. In a large tree, frames narrower than a share of
 * the whole are folded into one per parent, which says how many they were; amounts stay exact.
 *
 * Nothing from the profile is markup: it all travels as JSON in which <, > and & are escaped, and the page puts it on
 * the screen as text.
 */
#include "column.h"
#include "groups.h"
#include "origin.h"
#include "template.h"
#include "tree.h"

#include "flame-template.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LARGE_TREE = 20000, /* nodes; smaller trees are written whole */
	PROGRAM_SIZE = 256,
	UNNAMED = UINT32_MAX,
};

static const double default_min_share = 0.0001;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	monocle__tree *tree;
	monocle__groups *groups;
	const monocle__report_options *options;
	char program[PROGRAM_SIZE];
	uint8_t *shown;        /* by node */
	uint32_t *names;       /* by function: its index in the page's list of names, UNNAMED when no node shows it */
	uint64_t *folds;       /* by node: how many below it are folded into it */
	uint32_t *fold_of;     /* by node: the shown node into which a hidden one is folded */
	uint32_t *node_places; /* by node: its index in the page's list of nodes */
	uint32_t *fold_places; /* by node: that of its fold */
	uint32_t *order;       /* the samples */
	size_t folded;
	double min_share;
	uint32_t places; /* nodes and folds that are written */
	uint32_t depth;  /* of the last one */
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
	w->shown[0] = 1;
	for (uint32_t node = 1; node < w->tree->count; node++) {
		uint32_t parent = w->tree->nodes[node].parent;
		w->shown[node] = w->shown[parent] && (w->min_share <= 0 || is_wide (w, node));
		if (w->shown[node])
			continue;
		w->fold_of[node] = w->shown[parent] ? parent : w->fold_of[parent];
		w->folds[w->fold_of[node]]++;
		w->folded++;
	}
}

/* --- costs -------------------------------------------------------------------------------------------------------- */

/* Where the page has what a sample cost: the node at the end of its stack, or the fold in which that node is. */
static uint32_t
place_of (const writer *w, size_t sample)
{
	uint32_t node = w->tree->leaves[sample];
	return w->shown[node] ? w->node_places[node] : w->fold_places[w->fold_of[node]];
}

static int
compare_costs (const void *a, const void *b, void *data)
{
	const writer *w = data;
	uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b, x = place_of (w, i), y = place_of (w, k);
	if (x == y) {
		x = w->groups->of_sample[i];
		y = w->groups->of_sample[k];
	}
	return x == y ? 0 : x < y ? -1 : 1;
}

/* The samples from `first` to `next` are of one place and group. */
static void
write_cost (writer *w, size_t first, size_t next, uint32_t place)
{
	const monocle__profile *profile = w->profile;
	fprintf (w->out, "%s%" PRIu32 ",%" PRIu32, first ? "," : "", place, w->groups->of_sample[w->order[first]]);
	for (size_t v = 0; v < profile->value_count; v++) {
		int64_t sum = 0;
		for (size_t i = first; i < next; i++)
			sum = monocle__add (sum, monocle__profile_values (profile, w->order[i])[v]);
		fprintf (w->out, ",%" PRId64, positive (sum));
	}
}

static void
write_costs (writer *w)
{
	size_t count = w->profile->sample_count;
	uint32_t before = 0;
	for (size_t i = 0; i < count; i++)
		w->order[i] = (uint32_t) i;
	qsort_r (w->order, count, sizeof *w->order, compare_costs, w);
	fputs (",\n\"costs\":[", w->out);
	for (size_t first = 0, next; first < count; first = next) {
		uint32_t place = place_of (w, w->order[first]);
		for (next = first + 1; next < count && compare_costs (&w->order[first], &w->order[next], w) == 0;)
			next++;
		write_cost (w, first, next, place - before);
		before = place;
	}
	putc (']', w->out);
}

static void
write_groups (writer *w)
{
	fputs (",\n\"groups\":[", w->out);
	for (size_t i = 0; i < w->groups->count; i++) {
		fputs (i ? ",\n{\"process\":" : "{\"process\":", w->out);
		monocle__json_string (w->out, w->groups->groups[i].process);
		fputs (",\"thread\":", w->out);
		monocle__json_string (w->out, w->groups->groups[i].thread);
		fputs (w->groups->groups[i].is_idle ? ",\"idle\":true}" : "}", w->out);
	}
	putc (']', w->out);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static void
write_frame (writer *w, int64_t name, uint32_t depth)
{
	fprintf (w->out, "%s%" PRId64 ",%" PRIu32, w->places ? "," : "", name, depth == 0 ? 0 : w->depth + 1 - depth);
	w->depth = depth;
	w->places++;
}

static void
write_node (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	w->node_places[node] = w->places;
	write_frame (w, node == 0 ? 0 : w->names[tree->nodes[node].function], tree->nodes[node].depth);
}

static void
write_fold (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	w->fold_places[node] = w->places;
	if (w->folds[node] > 0)
		write_frame (w, -(int64_t) w->folds[node], tree->nodes[node].depth + 1);
}

/* Those that are shown get their numbers, in the order of the functions. */
static void
number_names (writer *w)
{
	uint32_t count = 0;
	for (size_t i = 0; i < w->profile->function_count; i++)
		w->names[i] = UNNAMED;
	for (size_t i = 1; i < w->tree->count; i++) {
		if (w->shown[i])
			w->names[w->tree->nodes[i].function] = 0;
	}
	for (size_t i = 0; i < w->profile->function_count; i++) {
		if (w->names[i] != UNNAMED)
			w->names[i] = count++;
	}
}

static void
write_name (const writer *w, size_t function)
{
	monocle__json_string (w->out, w->profile->functions[function].name);
}

static void
write_file (const writer *w, size_t function)
{
	monocle__json_string (w->out, w->profile->functions[function].filename);
}

/* monocle__origin, but NATIVE for the framework's native code. */
static void
write_kind (const writer *w, size_t index)
{
	enum { NATIVE = 6 };
	const monocle__function *function = &w->profile->functions[index];
	monocle__origin origin = monocle__origin_shown (function, w->program);
	fprintf (w->out, "%d", monocle__origin_is_native (function, origin) ? NATIVE : (int) origin);
}

/* A list that goes with the names. */
static void
write_list (const writer *w, const char *key, const char *separator, void (*write) (const writer *w, size_t function))
{
	const char *before = "";
	fprintf (w->out, ",\n\"%s\":[", key);
	for (size_t i = 0; i < w->profile->function_count; i++) {
		if (w->names[i] == UNNAMED)
			continue;
		fputs (before, w->out);
		write (w, i);
		before = separator;
	}
	putc (']', w->out);
}

static void
write_source (const writer *w, size_t index)
{
	const monocle__function *function = &w->profile->functions[index];
	monocle__json_string (w->out, function->source ? function->source : "");
}

static void
write_line (const writer *w, size_t index)
{
	const monocle__function *function = &w->profile->functions[index];
	fprintf (w->out, "%" PRId64, function->source ? function->line : 0);
}

/*
 * Where the functions are in their sources, one of each per name. A source is the path that the compiler wrote down, ""
 * when it is not known; a line is that of the function's beginning, 0 when it is not known. Neither list is there when
 * no source is known.
 */
static void
write_sources (const writer *w)
{
	const monocle__function *functions = w->profile->functions;
	size_t first = 0;
	while (first < w->profile->function_count && (w->names[first] == UNNAMED || !functions[first].source))
		first++;
	if (first == w->profile->function_count)
		return;
	write_list (w, "sources", ",\n", write_source);
	write_list (w, "lines", ",", write_line);
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
	if (w->options->foldable)
		fprintf (w->out, ",\"collapsed\":%s", w->options->folded ? "true" : "false");
	if (w->options->idle)
		fputs (",\"idle\":true", w->out);
	if (w->options->editor) {
		fputs (",\"editor\":", w->out);
		monocle__json_string (w->out, w->options->editor);
	}
	fprintf (w->out, ",\"time\":%" PRId64 ",\"duration\":%" PRId64, w->profile->time_nanos, w->profile->duration_nanos);
	fprintf (w->out, "%s%s,\"frames\":%zu,\"folded\":%zu,\"minShare\":%g,\"comments\":[",
	         w->options->diff ? ",\"diff\":true" : "", w->options->upright ? ",\"icicle\":false" : "",
	         w->tree->count - 1, w->folded, w->min_share * 100);
	for (size_t i = 0; i < w->profile->comment_count; i++) {
		fputs (i ? "," : "", w->out);
		monocle__json_string (w->out, w->profile->comments[i]);
	}
	fputs ("]", w->out);
	write_values (w);
	write_groups (w);
	number_names (w);
	write_list (w, "names", ",\n", write_name);
	write_list (w, "files", ",\n", write_file);
	write_list (w, "kinds", ",", write_kind);
	write_sources (w);
	fputs (",\n\"nodes\":[", w->out);
	monocle__tree_walk (w->tree, &visitor);
	putc (']', w->out);
	write_costs (w);
	putc ('}', w->out);
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
	w->groups = monocle__groups_new (w->profile);
	if (!w->tree || !w->groups || !monocle__tree_sort (w->tree, SIZE_MAX))
		return false;
	monocle__origin_program (w->profile, w->program, sizeof w->program);
	count = w->tree->count;
	w->shown = calloc (count, 1);
	w->names = calloc (w->profile->function_count + 1, sizeof *w->names);
	w->folds = calloc (count, sizeof *w->folds);
	w->fold_of = calloc (count, sizeof *w->fold_of);
	w->node_places = calloc (count, sizeof *w->node_places);
	w->fold_places = calloc (count, sizeof *w->fold_places);
	w->order = calloc (w->profile->sample_count + 1, sizeof *w->order);
	return w->shown && w->names && w->folds && w->fold_of && w->node_places && w->fold_places && w->order;
}

static void
writer_done (writer *w)
{
	monocle__tree_free (w->tree);
	monocle__groups_free (w->groups);
	free (w->shown);
	free (w->names);
	free (w->folds);
	free (w->fold_of);
	free (w->node_places);
	free (w->fold_places);
	free (w->order);
}

int
monocle__report_flame (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	writer w = { .out = out, .profile = profile, .options = options, .min_share = options->min_share };
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

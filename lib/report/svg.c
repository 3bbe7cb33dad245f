/*
 * SPDX-License-Identifier: MIT
 *
 * svg.c - the flame graph as a picture, for a document, a mail or an issue: no script, nothing to click.
 *
 * Callers are on top, as in the page (flame.c), and colours mean the same: the program's own code is strong, the
 * framework's pale, the runtime's grey. What is narrower than a pixel is left out, and what is below a thousand frames.
 * A frame has its name and amount as a title, which browsers show under the pointer.
 */
#include "column.h"
#include "format.h"
#include "origin.h"
#include "report.h"
#include "short-name.h"
#include "shown-comment.h"
#include "template.h"
#include "tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, MARGIN = 10, HEAD = 56, ROW = 18, ROWS_MOST = 1000, LETTERS = 160, SHADES = 3, LEAST_COLUMNS = 2 };

static const double letter = 7.25; /* the width of one of 12 pixels, in fonts of equal widths */
static const double narrowest = 1;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__tree *tree;
	const monocle__report_options *options;
	size_t value;
	double scale; /* pixels of one of the value */
	double *next; /* by node: where its next child begins */
	uint8_t *shown;
	uint32_t rows;
	char program[256];
} writer;

/* --- colours ------------------------------------------------------------------------------------------------------ */

typedef enum { OWN, FRAMEWORK, RUNTIME } colour;

static const char *const colours[][SHADES] = {
	[OWN] = { "#f99344", "#fa9f58", "#fba968" },
	[FRAMEWORK] = { "#cddff0", "#d3e3f2", "#d9e7f4" },
	[RUNTIME] = { "#c0c2c6", "#c6c8cb", "#cbcdd0" },
};

/* One frame for many of the framework's (view.h). */
static bool
is_fold (const char *name)
{
	static const char *const folds[] = { "[framework]", "[async]", "[test framework]" };
	for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
		if (strcmp (name, folds[i]) == 0)
			return true;
	return false;
}

static colour
colour_of (const writer *w, const monocle__function *function)
{
	monocle__origin origin = monocle__origin_shown (function, w->program);
	if (origin == MONOCLE__ORIGIN_OWN)
		return OWN;
	if (is_fold (function->name))
		return FRAMEWORK;
	return origin == MONOCLE__ORIGIN_OTHER || monocle__origin_is_native (function, origin) ? RUNTIME : FRAMEWORK;
}

/* Neighbours that are not the same look different, mostly. */
static unsigned
shade_of (const char *name)
{
	unsigned sum = 0;
	while (*name)
		sum = sum * 31 + (unsigned char) *name++;
	return sum % SHADES;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

static double
width_of (const writer *w, uint32_t node)
{
	int64_t total = monocle__tree_total (w->tree, node, w->value);
	return total > 0 ? (double) total * w->scale : 0;
}

static void
choose (writer *w)
{
	double least = w->options->min_share * (WIDTH - 2 * MARGIN);
	if (least < narrowest)
		least = narrowest;
	for (uint32_t node = 0; node < w->tree->count; node++) {
		const monocle__node *n = &w->tree->nodes[node];
		w->shown[node] = node == 0 || (w->shown[n->parent] && n->depth < ROWS_MOST && width_of (w, node) >= least);
		if (w->shown[node] && n->depth >= w->rows)
			w->rows = n->depth + 1;
	}
}

static void
write_title (const writer *w, uint32_t node, const char *name)
{
	char amount[64];
	int64_t total = monocle__tree_total (w->tree, node, w->value), whole = monocle__tree_total (w->tree, 0, w->value);
	monocle__amount_format (total, w->profile->value_types[w->value].unit, amount, sizeof amount);
	fputs ("<title>", w->out);
	monocle__template_text (w->out, name);
	fprintf (w->out, ": %s, %.1f %%</title>", amount, whole > 0 ? 100.0 * (double) total / (double) whole : 0);
}

static void
write_label (const writer *w, const char *name, double x, double y, double width)
{
	char text[LETTERS * 4 + 1];
	size_t columns = width > 6 ? (size_t) ((width - 6) / letter) : 0;
	if (columns < LEAST_COLUMNS)
		return;
	monocle__short_name (name, columns < LETTERS ? columns : LETTERS, "\xe2\x80\xa6", text, sizeof text);
	fprintf (w->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + 13);
	monocle__template_text (w->out, text);
	fputs ("</text>", w->out);
}

static void
write_frame (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	const monocle__node *n = &tree->nodes[node];
	const monocle__function *function = node ? &w->profile->functions[n->function] : NULL;
	double width = width_of (w, node), x = node ? w->next[n->parent] : MARGIN;
	double y = HEAD + ROW * (double) (w->options->upright ? w->rows - 1 - n->depth : n->depth);
	const char *name = function ? function->name : "all";
	if (node)
		w->next[n->parent] += width;
	w->next[node] = x;
	fputs ("<g>", w->out);
	write_title (w, node, name);
	/* A hair is left between neighbours. */
	fprintf (w->out, "<rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x, y,
	         width > 1.5 ? width - 0.5 : width, ROW - 1,
	         function ? colours[colour_of (w, function)][shade_of (name)] : "#e4e5e8");
	write_label (w, name, x, y, width);
	fputs ("</g>\n", w->out);
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

static void
write_comment (const writer *w, const char *key)
{
	size_t length = strlen (key);
	char text[256];
	for (size_t i = 0; i < w->profile->comment_count; i++) {
		const char *comment = w->profile->comments[i];
		if (strncmp (comment, key, length) != 0)
			continue;
		if (monocle__shown_comment (comment, text, sizeof text))
			comment = text;
		monocle__template_text (w->out, comment + length);
		fputs (" \xc2\xb7 ", w->out);
	}
}

static void
write_legend (const writer *w)
{
	static const char *const words[] = { [OWN] = "own code", [FRAMEWORK] = "framework", [RUNTIME] = "runtime, native" };
	for (int i = OWN; i <= RUNTIME; i++) {
		double x = WIDTH - MARGIN - 330 + 105.0 * i;
		fprintf (
		    w->out,
		    "<rect x=\"%.0f\" y=\"14\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%.0f\" y=\"23\">%s</text>\n",
		    x, colours[i][0], x + 15, words[i]);
	}
}

static void
write_head (const writer *w, const char *title)
{
	char amount[64];
	const monocle__value_type *type = &w->profile->value_types[w->value];
	uint32_t height = HEAD + ROW * w->rows + MARGIN;
	monocle__amount_format (monocle__tree_total (w->tree, 0, w->value), type->unit, amount, sizeof amount);
	fprintf (w->out,
	         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32
	         "\" "
	         "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"12\" fill=\"#1b1f24\">\n"
	         "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"23\" font-weight=\"bold\">",
	         WIDTH, height, WIDTH, height, MARGIN);
	monocle__template_text (w->out, title);
	fprintf (w->out, "</text>\n<text x=\"%d\" y=\"43\">", MARGIN);
	write_comment (w, "program: ");
	write_comment (w, "runtime: ");
	monocle__template_text (w->out, type->type);
	fprintf (w->out, " %s</text>\n", amount);
	write_legend (w);
}

static int
draw (FILE *out, const monocle__profile *profile, size_t value, const monocle__report_options *options)
{
	writer w = { .out = out, .profile = profile, .value = value, .options = options };
	monocle__tree *tree = monocle__tree_new (profile);
	int result = -1;
	if (tree && monocle__tree_sort (tree, SIZE_MAX)) {
		int64_t whole = monocle__tree_total (tree, 0, value);
		w.tree = tree;
		w.scale = whole > 0 ? (WIDTH - 2.0 * MARGIN) / (double) whole : 0;
		w.next = calloc (tree->count, sizeof *w.next);
		w.shown = calloc (tree->count, 1);
		monocle__origin_program (profile, w.program, sizeof w.program);
	}
	if (w.next && w.shown) {
		monocle__tree_visitor visitor = { w.shown, write_frame, NULL, &w };
		choose (&w);
		write_head (&w, options->title ? options->title : "profile");
		monocle__tree_walk (tree, &visitor);
		fputs ("</svg>\n", out);
		result = 0;
	}
	free (w.next);
	free (w.shown);
	monocle__tree_free (tree);
	return result;
}

int
monocle__report_svg (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	return draw (out, profile, monocle__profile_main_value (profile), options);
}

int
monocle__svg_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	return draw (out, profile, options->value, &(monocle__report_options) { .title = options->title });
}

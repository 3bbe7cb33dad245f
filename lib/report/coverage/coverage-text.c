/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-text.c - coverage for people: a table, or a tree with bars.
 *
 * A row is cells, a name, and in a table the missed lines. Cells are formatted twice, once to know how wide each column
 * gets and once to print, so that nothing is kept per row.
 */
#include "column.h"
#include "coverage-measure.h"
#include "coverage-ranges.h"
#include "coverage-rows.h"
#include "coverage-tree.h"
#include "shown-comment.h"
#include "width.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	CELL_SIZE = 64,
	NAME_SIZE = 8192,    /* longer names are cut */
	MIN_NAME_WIDTH = 24, /* a name gets so much of a narrow terminal, even if lines wrap */
	MAX_NAME_WIDTH = 80, /* without a terminal longer names push what follows them to the right */
	PLAIN_BAR = 10,
	CELLS = 8,
};

typedef enum { SHARE, PERCENT, CALLS, BAR } cell_kind;

typedef struct {
	cell_kind kind;
	monocle__coverage_measure measure;
	const char *heading;
	size_t width;
} cell;

typedef struct {
	FILE *out;
	const monocle__coverage *coverage;
	const monocle__coverage_report_options *options;
	monocle__coverage_sums sums;
	cell cells[CELLS];
	size_t cell_count;
	size_t name_width, missed_width; /* of a table */
	size_t bar_width;
	size_t folder; /* bytes that names of files lack */
} writer;

/* What a row shows. */
typedef struct {
	const monocle__coverage_sums *sums;
	uint64_t calls;
} values;

/* --- colours ------------------------------------------------------------------------------------------------------ */

#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define GREEN  "\033[32m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

static const char *
colour_of (const writer *w, monocle__coverage_share share)
{
	uint32_t hundredths = monocle__coverage_measure_hundredths (share);
	if (!w->options->colour || share.total == 0)
		return "";
	return hundredths < 5000 ? RED : hundredths < 8000 ? YELLOW : GREEN;
}

static const char *
plain_after (const char *colour)
{
	return *colour ? PLAIN : "";
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

static void
format_share (monocle__coverage_share share, char *buffer, size_t size)
{
	char covered[CELL_SIZE], total[CELL_SIZE];
	monocle__amount_format ((int64_t) share.covered, "count", covered, sizeof covered);
	monocle__amount_format ((int64_t) share.total, "count", total, sizeof total);
	snprintf (buffer, size, "%.28s/%.28s", covered, total);
}

/* Rounded down: 100.0% is all of it. */
static void
format_percent (monocle__coverage_share share, char *buffer, size_t size)
{
	uint32_t tenths = monocle__coverage_measure_hundredths (share) / 10;
	if (share.total == 0)
		snprintf (buffer, size, "-");
	else
		snprintf (buffer, size, "%" PRIu32 ".%" PRIu32 "%%", tenths / 10, tenths % 10);
}

static void
format_cell (const cell *c, const values *row, char *buffer)
{
	monocle__coverage_share share = monocle__coverage_measure_share (row->sums, c->measure);
	if (c->kind == CALLS)
		monocle__amount_format ((int64_t) row->calls, "count", buffer, CELL_SIZE);
	else if (c->kind == PERCENT)
		format_percent (share, buffer, CELL_SIZE);
	else if (share.total == 0)
		strcpy (buffer, "-");
	else
		format_share (share, buffer, CELL_SIZE);
}

static void
add_cell (writer *w, cell_kind kind, monocle__coverage_measure measure, const char *heading)
{
	size_t width = kind == BAR ? w->bar_width : strlen (heading);
	w->cells[w->cell_count++] = (cell) { kind, measure, heading, width };
}

static void
measure_row (writer *w, const values *row)
{
	char buffer[CELL_SIZE];
	for (size_t i = 0; i < w->cell_count; i++) {
		if (w->cells[i].kind == BAR)
			continue;
		format_cell (&w->cells[i], row, buffer);
		if (strlen (buffer) > w->cells[i].width)
			w->cells[i].width = strlen (buffer);
	}
}

/* Each block is eight steps; a # is one. */
static void
print_bar (const writer *w, monocle__coverage_share share)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	bool blocks = w->options->blocks;
	unsigned steps = blocks ? 8 : 1;
	size_t filled = w->bar_width * steps * monocle__coverage_measure_hundredths (share) / 10000, at = filled / steps;
	const char *colour = colour_of (w, share);
	fputs (colour, w->out);
	for (size_t i = 0; i < at; i++)
		fputs (blocks ? "█" : "#", w->out);
	if (filled % steps) {
		fputs (eighths[filled % steps], w->out);
		at++;
	}
	for (; at < w->bar_width; at++)
		fputs (blocks ? "░" : ".", w->out);
	fprintf (w->out, "%s  ", plain_after (colour));
}

static void
print_cell (const writer *w, const cell *c, const values *row)
{
	char buffer[CELL_SIZE];
	monocle__coverage_share share = monocle__coverage_measure_share (row->sums, c->measure);
	const char *colour = c->kind == PERCENT ? colour_of (w, share) : "";
	if (c->kind == BAR) {
		print_bar (w, share);
		return;
	}
	format_cell (c, row, buffer);
	fprintf (w->out, "%*s%s%s%s  ", (int) (c->width - strlen (buffer)), "", colour, buffer, plain_after (colour));
}

static void
print_cells (const writer *w, const values *row)
{
	for (size_t i = 0; i < w->cell_count; i++)
		print_cell (w, &w->cells[i], row);
}

/* `name` is the heading of names, `last` of what comes after them. */
static void
print_headings (const writer *w, const char *name, const char *last)
{
	fputs (w->options->colour ? BOLD : "", w->out);
	for (size_t i = 0; i < w->cell_count; i++)
		fprintf (w->out, "%*s  ", (int) w->cells[i].width, w->cells[i].heading);
	if (last)
		fprintf (w->out, "%-*s  %s", (int) w->name_width, name, last);
	else
		fputs (name, w->out);
	fprintf (w->out, "%s\n", w->options->colour ? PLAIN : "");
}

/* Columns that cells take, with the blanks after each. */
static size_t
cells_width (const writer *w)
{
	size_t width = 0;
	for (size_t i = 0; i < w->cell_count; i++)
		width += w->cells[i].width + 2;
	return width;
}

static const char *
ellipsis (const writer *w)
{
	return w->options->ellipsis ? w->options->ellipsis : "..";
}

/* --- head and foot ------------------------------------------------------------------------------------------------ */

static void
print_text (const writer *w, const char *before, const char *text, const char *after)
{
	char buffer[NAME_SIZE];
	monocle__utf8_elide (text, 0, "", buffer, sizeof buffer);
	fprintf (w->out, "%s%s%s", before, buffer, after);
}

static void
print_title (const writer *w)
{
	const monocle__coverage *c = w->coverage;
	char when[64] = "", amount[CELL_SIZE];
	time_t seconds = (time_t) (c->begun_ns / 1000000000);
	struct tm local;
	if (c->begun_ns > 0 && localtime_r (&seconds, &local))
		strftime (when, sizeof when, ", %Y-%m-%d %H:%M:%S", &local);
	print_text (w, "", w->options->title ? w->options->title : "", when);
	if (c->begun_ns > 0 && c->ended_ns > c->begun_ns && !c->incomplete && c->processes == 1) {
		monocle__amount_format ((int64_t) (c->ended_ns - c->begun_ns), "nanoseconds", amount, sizeof amount);
		fprintf (w->out, ", ran %s", amount);
	}
	putc ('\n', w->out);
}

static void
print_head (const writer *w)
{
	const monocle__coverage *c = w->coverage;
	print_title (w);
	if (*c->program)
		print_text (w, "# program: ", c->program, "\n");
	char runtime[256];
	monocle__shown_comment_runtime (c->runtime, runtime, sizeof runtime);
	if (*runtime)
		print_text (w, "# runtime: ", runtime, "\n");
	if (*c->desc)
		print_text (w, "# desc: ", c->desc, "\n");
	if (c->processes > 1)
		fprintf (w->out, "# processes: %" PRIu32 "\n", c->processes);
	if (c->incomplete)
		fprintf (w->out, "# end: %s runs still, or was killed; what it ran until then is counted\n",
		         c->processes > 1 ? "a process" : "the process");
	if (w->folder) {
		char folder[NAME_SIZE];
		snprintf (folder, sizeof folder, "%.*s", (int) (w->folder < NAME_SIZE ? w->folder : NAME_SIZE - 1),
		          c->files[0].path);
		print_text (w, "# folder: ", folder, "\n");
	}
	putc ('\n', w->out);
}

static void
print_losses (const writer *w)
{
	const monocle__coverage *c = w->coverage;
	for (size_t i = 0; i < MONOCLE__COVERAGE_LOSS_KINDS; i++) {
		const monocle__coverage_loss_words *words = &monocle__coverage_measure_losses[i];
		uint64_t lost = monocle__coverage_measure_lost (c, i);
		if (lost)
			fprintf (w->out, "# lost: %" PRIu64 " %s %s\n", lost, lost == 1 ? words->one : words->many, words->what);
	}
	if (c->left_out)
		fprintf (w->out,
		         "# left out: %" PRIu64
		         " method%s that source generators wrote (--profile=cover:generated counts %s)\n",
		         c->left_out, c->left_out == 1 ? "" : "s", c->left_out == 1 ? "it" : "them");
	if (c->conflicts)
		fprintf (w->out, "# lost: counts of %" PRIu64 " method%s, because the files disagree about the code\n",
		         c->conflicts, c->conflicts == 1 ? "" : "s");
	if (c->mixed)
		fputs ("# lost: numbers of executions, because some of the files only say what ran\n", w->out);
}

/* What is covered of each measure, then what is lacking. */
static void
print_foot (const writer *w)
{
	char covered[MONOCLE__COVERAGE_MEASURES][CELL_SIZE], total[MONOCLE__COVERAGE_MEASURES][CELL_SIZE],
	    percent[CELL_SIZE];
	int covered_width = 0, total_width = 0;
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		monocle__coverage_share share = monocle__coverage_measure_share (&w->sums, (monocle__coverage_measure) i);
		monocle__amount_format ((int64_t) share.covered, "count", covered[i], CELL_SIZE);
		monocle__amount_format ((int64_t) share.total, "count", total[i], CELL_SIZE);
		covered_width = (int) strlen (covered[i]) > covered_width ? (int) strlen (covered[i]) : covered_width;
		total_width = (int) strlen (total[i]) > total_width ? (int) strlen (total[i]) : total_width;
	}
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		monocle__coverage_share share = monocle__coverage_measure_share (&w->sums, (monocle__coverage_measure) i);
		const char *colour = colour_of (w, share);
		format_percent (share, percent, sizeof percent);
		fprintf (w->out, "%-8s  %*s of %-*s  %*s%s%s%s\n", monocle__coverage_measure_plurals[i], covered_width,
		         covered[i], total_width, total[i], (int) (strlen ("100.0%") - strlen (percent)), "", colour, percent,
		         plain_after (colour));
	}
	print_losses (w);
}

/* "(3 more files, 12 lines missed)" */
static void
format_rest (size_t count, const char *what, uint64_t missed, char *buffer, size_t size)
{
	char amount[CELL_SIZE];
	monocle__amount_format ((int64_t) missed, "count", amount, sizeof amount);
	snprintf (buffer, size, "(%zu more%s%s, %s line%s missed)", count, *what ? " " : "", what, amount,
	          missed == 1 ? "" : "s");
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void
add_table_cells (writer *w)
{
	monocle__coverage_by by = w->options->by;
	add_cell (w, SHARE, MONOCLE__COVERAGE_LINES, "lines");
	add_cell (w, PERCENT, MONOCLE__COVERAGE_LINES, "%");
	if (w->sums.arms > 0) {
		add_cell (w, SHARE, MONOCLE__COVERAGE_BRANCHES, "branches");
		add_cell (w, PERCENT, MONOCLE__COVERAGE_BRANCHES, "%");
	}
	if (by == MONOCLE__COVERAGE_BY_METHOD && w->coverage->counts)
		add_cell (w, CALLS, MONOCLE__COVERAGE_METHODS, "calls");
	if (by == MONOCLE__COVERAGE_BY_CLASS || by == MONOCLE__COVERAGE_BY_ASSEMBLY)
		add_cell (w, SHARE, MONOCLE__COVERAGE_METHODS, "methods");
	if (by == MONOCLE__COVERAGE_BY_ASSEMBLY)
		add_cell (w, SHARE, MONOCLE__COVERAGE_CLASSES, "classes");
}

static values
values_of (const writer *w, const monocle__coverage_row *row)
{
	values v = { &row->sums, 0 };
	if (w->options->by == MONOCLE__COVERAGE_BY_METHOD)
		v.calls = w->coverage->methods[row->index].calls;
	return v;
}

static const char *
name_of (const writer *w, const monocle__coverage_row *row)
{
	return w->options->by == MONOCLE__COVERAGE_BY_FILE ? row->name + w->folder : row->name;
}

/* The ranges as far as `columns` go, 0: all. Answers how many columns they take; `out` may be NULL. */
static size_t
print_ranges (const writer *w, FILE *out, const monocle__coverage_ranges *ranges, size_t columns)
{
	char buffer[MONOCLE__COVERAGE_RANGE_SIZE];
	size_t used = 0, mark = monocle__utf8_width (ellipsis (w));
	for (size_t i = 0; i < ranges->count; i++) {
		bool is_last = i + 1 == ranges->count;
		size_t width, room = is_last ? 0 : mark + 2;
		monocle__coverage_ranges_format (ranges, w->coverage, i, buffer);
		width = monocle__utf8_width (buffer) + (i > 0 ? 2 : 0);
		if (columns && used + width + room > columns) {
			if (out)
				fprintf (out, "%s%s", i > 0 ? ", " : "", ellipsis (w));
			return used + mark + (i > 0 ? 2 : 0);
		}
		if (out)
			fprintf (out, "%s%s", i > 0 ? ", " : "", buffer);
		used += width;
	}
	return used;
}

/* Names get what they need, except that the missed lines may have a third of the room. */
static void
share_room (writer *w, size_t longest_name, size_t longest_missed)
{
	size_t used = cells_width (w), room, third;
	w->name_width = longest_name < MAX_NAME_WIDTH ? longest_name : MAX_NAME_WIDTH;
	if (w->options->width == 0)
		return;
	room = w->options->width > used + 2 ? w->options->width - used - 2 : 0;
	third = longest_missed < room / 3 ? longest_missed : room / 3;
	w->name_width = longest_name + third < room ? longest_name : room - third;
	if (w->name_width < MIN_NAME_WIDTH)
		w->name_width = longest_name < MIN_NAME_WIDTH ? longest_name : MIN_NAME_WIDTH;
	w->missed_width = room > w->name_width ? room - w->name_width : 1;
}

static int
measure_table (writer *w, const monocle__coverage_rows *rows, monocle__coverage_ranges *ranges)
{
	size_t longest_name = strlen (monocle__coverage_by_names[w->options->by]), longest_missed = 0;
	for (size_t i = 0; i < rows->shown; i++) {
		const monocle__coverage_row *row = &rows->items[i];
		values v = values_of (w, row);
		size_t width = monocle__utf8_width (name_of (w, row));
		longest_name = width > longest_name ? width : longest_name;
		measure_row (w, &v);
		if (monocle__coverage_ranges_find (ranges, w->coverage, w->options->by, row->index) != 0)
			return -1;
		width = print_ranges (w, NULL, ranges, w->options->width);
		longest_missed = width > longest_missed ? width : longest_missed;
	}
	share_room (w, longest_name, longest_missed);
	return 0;
}

static int
print_table_row (const writer *w, const monocle__coverage_row *row, monocle__coverage_ranges *ranges)
{
	values v = values_of (w, row);
	char name[NAME_SIZE];
	size_t width;
	if (monocle__coverage_ranges_find (ranges, w->coverage, w->options->by, row->index) != 0)
		return -1;
	print_cells (w, &v);
	monocle__utf8_elide (name_of (w, row), w->options->width ? w->name_width : 0, ellipsis (w), name, sizeof name);
	width = monocle__utf8_width (name);
	fputs (name, w->out);
	if (ranges->count > 0) {
		fprintf (w->out, "%*s  ", width < w->name_width ? (int) (w->name_width - width) : 0, "");
		print_ranges (w, w->out, ranges, w->missed_width);
	}
	putc ('\n', w->out);
	return 0;
}

static void
print_table_rest (const writer *w, const monocle__coverage_rows *rows)
{
	static const char *const what[][2] = {
		{ "file", "files" }, { "class", "classes" }, { "method", "methods" }, { "assembly", "assemblies" }
	};
	uint64_t missed = 0;
	size_t count = rows->count - rows->shown;
	char rest[2 * CELL_SIZE];
	for (size_t i = rows->shown; i < rows->count; i++)
		missed += rows->items[i].sums.lines - rows->items[i].sums.lines_hit;
	format_rest (count, what[w->options->by][count != 1], missed, rest, sizeof rest);
	if (count > 0)
		fprintf (w->out, "%s\n", rest);
}

static int
print_table (writer *w, const monocle__coverage_rows *rows)
{
	monocle__coverage_ranges ranges = { 0 };
	int result = measure_table (w, rows, &ranges);
	if (result == 0) {
		bool has_missed = w->options->by != MONOCLE__COVERAGE_BY_ASSEMBLY && w->sums.lines > w->sums.lines_hit;
		print_head (w);
		if (rows->count > 0)
			print_headings (w, monocle__coverage_by_names[w->options->by], has_missed ? "missed lines" : NULL);
	}
	for (size_t i = 0; result == 0 && i < rows->shown; i++)
		result = print_table_row (w, &rows->items[i], &ranges);
	monocle__coverage_ranges_done (&ranges);
	if (result != 0)
		return -1;
	print_table_rest (w, rows);
	if (rows->count > 0)
		putc ('\n', w->out);
	print_foot (w);
	return 0;
}

static int
write_table (writer *w)
{
	monocle__coverage_rows rows;
	int result;
	if (monocle__coverage_rows_init (&rows, w->coverage, w->options) != 0)
		return -1;
	add_table_cells (w);
	result = print_table (w, &rows);
	monocle__coverage_rows_done (&rows);
	return result;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

/* A sixth of the terminal. */
static size_t
bar_width (const monocle__coverage_report_options *options)
{
	size_t width = options->width / 6;
	return options->width == 0 || width < PLAIN_BAR ? PLAIN_BAR : width < 30 ? width : 30;
}

static void
measure_node (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context)
{
	values v = { &node->sums, 0 };
	(void) tree;
	measure_row (context, &v);
}

static void
print_tree_name (const writer *w, size_t indent, const char *name)
{
	char buffer[NAME_SIZE];
	size_t used = cells_width (w) + indent, columns = 0;
	if (w->options->width > 0)
		columns = w->options->width > used + MIN_NAME_WIDTH ? w->options->width - used : MIN_NAME_WIDTH;
	monocle__utf8_elide (name, columns, ellipsis (w), buffer, sizeof buffer);
	fprintf (w->out, "%*s%s\n", (int) indent, "", buffer);
}

static void
print_node (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context)
{
	const writer *w = context;
	values v = { &node->sums, 0 };
	(void) tree;
	print_cells (w, &v);
	print_tree_name (w, 2 * (node->depth - 1), node->name);
}

static void
print_hidden (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context)
{
	const writer *w = context;
	uint64_t missed = 0;
	size_t count = 0;
	char rest[2 * CELL_SIZE];
	for (uint32_t k = node->first_child; k != MONOCLE__COVERAGE_NONE; k = tree->nodes[k].next_sibling) {
		if (tree->nodes[k].state != MONOCLE__COVERAGE_BEYOND)
			continue;
		count++;
		missed += tree->nodes[k].sums.lines - tree->nodes[k].sums.lines_hit;
	}
	if (count == 0)
		return;
	format_rest (count, "", missed, rest, sizeof rest);
	fprintf (w->out, "%*s", (int) cells_width (w), "");
	print_tree_name (w, 2 * node->depth, rest);
}

static int
write_tree (writer *w)
{
	monocle__coverage_tree tree;
	monocle__coverage_tree_visitor measure = { measure_node, NULL, w }, print = { print_node, print_hidden, w };
	if (monocle__coverage_tree_init (&tree, w->coverage, w->options) != 0)
		return -1;
	w->bar_width = bar_width (w->options);
	add_cell (w, SHARE, MONOCLE__COVERAGE_LINES, "lines");
	add_cell (w, PERCENT, MONOCLE__COVERAGE_LINES, "%");
	add_cell (w, BAR, MONOCLE__COVERAGE_LINES, "");
	if (w->sums.arms > 0)
		add_cell (w, SHARE, MONOCLE__COVERAGE_BRANCHES, "branches");
	print_head (w);
	monocle__coverage_tree_walk (&tree, &measure);
	if (tree.count > 1) {
		print_headings (w, "assembly, folder, file, class, method", NULL);
		monocle__coverage_tree_walk (&tree, &print);
		putc ('\n', w->out);
	}
	print_foot (w);
	monocle__coverage_tree_done (&tree);
	return 0;
}

int
monocle__coverage_report_text (FILE *out, const monocle__coverage *coverage,
                               const monocle__coverage_report_options *options)
{
	writer w = { .out = out, .coverage = coverage, .options = options, .sums = monocle__coverage_sum (coverage) };
	if (options->tree || options->by == MONOCLE__COVERAGE_BY_FILE)
		w.folder = monocle__coverage_rows_folder (coverage);
	return options->tree ? write_tree (&w) : write_table (&w);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-rows.c - see coverage-rows.h.
 */
#include "coverage-rows.h"

#include "coverage-measure.h"

#include <stdlib.h>
#include <string.h>

const char *const monocle__coverage_by_names[] = {
	[MONOCLE__COVERAGE_BY_FILE] = "file",
	[MONOCLE__COVERAGE_BY_CLASS] = "class",
	[MONOCLE__COVERAGE_BY_METHOD] = "method",
	[MONOCLE__COVERAGE_BY_ASSEMBLY] = "assembly",
};
const size_t monocle__coverage_by_count = sizeof monocle__coverage_by_names / sizeof *monocle__coverage_by_names;

const char *const monocle__coverage_sort_names[] = {
	[MONOCLE__COVERAGE_SORT_PATH] = "path",
	[MONOCLE__COVERAGE_SORT_MISSED] = "missed",
	[MONOCLE__COVERAGE_SORT_PERCENT] = "percent",
};
const size_t monocle__coverage_sort_count = sizeof monocle__coverage_sort_names / sizeof *monocle__coverage_sort_names;

/* --- one kind of rows --------------------------------------------------------------------------------------------- */

static size_t
count_of (const monocle__coverage *coverage, monocle__coverage_by by)
{
	switch (by) {
	case MONOCLE__COVERAGE_BY_FILE: return coverage->file_count;
	case MONOCLE__COVERAGE_BY_CLASS: return coverage->type_count;
	case MONOCLE__COVERAGE_BY_METHOD: return coverage->method_count;
	default: return coverage->image_count;
	}
}

static monocle__coverage_sums
sums_of (const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index)
{
	switch (by) {
	case MONOCLE__COVERAGE_BY_FILE: return monocle__coverage_sum_of_file (coverage, index);
	case MONOCLE__COVERAGE_BY_CLASS: return monocle__coverage_sum_of_type (coverage, index);
	case MONOCLE__COVERAGE_BY_METHOD: return monocle__coverage_sum_of_method (coverage, index);
	default: return monocle__coverage_sum_of_image (coverage, index);
	}
}

/* A method's name is its class's and its own; the other names are there. */
static const char *
name_of (const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index, char **place)
{
	const monocle__coverage_method *method;
	char *name = *place;
	switch (by) {
	case MONOCLE__COVERAGE_BY_FILE: return coverage->files[index].path;
	case MONOCLE__COVERAGE_BY_CLASS: return coverage->types[index].name;
	case MONOCLE__COVERAGE_BY_ASSEMBLY: return coverage->images[index].name;
	default: break;
	}
	method = &coverage->methods[index];
	*place = stpcpy (stpcpy (stpcpy (name, coverage->types[method->type].name), ":"), method->name) + 1;
	return name;
}

static size_t
size_of_names (const monocle__coverage *coverage, monocle__coverage_by by)
{
	size_t size = 1;
	for (size_t i = 0; by == MONOCLE__COVERAGE_BY_METHOD && i < coverage->method_count; i++) {
		const monocle__coverage_method *method = &coverage->methods[i];
		size += strlen (coverage->types[method->type].name) + strlen (method->name) + 2;
	}
	return size;
}

const monocle__coverage_image *
monocle__coverage_rows_image (const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index)
{
	if (by == MONOCLE__COVERAGE_BY_FILE)
		return NULL;
	if (by == MONOCLE__COVERAGE_BY_METHOD)
		index = coverage->methods[index].type;
	return &coverage->images[by == MONOCLE__COVERAGE_BY_ASSEMBLY ? index : coverage->types[index].image];
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

int
monocle__coverage_rows_compare (const monocle__coverage_sums *a, const monocle__coverage_sums *b,
                                monocle__coverage_sort sort)
{
	uint64_t missed_a = a->lines - a->lines_hit, missed_b = b->lines - b->lines_hit;
	if (sort == MONOCLE__COVERAGE_SORT_PERCENT) {
		uint32_t x =
		    monocle__coverage_measure_hundredths (monocle__coverage_measure_share (a, MONOCLE__COVERAGE_LINES));
		uint32_t y =
		    monocle__coverage_measure_hundredths (monocle__coverage_measure_share (b, MONOCLE__COVERAGE_LINES));
		if (x != y)
			return x < y ? -1 : 1;
	}
	if (sort != MONOCLE__COVERAGE_SORT_PATH && missed_a != missed_b)
		return missed_a > missed_b ? -1 : 1;
	return 0;
}

static int
compare_rows (const void *a, const void *b, void *sort)
{
	const monocle__coverage_row *x = a, *y = b;
	int order = monocle__coverage_rows_compare (&x->sums, &y->sums, *(const monocle__coverage_sort *) sort);
	if (order == 0)
		order = strcmp (x->name, y->name);
	return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

int
monocle__coverage_rows_init (monocle__coverage_rows *rows, const monocle__coverage *coverage,
                             const monocle__coverage_report_options *options)
{
	size_t count = count_of (coverage, options->by);
	monocle__coverage_sort sort = options->sort;
	char *place;
	*rows = (monocle__coverage_rows) { calloc (count + 1, sizeof *rows->items), 0, 0, NULL };
	rows->names = place = malloc (size_of_names (coverage, options->by));
	if (!rows->items || !rows->names) {
		monocle__coverage_rows_done (rows);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++) {
		monocle__coverage_row *row = &rows->items[rows->count];
		row->sums = sums_of (coverage, options->by, i);
		if (options->only_missed ? row->sums.lines == row->sums.lines_hit : row->sums.lines == 0)
			continue;
		row->index = i;
		row->name = name_of (coverage, options->by, i, &place);
		rows->count++;
	}
	qsort_r (rows->items, rows->count, sizeof *rows->items, compare_rows, &sort);
	rows->shown = options->limit && options->limit < rows->count ? options->limit : rows->count;
	return 0;
}

void
monocle__coverage_rows_done (monocle__coverage_rows *rows)
{
	free (rows->items);
	free (rows->names);
	*rows = (monocle__coverage_rows) { 0 };
}

size_t
monocle__coverage_rows_folder (const monocle__coverage *coverage)
{
	const char *first = coverage->file_count ? coverage->files[0].path : "";
	size_t length = strlen (first);
	for (size_t i = 1; i < coverage->file_count; i++) {
		const char *path = coverage->files[i].path;
		size_t same = 0;
		while (same < length && path[same] == first[same])
			same++;
		length = same;
	}
	while (length > 0 && first[length - 1] != '/')
		length--;
	return length > 1 ? length : 0;
}

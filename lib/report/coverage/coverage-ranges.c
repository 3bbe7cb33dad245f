/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-ranges.c - see coverage-ranges.h.
 *
 * A file's lines are there in order. A class and a method have theirs by their points: a line on which another method
 * begins too may be hit in the file and missed in the method.
 */
#include "coverage-ranges.h"

#include "array.h"
#include "path.h"
#include "width.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct monocle__coverage_ranges_line {
	uint32_t file, number;
	bool hit;
} line;

static int
compare_lines (const void *a, const void *b)
{
	const line *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool
add_line (monocle__coverage_ranges *ranges, uint32_t file, uint32_t number, bool hit)
{
	if (!MONOCLE__RESERVE (ranges->lines, ranges->line_capacity, ranges->line_count + 1))
		return false;
	ranges->lines[ranges->line_count++] = (line) { file, number, hit };
	return true;
}

static bool
add_file (monocle__coverage_ranges *ranges, const monocle__coverage *coverage, uint32_t index)
{
	const monocle__coverage_file *file = &coverage->files[index];
	for (uint32_t i = 0; i < file->line_count; i++) {
		const monocle__coverage_line *l = &coverage->lines[file->first_line + i];
		if (!add_line (ranges, index, l->number, l->hits > 0))
			return false;
	}
	return true;
}

static bool
add_body (monocle__coverage_ranges *ranges, const monocle__coverage *coverage, const monocle__coverage_body *body)
{
	for (uint32_t i = 0; i < body->point_count; i++) {
		const monocle__coverage_point *p = &coverage->points[body->first_point + i];
		uint32_t count;
		const uint32_t *lines = monocle__coverage_lines_of_point (coverage, body->first_point + i, &count);
		for (uint32_t k = 0; k < count; k++) {
			if (!add_line (ranges, p->file, coverage->lines[lines[k]].number, p->hits > 0))
				return false;
		}
	}
	return true;
}

static bool
add_method (monocle__coverage_ranges *ranges, const monocle__coverage *coverage, uint32_t index)
{
	const monocle__coverage_method *method = &coverage->methods[index];
	for (uint32_t i = 0; i < method->body_count; i++) {
		if (!add_body (ranges, coverage, &coverage->bodies[method->first_body + i]))
			return false;
	}
	return true;
}

static bool
add_lines (monocle__coverage_ranges *ranges, const monocle__coverage *coverage, monocle__coverage_by by, uint32_t index)
{
	if (by == MONOCLE__COVERAGE_BY_FILE)
		return add_file (ranges, coverage, index);
	if (by == MONOCLE__COVERAGE_BY_METHOD)
		return add_method (ranges, coverage, index);
	if (by == MONOCLE__COVERAGE_BY_CLASS) {
		const monocle__coverage_type *type = &coverage->types[index];
		for (uint32_t i = 0; i < type->method_count; i++) {
			if (!add_method (ranges, coverage, type->first_method + i))
				return false;
		}
	}
	return true;
}

/* Of the points of a line one is left; it is hit if one of them is. */
static void
unite_lines (monocle__coverage_ranges *ranges)
{
	size_t kept = 0;
	if (ranges->line_count == 0)
		return;
	qsort (ranges->lines, ranges->line_count, sizeof *ranges->lines, compare_lines);
	for (size_t i = 1; i < ranges->line_count; i++) {
		line *last = &ranges->lines[kept];
		if (compare_lines (last, &ranges->lines[i]) == 0)
			last->hit |= ranges->lines[i].hit;
		else
			ranges->lines[++kept] = ranges->lines[i];
	}
	ranges->line_count = kept + 1;
}

int
monocle__coverage_ranges_find (monocle__coverage_ranges *ranges, const monocle__coverage *coverage,
                               monocle__coverage_by by, uint32_t index)
{
	monocle__coverage_range *open = NULL;
	ranges->count = ranges->line_count = 0;
	if (!add_lines (ranges, coverage, by, index))
		return -1;
	unite_lines (ranges);
	for (size_t i = 0; i < ranges->line_count; i++) {
		const line *l = &ranges->lines[i];
		if (l->hit) {
			open = NULL;
		} else if (open && open->file == l->file) {
			open->last = l->number;
		} else {
			if (!MONOCLE__RESERVE (ranges->items, ranges->capacity, ranges->count + 1))
				return -1;
			open = &ranges->items[ranges->count++];
			*open = (monocle__coverage_range) { l->file, l->number, l->number };
		}
	}
	return 0;
}

void
monocle__coverage_ranges_done (monocle__coverage_ranges *ranges)
{
	free (ranges->items);
	free (ranges->lines);
	*ranges = (monocle__coverage_ranges) { 0 };
}

void
monocle__coverage_ranges_format (const monocle__coverage_ranges *ranges, const monocle__coverage *coverage, size_t i,
                                 char buffer[MONOCLE__COVERAGE_RANGE_SIZE])
{
	const monocle__coverage_range *range = &ranges->items[i];
	char name[MONOCLE__COVERAGE_RANGE_SIZE - 32] = "";
	bool is_named = ranges->lines[0].file != ranges->lines[ranges->line_count - 1].file;
	if (is_named)
		monocle__utf8_elide (monocle__path_base_name (coverage->files[range->file].path), 0, "", name, sizeof name);
	if (range->first == range->last)
		snprintf (buffer, MONOCLE__COVERAGE_RANGE_SIZE, "%s%s%" PRIu32, name, is_named ? ":" : "", range->first);
	else
		snprintf (buffer, MONOCLE__COVERAGE_RANGE_SIZE, "%s%s%" PRIu32 "-%" PRIu32, name, is_named ? ":" : "",
		          range->first, range->last);
}

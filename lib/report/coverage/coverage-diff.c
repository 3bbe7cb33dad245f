/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-diff.c - see coverage-diff.h.
 */
#include "coverage-diff.h"

#include "array.h"
#include "coverage-raw.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	monocle__coverage_diff *diff;
	const monocle__coverage *before, *after;
	uint32_t *file_before;  /* by file after: the same file before; NONE: none */
	bool *file_is_compared; /* by file before: by number */
	uint32_t *line_before;  /* by line after: what it is compared with; NONE: nothing */
	bool *line_is_compared; /* by line before */
} comparer;

/* --- files -------------------------------------------------------------------------------------------------------- */

static const uint8_t *
mvid_of_file (const monocle__coverage *c, uint32_t file)
{
	uint32_t method = c->lines[c->files[file].first_line].method;
	return c->images[c->types[c->methods[method].type].image].mvid;
}

static bool
is_same_source (const monocle__coverage_file *a, const monocle__coverage_file *b)
{
	return a->hash_size && a->hash_size == b->hash_size && memcmp (a->hash, b->hash, a->hash_size) == 0;
}

/* The file before with the path; NONE: there is none. */
static uint32_t
find_path (const monocle__coverage *c, const char *path)
{
	size_t low = 0, high = c->file_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp (c->files[middle].path, path);
		if (order == 0)
			return (uint32_t) middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return MONOCLE__COVERAGE_NONE;
}

static int
compare_hashes (const void *a, const void *b, void *context)
{
	const monocle__coverage *c = context;
	const monocle__coverage_file *x = &c->files[*(const uint32_t *) a], *y = &c->files[*(const uint32_t *) b];
	int order = memcmp (x->hash, y->hash, sizeof x->hash);
	return order ? order : (x > y) - (x < y);
}

/* A file that lies elsewhere now: the first with the same hash. `sorted` are the files before, by hash. */
static uint32_t
find_hash (const monocle__coverage *before, const uint32_t *sorted, const monocle__coverage_file *file)
{
	size_t low = 0, high = before->file_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (memcmp (before->files[sorted[middle]].hash, file->hash, sizeof file->hash) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < before->file_count && is_same_source (&before->files[sorted[low]], file))
		return sorted[low];
	return MONOCLE__COVERAGE_NONE;
}

static int
find_files (comparer *c)
{
	const monocle__coverage *before = c->before, *after = c->after;
	uint32_t *sorted = malloc ((before->file_count + 1) * sizeof *sorted);
	if (!sorted)
		return -1;
	for (uint32_t i = 0; i < before->file_count; i++)
		sorted[i] = i;
	qsort_r (sorted, before->file_count, sizeof *sorted, compare_hashes, (void *) before);
	for (uint32_t i = 0; i < after->file_count; i++) {
		const monocle__coverage_file *file = &after->files[i];
		uint32_t found = find_path (before, file->path);
		c->file_before[i] = MONOCLE__COVERAGE_NONE;
		if (found == MONOCLE__COVERAGE_NONE)
			found = find_hash (before, sorted, file);
		if (found == MONOCLE__COVERAGE_NONE || c->file_is_compared[found])
			continue;
		if (!is_same_source (&before->files[found], file) &&
		    memcmp (mvid_of_file (before, found), mvid_of_file (after, i), 16) != 0)
			continue;
		c->file_before[i] = found;
		c->file_is_compared[found] = true;
	}
	free (sorted);
	return 0;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void
match (comparer *c, uint32_t line, uint32_t line_before)
{
	c->line_before[line] = line_before;
	c->line_is_compared[line_before] = true;
}

static void
match_by_number (comparer *c, uint32_t file)
{
	const monocle__coverage_file *before = &c->before->files[c->file_before[file]], *after = &c->after->files[file];
	uint32_t b = before->first_line, b_end = b + before->line_count;
	uint32_t a = after->first_line, a_end = a + after->line_count;
	while (a < a_end && b < b_end) {
		uint32_t number = c->after->lines[a].number, number_before = c->before->lines[b].number;
		if (number == number_before)
			match (c, a, b);
		a += number <= number_before;
		b += number_before <= number;
	}
}

/* --- points ------------------------------------------------------------------------------------------------------- */

/* A body with its names. */
typedef struct {
	const char *type, *method, *name;
	uint32_t index;
} body;

static int
compare_names (const body *a, const body *b)
{
	int order = strcmp (a->type, b->type);
	if (!order)
		order = strcmp (a->method, b->method);
	return order ? order : strcmp (a->name, b->name);
}

static int
compare_bodies (const void *a, const void *b)
{
	const body *x = a, *y = b;
	int order = compare_names (x, y);
	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Those with lines in files that are not compared by number. NULL: out of memory. */
static body *
collect_bodies (const monocle__coverage *c, const bool *skipped, size_t *ret_count)
{
	body *bodies = malloc ((c->body_count + 1) * sizeof *bodies);
	size_t count = 0;
	for (uint32_t i = 0; bodies && i < c->body_count; i++) {
		const monocle__coverage_method *m = &c->methods[c->bodies[i].method];
		if (!skipped[c->points[c->bodies[i].first_point].file])
			bodies[count++] = (body) { c->types[m->type].full, m->name, c->bodies[i].name, i };
	}
	if (bodies)
		qsort (bodies, count, sizeof *bodies, compare_bodies);
	*ret_count = count;
	return bodies;
}

/* A statement's first line is compared with the other's first, and so on. */
static void
match_lines (comparer *c, uint32_t point_before, uint32_t point_after)
{
	uint32_t before_count, after_count;
	const uint32_t *before = monocle__coverage_lines_of_point (c->before, point_before, &before_count);
	const uint32_t *after = monocle__coverage_lines_of_point (c->after, point_after, &after_count);
	for (uint32_t i = 0; i < before_count && i < after_count; i++) {
		if (c->line_before[after[i]] == MONOCLE__COVERAGE_NONE)
			match (c, after[i], before[i]);
	}
}

static void
match_points (comparer *c, uint32_t body_before, uint32_t body_after)
{
	const monocle__coverage_body *before = &c->before->bodies[body_before], *after = &c->after->bodies[body_after];
	for (uint32_t i = 0; i < before->point_count && i < after->point_count; i++) {
		uint32_t b = before->first_point + i, a = after->first_point + i;
		if (!c->file_is_compared[c->before->points[b].file] &&
		    c->file_before[c->after->points[a].file] == MONOCLE__COVERAGE_NONE)
			match_lines (c, b, a);
	}
}

static int
match_by_names (comparer *c)
{
	bool *skipped = calloc (c->after->file_count + 1, sizeof *skipped);
	size_t before_count = 0, after_count = 0, b = 0, a = 0;
	body *before = collect_bodies (c->before, c->file_is_compared, &before_count), *after = NULL;
	int result = -1;
	for (uint32_t i = 0; skipped && i < c->after->file_count; i++)
		skipped[i] = c->file_before[i] != MONOCLE__COVERAGE_NONE;
	if (skipped && before)
		after = collect_bodies (c->after, skipped, &after_count);
	if (after) {
		while (b < before_count && a < after_count) {
			int order = compare_names (&before[b], &after[a]);
			if (order == 0)
				match_points (c, before[b].index, after[a].index);
			b += order <= 0;
			a += order >= 0;
		}
		result = 0;
	}
	free (skipped);
	free (before);
	free (after);
	return result;
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

static int
collect_changes (comparer *c)
{
	monocle__coverage_diff *diff = c->diff;
	for (uint32_t file = 0; file < c->after->file_count; file++) {
		for (uint32_t i = 0; i < c->after->files[file].line_count; i++) {
			uint32_t line = c->after->files[file].first_line + i, before = c->line_before[line];
			bool is_hit = c->after->lines[line].hits != 0;
			if (before == MONOCLE__COVERAGE_NONE) {
				diff->only_after++;
				continue;
			}
			if ((c->before->lines[before].hits != 0) == is_hit)
				continue;
			if (!MONOCLE__RESERVE (diff->changes, diff->change_capacity, diff->change_count + 1))
				return -1;
			diff->changes[diff->change_count++] = (monocle__coverage_change) { line, file, before };
			diff->gained += is_hit;
			diff->lost += !is_hit;
		}
	}
	for (size_t i = 0; i < c->before->line_count; i++)
		diff->only_before += !c->line_is_compared[i];
	return 0;
}

static int
compare (comparer *c)
{
	if (find_files (c) != 0)
		return -1;
	memset (c->line_before, 0xff, (c->after->line_count + 1) * sizeof *c->line_before);
	for (uint32_t i = 0; i < c->after->file_count; i++) {
		if (c->file_before[i] != MONOCLE__COVERAGE_NONE)
			match_by_number (c, i);
	}
	return match_by_names (c) == 0 ? collect_changes (c) : -1;
}

int
monocle__coverage_diff_init (monocle__coverage_diff *diff, const monocle__coverage *before,
                             const monocle__coverage *after)
{
	comparer c = { .diff = diff, .before = before, .after = after };
	int result = -1;
	*diff = (monocle__coverage_diff) { .before = before, .after = after };
	c.file_before = malloc ((after->file_count + 1) * sizeof *c.file_before);
	c.file_is_compared = calloc (before->file_count + 1, sizeof *c.file_is_compared);
	c.line_before = malloc ((after->line_count + 1) * sizeof *c.line_before);
	c.line_is_compared = calloc (before->line_count + 1, sizeof *c.line_is_compared);
	if (c.file_before && c.file_is_compared && c.line_before && c.line_is_compared)
		result = compare (&c);
	free (c.file_before);
	free (c.file_is_compared);
	free (c.line_before);
	free (c.line_is_compared);
	if (result != 0)
		monocle__coverage_diff_done (diff);
	return result;
}

void
monocle__coverage_diff_done (monocle__coverage_diff *diff)
{
	free (diff->changes);
	*diff = (monocle__coverage_diff) { 0 };
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-twins.c - one source in several images: a file that is linked into two projects, or a project that is built
 * for two frameworks. What a person wrote once is counted once where a file or the whole is meant.
 *
 * A branch is the n-th of those that its image has at a line and column, and so the twin of the n-th of another image.
 * A method is the twin of one with its name, and its class's, that begins on the same line of the same file.
 */
#include "coverage-raw.h"

#include <stdlib.h>
#include <string.h>

static int
compare_numbers (uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint32_t
image_of_method (const monocle__coverage *c, uint32_t method)
{
	return c->types[c->methods[method].type].image;
}

/* --- ways out of branches ----------------------------------------------------------------------------------------- */

typedef struct {
	uint64_t place; /* file and line */
	uint32_t column, image;
	uint32_t branch; /* its first arm; then which of its image it is there; then the first arm of all twins */
	uint32_t path, arm;
	uint64_t hits;
} way;

static int
compare_places (const way *a, const way *b)
{
	int order = compare_numbers (a->place, b->place);
	return order ? order : compare_numbers (a->column, b->column);
}

static int
by_image (const void *a, const void *b)
{
	const way *x = a, *y = b;
	int order = compare_places (x, y);
	if (!order)
		order = compare_numbers (x->image, y->image);
	return order ? order : compare_numbers (x->arm, y->arm);
}

/* Of twins the one that was taken most comes first. */
static int
by_branch (const void *a, const void *b)
{
	const way *x = a, *y = b;
	int order = compare_places (x, y);
	if (!order)
		order = compare_numbers (x->branch, y->branch);
	if (!order)
		order = compare_numbers (x->path, y->path);
	if (!order)
		order = compare_numbers (y->hits, x->hits);
	return order ? order : compare_numbers (x->arm, y->arm);
}

static int
by_order (const void *a, const void *b)
{
	const way *x = a, *y = b;
	int order = compare_numbers (x->branch, y->branch);
	return order ? order : compare_numbers (x->path, y->path);
}

static void
collect_ways (const monocle__coverage *c, way *ways)
{
	for (uint32_t b = 0; b < c->body_count; b++) {
		const monocle__coverage_body *body = &c->bodies[b];
		uint32_t branch = body->first_arm;
		for (uint32_t i = body->first_arm; i < body->first_arm + body->arm_count; i++) {
			const monocle__coverage_arm *arm = &c->arms[i];
			const monocle__coverage_point *point = &c->points[arm->point];
			if (arm->il_offset != c->arms[branch].il_offset || (i > branch && arm->path <= arm[-1].path))
				branch = i;
			ways[i] = (way) { .place = (uint64_t) point->file << 32 | point->start_line,
				              .column = point->start_column,
				              .image = image_of_method (c, body->method),
				              .branch = branch,
				              .path = arm->path,
				              .arm = i,
				              .hits = arm->hits };
		}
	}
}

/* From a branch's first arm to which of its image's it is at its place. */
static void
number_branches (way *ways, size_t count)
{
	uint32_t before = MONOCLE__COVERAGE_NONE, number = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_new = i == 0 || compare_places (&ways[i - 1], &ways[i]) != 0 || ways[i - 1].image != ways[i].image;
		uint32_t branch = ways[i].branch;
		number = is_new ? 0 : number + (branch != before);
		before = branch;
		ways[i].branch = number;
	}
}

/* One way of each that are twins is left; all arms of a branch learn which it is. */
static size_t
unite_ways (monocle__coverage *c, way *ways, size_t count)
{
	size_t kept = 0, end;
	for (size_t i = 0; i < count; i = end) {
		uint32_t first = ways[i].arm;
		for (end = i; end < count && compare_places (&ways[i], &ways[end]) == 0 && ways[i].branch == ways[end].branch;
		     end++)
			first = ways[end].arm < first ? ways[end].arm : first;
		for (size_t k = i; k < end; k++) {
			bool is_twin = k > i && ways[k].path == ways[k - 1].path;
			c->arms[ways[k].arm].branch = first;
			if (is_twin)
				continue;
			ways[kept] = ways[k];
			ways[kept++].branch = first;
		}
	}
	return kept;
}

int
monocle__coverage_twin_arms (monocle__coverage *coverage, uint32_t *ret_arms, size_t *ret_count)
{
	size_t count = coverage->arm_count;
	way *ways = malloc ((count + 1) * sizeof *ways);
	if (!ways)
		return -1;
	collect_ways (coverage, ways);
	qsort (ways, count, sizeof *ways, by_image);
	number_branches (ways, count);
	qsort (ways, count, sizeof *ways, by_branch);
	count = unite_ways (coverage, ways, count);
	qsort (ways, count, sizeof *ways, by_order);
	for (size_t i = 0; i < count; i++)
		ret_arms[i] = ways[i].arm;
	*ret_count = count;
	free (ways);
	return 0;
}

/* --- methods and classes ------------------------------------------------------------------------------------------ */

static int
compare_twins (const monocle__coverage *c, uint32_t a, uint32_t b)
{
	const monocle__coverage_method *x = &c->methods[a], *y = &c->methods[b];
	int order = compare_numbers (x->file, y->file);
	if (!order)
		order = compare_numbers (x->line, y->line);
	if (!order && x->type != y->type)
		order = strcmp (c->types[x->type].full, c->types[y->type].full);
	return order ? order : strcmp (x->name, y->name);
}

static int
by_twin (const void *a, const void *b, void *context)
{
	const monocle__coverage *c = context;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	int order = compare_twins (c, x, y);
	if (!order)
		order = compare_numbers (image_of_method (c, x), image_of_method (c, y));
	return order ? order : compare_numbers (x, y);
}

/* The class that stands for all that have a method in common with it. */
static uint32_t
first_type (const uint32_t *types, uint32_t type)
{
	while (types[type] != type)
		type = types[type];
	return type;
}

static void
unite_types (uint32_t *types, uint32_t a, uint32_t b)
{
	uint32_t x = first_type (types, a), y = first_type (types, b);
	types[x > y ? x : y] = x > y ? y : x;
}

/* Of methods `order[from]` to `order[to]`, which are twins but for those of one image: the n-th is that of the n-th. */
static void
unite_methods (const monocle__coverage *c, const uint32_t *order, size_t from, size_t to,
               monocle__coverage_twins *twins)
{
	size_t first_of_image = from;
	for (size_t i = from; i < to; i++) {
		if (image_of_method (c, order[i]) != image_of_method (c, order[first_of_image]))
			first_of_image = i;
		size_t twin = from + (i - first_of_image);
		bool is_new = image_of_method (c, order[twin]) != image_of_method (c, order[from]);
		twins->methods[order[i]] = is_new ? order[i] : order[twin];
		if (!is_new)
			unite_types (twins->types, c->methods[order[i]].type, c->methods[order[twin]].type);
	}
}

int
monocle__coverage_twins_find (const monocle__coverage *coverage, monocle__coverage_twins *ret_twins)
{
	size_t count = coverage->method_count, end;
	uint32_t *order = malloc ((count + 1) * sizeof *order);
	ret_twins->methods = malloc ((count + 1) * sizeof *ret_twins->methods);
	ret_twins->types = malloc ((coverage->type_count + 1) * sizeof *ret_twins->types);
	if (!order || !ret_twins->methods || !ret_twins->types) {
		free (order);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = 0; i < coverage->type_count; i++)
		ret_twins->types[i] = i;
	qsort_r (order, count, sizeof *order, by_twin, (void *) coverage);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && compare_twins (coverage, order[i], order[end]) == 0;)
			end++;
		unite_methods (coverage, order, i, end, ret_twins);
	}
	for (uint32_t i = 0; i < coverage->type_count; i++)
		ret_twins->types[i] = first_type (ret_twins->types, i);
	free (order);
	return 0;
}

void
monocle__coverage_twins_done (monocle__coverage_twins *twins)
{
	free (twins->methods);
	free (twins->types);
	*twins = (monocle__coverage_twins) { 0 };
}

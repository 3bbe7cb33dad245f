/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-lines.c - lines of files out of points.
 *
 * Where points begin on a line, these decide it, whatever goes on over it: its hits are the most of theirs. On a line
 * where none begins it is those points that go on over it, of these the ones that span the fewest lines: a lambda has
 * its own lines, and what is around it has the others.
 */
#include "array.h"
#include "coverage-raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	SPAN_LIMIT = 4096,    /* lines that one statement may go on over; a larger one counts where it begins */
	MORE_LIMIT = 1 << 24, /* the same over all statements: hostile files could name all lines there are */
};

/* A point on a line: sorted by file and line, then by what decides. */
typedef struct {
	uint64_t line;  /* the file in the upper half; once lines are made, the index of the line */
	uint64_t order; /* 1 bit: it only goes on there; 31: how far it goes on, or its column; 32: its index */
} mark;

typedef struct {
	mark *marks;
	size_t count, capacity;
} marks;

static int
compare_marks (const void *a, const void *b)
{
	const mark *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int
add_mark (marks *m, const monocle__coverage_point *p, uint32_t line, uint64_t order)
{
	if (!MONOCLE__RESERVE (m->marks, m->capacity, m->count + 1))
		return -1;
	m->marks[m->count++] = (mark) { .line = (uint64_t) p->file << 32 | line, .order = order };
	return 0;
}

static int
mark_points (monocle__coverage *c, marks *m)
{
	size_t left = MORE_LIMIT;
	for (uint32_t i = 0; i < c->point_count; i++) {
		const monocle__coverage_point *p = &c->points[i];
		uint64_t column = p->start_column < 0xffff ? p->start_column : 0xffff;
		uint32_t more = p->end_line > p->start_line ? p->end_line - p->start_line : 0;
		more = more < SPAN_LIMIT && more <= left ? more : 0;
		left -= more;
		if (add_mark (m, p, p->start_line, column << 32 | i) != 0)
			return -1;
		for (uint32_t k = 1; k <= more; k++) {
			if (add_mark (m, p, p->start_line + k, UINT64_C (1) << 63 | (uint64_t) more << 32 | i) != 0)
				return -1;
		}
	}
	if (m->count)
		qsort (m->marks, m->count, sizeof *m->marks, compare_marks);
	return 0;
}

/* Is a line whose first mark is `first` decided by that one, too? */
static bool
decides (uint64_t first, uint64_t order)
{
	return first >> 63 == 0 ? order >> 63 == 0 : order >> 32 == first >> 32;
}

static int
add_line (monocle__coverage *c, uint64_t line, uint32_t method)
{
	uint32_t file = (uint32_t) (line >> 32);
	if (!MONOCLE__RESERVE (c->lines, c->line_capacity, c->line_count + 1))
		return -1;
	if (c->files[file].line_count++ == 0)
		c->files[file].first_line = (uint32_t) c->line_count;
	c->lines[c->line_count++] = (monocle__coverage_line) { .number = (uint32_t) line, .method = method };
	return 0;
}

/* Leaves the marks that decide, with the indexes of their lines. */
static int
make_lines (monocle__coverage *c, marks *m, const uint32_t *body_of)
{
	uint64_t number = 0, first = 0;
	size_t kept = 0;
	for (size_t i = 0; i < m->count; i++) {
		mark now = m->marks[i];
		uint32_t point = (uint32_t) now.order;
		if (i == 0 || now.line != number) {
			number = now.line;
			first = now.order;
			if (add_line (c, number, c->bodies[body_of[point]].method) != 0)
				return -1;
		}
		if (!decides (first, now.order))
			continue;
		monocle__coverage_line *line = &c->lines[c->line_count - 1];
		line->hits = c->points[point].hits > line->hits ? c->points[point].hits : line->hits;
		now.line = c->line_count - 1;
		m->marks[kept++] = now;
	}
	m->count = kept;
	return 0;
}

/*
 * A statement has one column, however many points: two constructors have those of a field's initial value, and what is
 * in a `finally` may be there twice.
 */
static int
find_never (monocle__coverage *c, const marks *m)
{
	bool *never = calloc (c->point_count + 1, sizeof *never);
	size_t end;
	c->priv->never = never;
	if (!never)
		return -1;
	for (size_t i = 0; i < m->count; i = end) {
		monocle__coverage_line *line = &c->lines[m->marks[i].line];
		uint64_t statement = m->marks[i].order >> 32, hits = 0;
		for (end = i;
		     end < m->count && m->marks[end].line == m->marks[i].line && m->marks[end].order >> 32 == statement; end++)
			hits |= c->points[(uint32_t) m->marks[end].order].hits;
		if (statement >> 31)
			continue; /* it only goes on there */
		line->statements++;
		line->statements_hit += hits != 0;
		for (size_t k = i; k < end && line->hits && !hits; k++)
			never[(uint32_t) m->marks[k].order] = true;
	}
	return 0;
}

bool
monocle__coverage_never_ran (const monocle__coverage *coverage, uint32_t point)
{
	return coverage->priv->never[point];
}

/* Marks are in the order of lines, and so are those of a point, the one where it begins first. */
static int
make_lines_of_points (monocle__coverage *c, const marks *m)
{
	uint32_t *first = calloc (c->point_count + 2, sizeof *first);
	uint32_t *lines = malloc ((m->count + 1) * sizeof *lines);
	c->priv->first_of_point = first;
	c->priv->lines_of_points = lines;
	if (!first || !lines)
		return -1;
	/* Counts lie two places ahead: summed up, what is one place ahead is where the next line of a point goes. */
	for (size_t i = 0; i < m->count; i++)
		first[(uint32_t) m->marks[i].order + 2]++;
	for (size_t i = 2; i < c->point_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < m->count; i++)
		lines[first[(uint32_t) m->marks[i].order + 1]++] = (uint32_t) m->marks[i].line;
	return 0;
}

const uint32_t *
monocle__coverage_lines_of_point (const monocle__coverage *coverage, uint32_t point, uint32_t *ret_count)
{
	const uint32_t *first = coverage->priv->first_of_point + point;
	*ret_count = first[1] - first[0];
	return coverage->priv->lines_of_points + first[0];
}

static monocle__coverage_line *
line_of_arm (const monocle__coverage *c, uint32_t arm)
{
	uint32_t count;
	return &c->lines[*monocle__coverage_lines_of_point (c, c->arms[arm].point, &count)];
}

/* Arms lie by line, and on a line in the order of their methods and of offsets. */
static void
place_line_arms (monocle__coverage *c, const uint32_t *arms, size_t count)
{
	uint32_t at = 0;
	for (size_t i = 0; i < count; i++) {
		monocle__coverage_line *line = line_of_arm (c, arms[i]);
		line->arms++;
		line->arms_hit += c->arms[arms[i]].hits != 0;
	}
	for (size_t i = 0; i < c->line_count; i++) {
		c->lines[i].first_branch_of_line = at;
		at += c->lines[i].arms;
		c->lines[i].arms = 0;
	}
	for (size_t i = 0; i < count; i++) {
		monocle__coverage_line *line = line_of_arm (c, arms[i]);
		c->line_arms[line->first_branch_of_line + line->arms++] = arms[i];
	}
	c->line_arm_count = count;
}

static int
make_line_arms (monocle__coverage *c)
{
	uint32_t *arms = malloc ((c->arm_count + 1) * sizeof *arms);
	size_t count = 0;
	int result = -1;
	c->line_arms = malloc ((c->arm_count + 1) * sizeof *c->line_arms);
	if (arms && c->line_arms && monocle__coverage_twin_arms (c, arms, &count) == 0) {
		place_line_arms (c, arms, count);
		result = 0;
	}
	free (arms);
	return result;
}

int
monocle__coverage_make_lines (monocle__coverage *coverage)
{
	uint32_t *body_of = malloc ((coverage->point_count + 1) * sizeof *body_of);
	marks m = { 0 };
	int result = -1;
	if (body_of) {
		for (uint32_t i = 0; i < coverage->body_count; i++) {
			for (uint32_t k = 0; k < coverage->bodies[i].point_count; k++)
				body_of[coverage->bodies[i].first_point + k] = i;
		}
		if (mark_points (coverage, &m) == 0 && make_lines (coverage, &m, body_of) == 0 &&
		    make_lines_of_points (coverage, &m) == 0 && find_never (coverage, &m) == 0)
			result = make_line_arms (coverage);
	}
	free (m.marks);
	free (body_of);
	return result;
}

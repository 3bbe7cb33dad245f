/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-lines.c - lines of files out of points: a line's hits are the most of any point that begins on it.
 */
#include "array.h"
#include "coverage-raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	SPAN_LIMIT = 4096,    /* lines that one statement may go on over; a larger one counts where it begins */
	MORE_LIMIT = 1 << 24, /* the same over all statements: hostile files could name all lines there are */
};

/* A point on a line: sorted by file and line, column and index. */
typedef struct {
	uint64_t line;  /* the file in the upper half */
	uint64_t order; /* whether it only goes on there, the column, the index of the point */
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
add_mark (marks *m, const monocle__coverage_point *p, uint32_t index, uint32_t more)
{
	uint64_t column = p->start_column < 0xffff ? p->start_column : 0xffff;
	if (!MONOCLE__RESERVE (m->marks, m->capacity, m->count + 1))
		return -1;
	m->marks[m->count++] = (mark) {
		.line = (uint64_t) p->file << 32 | (p->start_line + more),
		.order = (uint64_t) (more != 0) << 63 | column << 32 | index,
	};
	return 0;
}

static int
mark_points (monocle__coverage *c, bool whole_lines, marks *m)
{
	size_t left = MORE_LIMIT;
	for (uint32_t i = 0; i < c->point_count; i++) {
		const monocle__coverage_point *p = &c->points[i];
		uint32_t more = whole_lines && p->end_line > p->start_line ? p->end_line - p->start_line : 0;
		more = more < SPAN_LIMIT && more <= left ? more : 0;
		left -= more;
		c->priv->point_spans[i] = more + 1;
		for (uint32_t k = 0; k <= more; k++) {
			if (add_mark (m, p, i, k) != 0)
				return -1;
		}
	}
	if (m->count)
		qsort (m->marks, m->count, sizeof *m->marks, compare_marks);
	return 0;
}

static uint32_t
method_of_point (const monocle__coverage *c, const uint32_t *body_of, uint32_t point)
{
	return c->bodies[body_of[point]].method;
}

static int
make_lines (monocle__coverage *c, const marks *m, const uint32_t *body_of)
{
	for (size_t i = 0; i < m->count; i++) {
		uint32_t point = (uint32_t) m->marks[i].order, file = (uint32_t) (m->marks[i].line >> 32);
		const monocle__coverage_point *p = &c->points[point];
		if (i == 0 || m->marks[i].line != m->marks[i - 1].line) {
			if (!MONOCLE__RESERVE (c->lines, c->line_capacity, c->line_count + 1))
				return -1;
			if (c->files[file].line_count++ == 0)
				c->files[file].first_line = (uint32_t) c->line_count;
			c->lines[c->line_count++] = (monocle__coverage_line) {
				.number = (uint32_t) m->marks[i].line,
				.method = method_of_point (c, body_of, point),
			};
		}
		monocle__coverage_line *line = &c->lines[c->line_count - 1];
		line->hits = p->hits > line->hits ? p->hits : line->hits;
		if (m->marks[i].order >> 63 == 0)
			c->priv->point_lines[point] = (uint32_t) c->line_count - 1;
	}
	return 0;
}

/* Arms lie by line, and on a line in the order of their methods and of offsets. */
static int
make_line_arms (monocle__coverage *c)
{
	uint32_t at = 0;
	c->line_arms = malloc ((c->arm_count + 1) * sizeof *c->line_arms);
	if (!c->line_arms)
		return -1;
	for (size_t i = 0; i < c->arm_count; i++) {
		monocle__coverage_line *line = &c->lines[c->priv->point_lines[c->arms[i].point]];
		line->arms++;
		line->arms_hit += c->arms[i].hits != 0;
	}
	for (size_t i = 0; i < c->line_count; i++) {
		c->lines[i].first_branch_of_line = at;
		at += c->lines[i].arms;
		c->lines[i].arms = 0;
	}
	for (uint32_t i = 0; i < c->arm_count; i++) {
		monocle__coverage_line *line = &c->lines[c->priv->point_lines[c->arms[i].point]];
		c->line_arms[line->first_branch_of_line + line->arms++] = i;
	}
	c->line_arm_count = c->arm_count;
	return 0;
}

int
monocle__coverage_make_lines (monocle__coverage *coverage, bool whole_lines)
{
	size_t count = coverage->point_count + 1;
	uint32_t *body_of = malloc (count * sizeof *body_of);
	marks m = { 0 };
	int result = -1;
	coverage->priv->point_lines = malloc (count * sizeof *coverage->priv->point_lines);
	coverage->priv->point_spans = malloc (count * sizeof *coverage->priv->point_spans);
	if (body_of && coverage->priv->point_lines && coverage->priv->point_spans) {
		for (uint32_t i = 0; i < coverage->body_count; i++) {
			for (uint32_t k = 0; k < coverage->bodies[i].point_count; k++)
				body_of[coverage->bodies[i].first_point + k] = i;
		}
		if (mark_points (coverage, whole_lines, &m) == 0 && make_lines (coverage, &m, body_of) == 0)
			result = make_line_arms (coverage);
	}
	free (m.marks);
	free (body_of);
	return result;
}

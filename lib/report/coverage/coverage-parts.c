/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-parts.c - see coverage-parts.h.
 */
#include "coverage-parts.h"

#include "array.h"

#include <string.h>

/* What only the making needs. */
typedef struct {
	monocle__coverage_parts *parts;
	const monocle__coverage *coverage;
	monocle__coverage_own_line *found; /* of one type */
	size_t found_count, found_capacity;
} maker;

/* --- which lines there are ---------------------------------------------------------------------------------------- */

static bool
found_line (maker *m, monocle__coverage_own_line line)
{
	if (!MONOCLE__RESERVE (m->found, m->found_capacity, m->found_count + 1))
		return false;
	m->found[m->found_count++] = line;
	return true;
}

static bool
find_points (maker *m, uint32_t method, const monocle__coverage_body *body)
{
	const monocle__coverage *c = m->coverage;
	for (uint32_t i = 0; i < body->point_count; i++) {
		const monocle__coverage_point *p = &c->points[body->first_point + i];
		monocle__coverage_own_line own = { p->file, 0, method, 1, p->hits > 0, p->hits };
		uint32_t count;
		const uint32_t *lines = monocle__coverage_lines_of_point (c, body->first_point + i, &count);
		for (uint32_t k = 0; k < count; k++) {
			own.line = lines[k];
			if (!found_line (m, own))
				return false;
			own.points = own.points_hit = 0; /* it only goes on over the others */
		}
	}
	return true;
}

static bool
find_method (maker *m, uint32_t method)
{
	const monocle__coverage *c = m->coverage;
	for (uint32_t i = 0; i < c->methods[method].body_count; i++) {
		if (!find_points (m, method, &c->bodies[c->methods[method].first_body + i]))
			return false;
	}
	return true;
}

/* --- one type's parts --------------------------------------------------------------------------------------------- */

static int
compare_numbers (uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_found (const void *a, const void *b)
{
	const monocle__coverage_own_line *x = a, *y = b;
	if (x->file != y->file)
		return compare_numbers (x->file, y->file);
	if (x->method != y->method)
		return compare_numbers (x->method, y->method);
	return compare_numbers (x->line, y->line);
}

/* The same line of the same method: its points are counted together. */
static void
join_found (maker *m)
{
	size_t last = 0;
	for (size_t i = 1; i < m->found_count; i++) {
		monocle__coverage_own_line *into = &m->found[last], *from = &m->found[i];
		if (compare_found (into, from) != 0) {
			m->found[++last] = *from;
		} else {
			into->points += from->points;
			into->points_hit += from->points_hit;
			into->hits = from->hits > into->hits ? from->hits : into->hits;
		}
	}
	m->found_count = m->found_count ? last + 1 : 0;
}

static int
compare_lines (const void *a, const void *b)
{
	return compare_numbers (*(const uint32_t *) a, *(const uint32_t *) b);
}

static bool
add_line (monocle__coverage_parts *p, monocle__coverage_own_line line)
{
	monocle__coverage_part_method *method = p->method_count ? &p->methods[p->method_count - 1] : NULL;
	monocle__coverage_part *part = &p->parts[p->count - 1];
	if (part->method_count == 0 || method->method != line.method) {
		if (!MONOCLE__RESERVE (p->methods, p->method_capacity, p->method_count + 1))
			return false;
		method = &p->methods[p->method_count++];
		*method = (monocle__coverage_part_method) { line.method, line.line, (uint32_t) p->own_line_count, 0 };
		part->method_count++;
	}
	if (!MONOCLE__RESERVE (p->own_lines, p->own_line_capacity, p->own_line_count + 1))
		return false;
	p->own_lines[p->own_line_count++] = line;
	method->line_count++;
	/* Several methods of a class may share a line, which belongs to one of them. */
	if (p->coverage->lines[line.line].method != line.method)
		return true;
	if (!MONOCLE__RESERVE (p->lines, p->line_capacity, p->line_count + 1))
		return false;
	p->lines[p->line_count++] = line.line;
	part->line_count++;
	return true;
}

static int
compare_methods (const void *a, const void *b)
{
	const monocle__coverage_part_method *x = a, *y = b;
	return x->line != y->line ? compare_numbers (x->line, y->line) : compare_numbers (x->method, y->method);
}

static void
finish_part (monocle__coverage_parts *p)
{
	const monocle__coverage_part *part = &p->parts[p->count - 1];
	if (part->line_count > 0)
		qsort (p->lines + part->first_line, part->line_count, sizeof *p->lines, compare_lines);
	qsort (p->methods + part->first_method, part->method_count, sizeof *p->methods, compare_methods);
}

static bool
make_parts (maker *m, uint32_t type)
{
	monocle__coverage_parts *p = m->parts;
	for (size_t i = 0; i < m->found_count; i++) {
		if (i == 0 || m->found[i].file != m->found[i - 1].file) {
			if (i > 0)
				finish_part (p);
			if (!MONOCLE__RESERVE (p->parts, p->capacity, p->count + 1))
				return false;
			p->parts[p->count++] =
			    (monocle__coverage_part) { type, m->found[i].file,         (uint32_t) p->method_count,
				                           0,    (uint32_t) p->line_count, 0 };
		}
		if (!add_line (p, m->found[i]))
			return false;
	}
	if (m->found_count > 0)
		finish_part (p);
	return true;
}

static bool
make_type (maker *m, uint32_t type)
{
	const monocle__coverage_type *t = &m->coverage->types[type];
	m->found_count = 0;
	for (uint32_t i = 0; i < t->method_count; i++) {
		if (!find_method (m, t->first_method + i))
			return false;
	}
	if (m->found_count > 0)
		qsort (m->found, m->found_count, sizeof *m->found, compare_found);
	join_found (m);
	return make_parts (m, type);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Arms of a branch lie side by side. */
static uint32_t
complexity (const monocle__coverage *c, const monocle__coverage_method *method)
{
	uint32_t sum = 1;
	for (uint32_t b = 0; b < method->body_count; b++) {
		const monocle__coverage_body *body = &c->bodies[method->first_body + b];
		const monocle__coverage_arm *arms = c->arms + body->first_arm;
		for (uint32_t i = 1; i < body->arm_count; i++)
			sum += arms[i].il_offset == arms[i - 1].il_offset;
	}
	return sum;
}

static bool
make (maker *m)
{
	const monocle__coverage *c = m->coverage;
	m->parts->complexity = calloc (c->method_count + 1, sizeof *m->parts->complexity);
	if (!m->parts->complexity)
		return false;
	for (size_t i = 0; i < c->method_count; i++)
		m->parts->complexity[i] = complexity (c, &c->methods[i]);
	for (uint32_t type = 0; type < c->type_count; type++) {
		if (!make_type (m, type))
			return false;
	}
	return true;
}

monocle__coverage_parts *
monocle__coverage_parts_new (const monocle__coverage *coverage)
{
	maker m = { .parts = calloc (1, sizeof *m.parts), .coverage = coverage };
	bool made = false;
	if (m.parts) {
		m.parts->coverage = coverage;
		made = make (&m);
	}
	free (m.found);
	if (made)
		return m.parts;
	monocle__coverage_parts_free (m.parts);
	return NULL;
}

void
monocle__coverage_parts_free (monocle__coverage_parts *parts)
{
	if (!parts)
		return;
	free (parts->parts);
	free (parts->methods);
	free (parts->own_lines);
	free (parts->lines);
	free (parts->complexity);
	free (parts);
}

bool
monocle__coverage_parts_owns (const monocle__coverage_parts *parts, uint32_t type, uint32_t line)
{
	const monocle__coverage *c = parts->coverage;
	return c->methods[c->lines[line].method].type == type;
}

static void
add_lines (monocle__coverage_sums *sums, const monocle__coverage_parts *parts, const monocle__coverage_part *part)
{
	for (uint32_t i = 0; i < part->line_count; i++) {
		const monocle__coverage_line *line = &parts->coverage->lines[parts->lines[part->first_line + i]];
		sums->lines++;
		sums->lines_hit += line->hits > 0;
		sums->arms += line->arms;
		sums->arms_hit += line->arms_hit;
	}
}

static bool
is_hit (const monocle__coverage_parts *parts, const monocle__coverage_part_method *method)
{
	for (uint32_t i = 0; i < method->line_count; i++) {
		if (parts->own_lines[method->first_line + i].hits > 0)
			return true;
	}
	return false;
}

monocle__coverage_part_sums
monocle__coverage_parts_sum (const monocle__coverage_parts *parts, size_t first, size_t count)
{
	monocle__coverage_part_sums all = { 0 };
	for (size_t p = first; p < first + count; p++) {
		const monocle__coverage_part *part = &parts->parts[p];
		uint64_t hit_before = all.sums.methods_hit;
		add_lines (&all.sums, parts, part);
		for (uint32_t i = 0; i < part->method_count; i++) {
			const monocle__coverage_part_method *method = &parts->methods[part->first_method + i];
			all.sums.methods_hit += is_hit (parts, method);
			all.complexity += parts->complexity[method->method];
		}
		all.sums.methods += part->method_count;
		all.sums.types++;
		all.sums.types_hit += all.sums.methods_hit > hit_before;
	}
	return all;
}

const char *
monocle__coverage_part_signature (const char *method, size_t *ret_name_length)
{
	size_t length = strlen (method), at = length, depth = 0;
	if (length > 0 && method[length - 1] == ')') {
		do {
			at--;
			depth += method[at] == ')';
			depth -= method[at] == '(';
		} while (depth > 0 && at > 0);
	}
	if (depth > 0)
		at = length;
	*ret_name_length = at > 0 && at < length && method[at - 1] == ' ' ? at - 1 : at;
	return method + at;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-sums.c - how much is covered: of all, of an image, a file, a class, a method. A line that points of
 * several of them decide counts once in each of them.
 */
#include "coverage-raw.h"

#include <stdlib.h>
#include <string.h>

/* Who counted a line last, and who counted it as hit. */
typedef struct {
	uint32_t *seen, *hit;
} stamps;

static void
count_point (const monocle__coverage *c, stamps *s, uint32_t scope, uint32_t point, monocle__coverage_sums *sums)
{
	bool is_hit = c->points[point].hits != 0;
	uint32_t count;
	const uint32_t *lines = monocle__coverage_lines_of_point (c, point, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t line = lines[i];
		sums->lines += s->seen[line] != scope;
		sums->lines_hit += is_hit && s->hit[line] != scope;
		s->seen[line] = scope;
		if (is_hit)
			s->hit[line] = scope;
	}
}

static void
count_body (const monocle__coverage *c, stamps *s, uint32_t scope, const monocle__coverage_body *body,
            monocle__coverage_sums *sums)
{
	for (uint32_t i = 0; i < body->point_count; i++)
		count_point (c, s, scope, body->first_point + i, sums);
	for (uint32_t i = 0; i < body->arm_count; i++)
		sums->arms_hit += c->arms[body->first_arm + i].hits != 0;
	sums->arms += body->arm_count;
}

static void
count_method (const monocle__coverage *c, stamps *s, uint32_t scope, uint32_t method, monocle__coverage_sums *sums)
{
	const monocle__coverage_method *m = &c->methods[method];
	for (uint32_t i = 0; i < m->body_count; i++)
		count_body (c, s, scope, &c->bodies[m->first_body + i], sums);
	sums->methods++;
}

static void
stamps_clear (const monocle__coverage *c, stamps *s)
{
	memset (s->seen, 0xff, (c->line_count + 1) * sizeof *s->seen);
	memset (s->hit, 0xff, (c->line_count + 1) * sizeof *s->hit);
}

static void
sum_methods (monocle__coverage *c, stamps *s)
{
	stamps_clear (c, s);
	for (uint32_t i = 0; i < c->method_count; i++) {
		monocle__coverage_sums *sums = &c->priv->method_sums[i];
		count_method (c, s, i, i, sums);
		sums->methods_hit = sums->types_hit = sums->lines_hit != 0;
		sums->types = 1;
	}
}

static void
sum_types (monocle__coverage *c, stamps *s)
{
	stamps_clear (c, s);
	for (uint32_t i = 0; i < c->type_count; i++) {
		monocle__coverage_sums *sums = &c->priv->type_sums[i];
		const monocle__coverage_type *type = &c->types[i];
		for (uint32_t k = 0; k < type->method_count; k++) {
			count_method (c, s, i, type->first_method + k, sums);
			sums->methods_hit += c->priv->method_sums[type->first_method + k].methods_hit;
		}
		sums->types = 1;
		sums->types_hit = sums->lines_hit != 0;
	}
}

static void
sum_images (monocle__coverage *c, stamps *s)
{
	stamps_clear (c, s);
	for (uint32_t i = 0; i < c->type_count; i++) {
		const monocle__coverage_type *type = &c->types[i];
		monocle__coverage_sums *sums = &c->priv->image_sums[type->image];
		for (uint32_t k = 0; k < type->method_count; k++)
			count_method (c, s, type->image, type->first_method + k, sums);
		sums->methods_hit += c->priv->type_sums[i].methods_hit;
		sums->types++;
		sums->types_hit += c->priv->type_sums[i].types_hit;
	}
}

/* A method is in the file where it begins; a class in each where one of its methods begins. */
static void
sum_file_members (monocle__coverage *c, stamps *s)
{
	uint32_t *seen = s->seen, *hit = s->hit; /* by file: the class, which come one after the other */
	for (size_t i = 0; i < c->file_count; i++)
		seen[i] = hit[i] = MONOCLE__COVERAGE_NONE;
	for (size_t i = 0; i < c->method_count; i++) {
		const monocle__coverage_method *m = &c->methods[i];
		monocle__coverage_sums *sums = &c->priv->file_sums[m->file];
		bool is_hit = c->priv->method_sums[i].methods_hit != 0;
		sums->methods++;
		sums->methods_hit += is_hit;
		sums->types += seen[m->file] != m->type;
		sums->types_hit += is_hit && hit[m->file] != m->type;
		seen[m->file] = m->type;
		if (is_hit)
			hit[m->file] = m->type;
	}
}

static void
sum_files (monocle__coverage *c)
{
	for (size_t i = 0; i < c->file_count; i++) {
		monocle__coverage_sums *sums = &c->priv->file_sums[i];
		for (uint32_t k = 0; k < c->files[i].line_count; k++) {
			const monocle__coverage_line *line = &c->lines[c->files[i].first_line + k];
			sums->lines++;
			sums->lines_hit += line->hits != 0;
			sums->arms += line->arms;
			sums->arms_hit += line->arms_hit;
		}
		c->priv->total.lines += sums->lines;
		c->priv->total.lines_hit += sums->lines_hit;
		c->priv->total.arms += sums->arms;
		c->priv->total.arms_hit += sums->arms_hit;
	}
}

static void
sum_all (monocle__coverage *c)
{
	monocle__coverage_sums *total = &c->priv->total;
	for (size_t i = 0; i < c->type_count; i++) {
		total->methods += c->priv->type_sums[i].methods;
		total->methods_hit += c->priv->type_sums[i].methods_hit;
		total->types_hit += c->priv->type_sums[i].types_hit;
	}
	total->types = c->type_count;
}

int
monocle__coverage_make_sums (monocle__coverage *coverage)
{
	struct monocle__coverage_private *priv = coverage->priv;
	size_t count = (coverage->line_count > coverage->file_count ? coverage->line_count : coverage->file_count) + 1;
	stamps s = { malloc (count * sizeof *s.seen), malloc (count * sizeof *s.hit) };
	int result = -1;
	priv->image_sums = calloc (coverage->image_count + 1, sizeof *priv->image_sums);
	priv->file_sums = calloc (coverage->file_count + 1, sizeof *priv->file_sums);
	priv->type_sums = calloc (coverage->type_count + 1, sizeof *priv->type_sums);
	priv->method_sums = calloc (coverage->method_count + 1, sizeof *priv->method_sums);
	if (s.seen && s.hit && priv->image_sums && priv->file_sums && priv->type_sums && priv->method_sums) {
		sum_methods (coverage, &s);
		sum_types (coverage, &s);
		sum_images (coverage, &s);
		sum_file_members (coverage, &s);
		sum_files (coverage);
		sum_all (coverage);
		result = 0;
	}
	free (s.seen);
	free (s.hit);
	return result;
}

/* --- asked for ---------------------------------------------------------------------------------------------------- */

monocle__coverage_sums
monocle__coverage_sum (const monocle__coverage *coverage)
{
	return coverage->priv->total;
}

static monocle__coverage_sums
one_of (const monocle__coverage *coverage, const monocle__coverage_sums *sums, uint32_t index)
{
	return index == MONOCLE__COVERAGE_NONE ? coverage->priv->total : sums[index];
}

monocle__coverage_sums
monocle__coverage_sum_of_image (const monocle__coverage *coverage, uint32_t image)
{
	return one_of (coverage, coverage->priv->image_sums, image);
}

monocle__coverage_sums
monocle__coverage_sum_of_file (const monocle__coverage *coverage, uint32_t file)
{
	return one_of (coverage, coverage->priv->file_sums, file);
}

monocle__coverage_sums
monocle__coverage_sum_of_type (const monocle__coverage *coverage, uint32_t type)
{
	return one_of (coverage, coverage->priv->type_sums, type);
}

monocle__coverage_sums
monocle__coverage_sum_of_method (const monocle__coverage *coverage, uint32_t method)
{
	return one_of (coverage, coverage->priv->method_sums, method);
}

double
monocle__coverage_percent (uint64_t covered, uint64_t total)
{
	if (covered >= total)
		return 100;
	return (double) (uint64_t) ((long double) covered * 10000 / (long double) total) / 100;
}

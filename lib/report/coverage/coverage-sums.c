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

/* Which of the methods, of those that stand for their twins too, ran; the same of classes. */
typedef struct {
	monocle__coverage_twins twins;
	bool *methods, *types;
} written;

static int
written_find (const monocle__coverage *c, written *w)
{
	*w = (written) { .methods = calloc (c->method_count + 1, 1), .types = calloc (c->type_count + 1, 1) };
	if (monocle__coverage_twins_find (c, &w->twins) != 0 || !w->methods || !w->types)
		return -1;
	for (size_t i = 0; i < c->method_count; i++) {
		bool is_hit = c->priv->method_sums[i].methods_hit != 0;
		w->methods[w->twins.methods[i]] |= is_hit;
		w->types[w->twins.types[c->methods[i].type]] |= is_hit;
	}
	return 0;
}

static void
written_done (written *w)
{
	monocle__coverage_twins_done (&w->twins);
	free (w->methods);
	free (w->types);
}

/* A class in a file, and whether one of its methods there ran. */
typedef struct {
	uint32_t file, type;
	bool hit;
} member;

static int
compare_members (const void *a, const void *b)
{
	const member *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return (int) y->hit - (int) x->hit;
}

/* A method is in the file where it begins; a class in each where one of its methods begins. */
static int
sum_file_members (monocle__coverage *c, const written *w)
{
	member *members = malloc ((c->method_count + 1) * sizeof *members);
	size_t count = 0;
	if (!members)
		return -1;
	for (uint32_t i = 0; i < c->method_count; i++) {
		const monocle__coverage_method *m = &c->methods[i];
		if (w->twins.methods[i] != i)
			continue;
		c->priv->file_sums[m->file].methods++;
		c->priv->file_sums[m->file].methods_hit += w->methods[i];
		members[count++] = (member) { m->file, w->twins.types[m->type], w->methods[i] };
	}
	qsort (members, count, sizeof *members, compare_members);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && members[i].file == members[i - 1].file && members[i].type == members[i - 1].type)
			continue;
		c->priv->file_sums[members[i].file].types++;
		c->priv->file_sums[members[i].file].types_hit += members[i].hit;
	}
	free (members);
	return 0;
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
sum_all (monocle__coverage *c, const written *w)
{
	monocle__coverage_sums *total = &c->priv->total;
	for (uint32_t i = 0; i < c->method_count; i++) {
		total->methods += w->twins.methods[i] == i;
		total->methods_hit += w->twins.methods[i] == i && w->methods[i];
	}
	for (uint32_t i = 0; i < c->type_count; i++) {
		total->types += w->twins.types[i] == i;
		total->types_hit += w->twins.types[i] == i && w->types[i];
	}
}

static int
sum_sources (monocle__coverage *c)
{
	written w;
	int result = written_find (c, &w) == 0 ? sum_file_members (c, &w) : -1;
	if (result == 0) {
		sum_files (c);
		sum_all (c, &w);
	}
	written_done (&w);
	return result;
}

int
monocle__coverage_make_sums (monocle__coverage *coverage)
{
	struct monocle__coverage_private *priv = coverage->priv;
	size_t count = coverage->line_count + 1;
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
		result = sum_sources (coverage);
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

static void
count_part_of_body (const monocle__coverage *c, stamps *s, uint32_t file, const monocle__coverage_body *body,
                    monocle__coverage_sums *sums)
{
	for (uint32_t i = 0; i < body->point_count; i++) {
		if (c->points[body->first_point + i].file == file)
			count_point (c, s, 0, body->first_point + i, sums);
	}
	for (uint32_t i = 0; i < body->arm_count; i++) {
		const monocle__coverage_arm *arm = &c->arms[body->first_arm + i];
		sums->arms += c->points[arm->point].file == file;
		sums->arms_hit += c->points[arm->point].file == file && arm->hits;
	}
}

static void
count_part_of_type (const monocle__coverage *c, stamps *s, uint32_t file, const monocle__coverage_type *type,
                    monocle__coverage_sums *sums)
{
	uint64_t methods = sums->methods, methods_hit = sums->methods_hit;
	for (uint32_t i = type->first_method; i < type->first_method + type->method_count; i++) {
		const monocle__coverage_method *m = &c->methods[i];
		for (uint32_t k = 0; k < m->body_count; k++)
			count_part_of_body (c, s, file, &c->bodies[m->first_body + k], sums);
		sums->methods += m->file == file;
		sums->methods_hit += m->file == file && c->priv->method_sums[i].methods_hit;
	}
	sums->types += sums->methods > methods;
	sums->types_hit += sums->methods_hit > methods_hit;
}

int
monocle__coverage_sum_of_part (const monocle__coverage *coverage, uint32_t image, uint32_t file,
                               monocle__coverage_sums *ret_sums)
{
	size_t count = coverage->line_count + 1;
	stamps s = { malloc (count * sizeof *s.seen), malloc (count * sizeof *s.hit) };
	monocle__coverage_sums sums = { 0 };
	int result = s.seen && s.hit ? 0 : -1;
	if (result == 0) {
		stamps_clear (coverage, &s);
		for (uint32_t i = 0; i < coverage->images[image].type_count; i++)
			count_part_of_type (coverage, &s, file, &coverage->types[coverage->images[image].first_type + i], &sums);
		*ret_sums = sums;
	}
	free (s.seen);
	free (s.hit);
	return result;
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

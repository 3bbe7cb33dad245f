/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-fold.c - methods and classes as people wrote them, out of what compilers made of them.
 *
 * What a person wrote comes first. Then state machines whose symbols say what they were (`kickoff`), then those whose
 * class says it, then lambdas and local functions: each goes to the method that is named in it, and where several have
 * that name, to the one whose lines are around it or nearest above.
 */
#include "array.h"
#include "coverage-raw.h"
#include "cover-file.h"

#include <stdlib.h>
#include <string.h>

enum {
	OVERLOADS = 4096,  /* that are looked at: only hostile files have more */
	KICKOFF_DEPTH = 16 /* an async lambda in an async lambda ... */
};

/* A method of a person, while it is put together. */
typedef struct {
	monocle__coverage_method m;
	uint32_t file, first_line, last_line; /* NONE: unknown */
	uint32_t next_of_type, old;
} written;

typedef struct {
	monocle__coverage *coverage;
	monocle__coverage_raw *raw;
	const uint32_t *file_of;
	uint32_t *type_of;       /* by type of the store */
	uint32_t *method_of;     /* by method of the store; NONE: not yet */
	uint32_t *first_of_type; /* by type: the list of its methods */
	written *methods;
	size_t method_count;
	monocle__coverage_raw_table by_type, by_name;
} folder;

static uint32_t
file_of_point (const folder *f, const monocle__coverage_raw_point *point)
{
	return monocle__coverage_is_visible (point) ? f->file_of[point->document] : MONOCLE__COVERAGE_NONE;
}

/* The first point that is kept; NULL: there is none. */
static const monocle__coverage_raw_point *
first_point (const folder *f, const monocle__coverage_raw_method *m)
{
	for (uint32_t i = 0; i < m->point_count; i++) {
		const monocle__coverage_raw_point *p = &f->raw->points[m->first_point + i];
		if (file_of_point (f, p) != MONOCLE__COVERAGE_NONE)
			return p;
	}
	return NULL;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

static uint32_t
find_type (const folder *f, uint32_t image, const char *full, uint32_t hash)
{
	uint32_t index;
	for (size_t at = hash;
	     (index = monocle__coverage_raw_table_next (&f->by_type, hash, &at)) != MONOCLE__COVERAGE_NONE;) {
		if (f->coverage->types[index].full == full && f->coverage->types[index].image == image)
			break;
	}
	return index;
}

/* The class with that name, which is interned; its token becomes known when it has a record of its own. */
static int
add_type (folder *f, uint32_t image, const char *full, uint32_t token, uint32_t *ret_type)
{
	monocle__coverage *c = f->coverage;
	uint32_t hash = monocle__coverage_raw_hash (image, &full, sizeof full);
	uint32_t index = find_type (f, image, full, hash);
	if (index == MONOCLE__COVERAGE_NONE) {
		index = (uint32_t) c->type_count;
		c->types[index] = (monocle__coverage_type) { .full = full, .image = image };
		if (!monocle__coverage_raw_table_add (&f->by_type, hash, index))
			return -1;
		c->type_count++;
	}
	if (token)
		c->types[index].token = token;
	*ret_type = index;
	return 0;
}

static int
fold_types (folder *f)
{
	for (size_t i = 0; i < f->raw->type_count; i++) {
		monocle__coverage_raw_type type = f->raw->types[i];
		const char *name = monocle__coverage_name_after_startup (type.name);
		size_t length = monocle__coverage_name_written (name);
		bool is_own = name == type.name && name[length] == '\0';
		const char *full = is_own ? name : monocle__coverage_raw_text (f->raw, name, length);
		if (!full || add_type (f, type.image, full, is_own ? type.token : 0, &f->type_of[i]) != 0)
			return -1;
	}
	return 0;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static uint32_t
hash_name (uint32_t type, const char *name, size_t length)
{
	uint32_t hash = type * 31 + 7;
	hash = monocle__coverage_raw_hash (hash, name, length);
	return hash;
}

/* Lines of a body are lines of its method. */
static void
widen (const folder *f, written *w, const monocle__coverage_raw_method *m)
{
	for (uint32_t i = 0; i < m->point_count; i++) {
		const monocle__coverage_raw_point *p = &f->raw->points[m->first_point + i];
		uint32_t file = file_of_point (f, p), last = p->end_line > p->start_line ? p->end_line : p->start_line;
		if (w->file == MONOCLE__COVERAGE_NONE) {
			w->file = file;
			w->first_line = p->start_line;
			w->last_line = last;
		}
		if (file == MONOCLE__COVERAGE_NONE || file != w->file)
			continue;
		w->first_line = p->start_line < w->first_line ? p->start_line : w->first_line;
		w->last_line = last > w->last_line ? last : w->last_line;
	}
}

static int
add_method (folder *f, uint32_t type, const char *name, uint32_t token, uint32_t flags, uint32_t *ret_index)
{
	uint32_t index = (uint32_t) f->method_count;
	uint32_t hash = hash_name (type, name, monocle__coverage_name_length (name));
	if (!monocle__coverage_raw_table_add (&f->by_name, hash, index))
		return -1;
	f->methods[index] = (written) {
		.m = { .name = name, .type = type, .token = token, .flags = flags, .file = MONOCLE__COVERAGE_NONE },
		.file = MONOCLE__COVERAGE_NONE,
		.next_of_type = f->first_of_type[type],
	};
	f->first_of_type[type] = index;
	f->method_count++;
	*ret_index = index;
	return 0;
}

/* How far the line is from a method: in it, below it, above it; methods of other files and without lines come last. */
static uint64_t
distance (const written *w, uint32_t file, uint32_t line)
{
	const uint64_t above = UINT64_C (1) << 33, unknown = UINT64_C (1) << 34;
	if (w->file == MONOCLE__COVERAGE_NONE)
		return unknown;
	if (w->file != file)
		return unknown + 1;
	if (line < w->first_line)
		return above + (w->first_line - line);
	return line <= w->last_line ? 0 : line - w->last_line;
}

typedef struct {
	uint32_t type, file, line;
	uint32_t best;
	uint64_t distance;
	unsigned seen;
} search;

static void
consider (const folder *f, search *s, uint32_t index)
{
	uint64_t found = distance (&f->methods[index], s->file, s->line);
	s->seen++;
	if (s->best == MONOCLE__COVERAGE_NONE || found < s->distance) {
		s->best = index;
		s->distance = found;
	}
}

static search
search_begin (const folder *f, uint32_t type, const monocle__coverage_raw_method *m)
{
	const monocle__coverage_raw_point *p = first_point (f, m);
	search s = { .type = type, .file = MONOCLE__COVERAGE_NONE, .best = MONOCLE__COVERAGE_NONE };
	if (p) {
		s.file = file_of_point (f, p);
		s.line = p->start_line;
	}
	return s;
}

/* By name, and by token where it is not 0. */
static uint32_t
find_named (const folder *f, search s, const char *name, size_t length, uint32_t token)
{
	uint32_t hash = hash_name (s.type, name, length), index;
	for (size_t at = hash; s.seen < OVERLOADS && (index = monocle__coverage_raw_table_next (&f->by_name, hash, &at)) !=
	                                                 MONOCLE__COVERAGE_NONE;) {
		const written *w = &f->methods[index];
		if (w->m.type == s.type && monocle__coverage_name_length (w->m.name) == length &&
		    memcmp (w->m.name, name, length) == 0 && (token == 0 || w->m.token == token))
			consider (f, &s, index);
	}
	return s.best;
}

/* Of all methods of the class; only one whose lines are near is better than none. */
static uint32_t
find_near (const folder *f, search s)
{
	uint32_t index = f->first_of_type[s.type];
	for (; index != MONOCLE__COVERAGE_NONE && s.seen < OVERLOADS; index = f->methods[index].next_of_type)
		consider (f, &s, index);
	return s.best != MONOCLE__COVERAGE_NONE && s.distance >> 33 == 0 ? s.best : MONOCLE__COVERAGE_NONE;
}

/* Roslyn writes - for each . in the name of a state machine's class. */
static const char *
with_dots (folder *f, const char *name, size_t length)
{
	char *dotted = strndup (name, length);
	const char *text = NULL;
	if (dotted) {
		for (char *c = dotted; *c; c++)
			*c = *c == '-' ? '.' : *c;
		text = monocle__coverage_raw_text (f->raw, dotted, length);
	}
	free (dotted);
	return text;
}

static int
fold_named (folder *f, const monocle__coverage_raw_method *m, const char *name, size_t length, uint32_t token,
            uint32_t *ret_index)
{
	uint32_t type = f->type_of[m->type];
	search s = search_begin (f, type, m);
	const char *text = with_dots (f, name, length);
	if (!text)
		return -1;
	*ret_index = find_named (f, s, name, length, token);
	if (*ret_index == MONOCLE__COVERAGE_NONE)
		*ret_index = find_named (f, s, text, length, token);
	if (*ret_index != MONOCLE__COVERAGE_NONE)
		return 0;
	return add_method (f, type, text, token, m->flags & MONOCLE__COVER_STATIC, ret_index);
}

/* The method that `m`, or what it was started by, says it was written in. */
static int
fold_method (folder *f, const monocle__coverage_raw_method *m, const monocle__coverage_raw_method *start,
             uint32_t *ret_index)
{
	const char *full = f->raw->types[start->type].name, *name;
	uint32_t token = start->kickoff;
	size_t length;
	bool sure;
	if (!monocle__coverage_name_of_writer (full, start->name, &name, &length, &sure)) {
		*ret_index = find_near (f, search_begin (f, f->type_of[m->type], m));
		if (*ret_index != MONOCLE__COVERAGE_NONE)
			return 0;
		return add_method (f, f->type_of[m->type], start->name, start->token, start->flags, ret_index);
	}
	/* What starts <<Main>b__0>d is not Main. */
	if (name - 2 >= full && name - 2 < full + strlen (full) && name[-2] == '<')
		token = 0;
	if (!sure && !token) {
		search s = search_begin (f, f->type_of[m->type], m);
		*ret_index = find_named (f, s, name, length, 0);
		if (*ret_index != MONOCLE__COVERAGE_NONE || (*ret_index = find_near (f, s)) != MONOCLE__COVERAGE_NONE)
			return 0;
	}
	return fold_named (f, m, name, length, token, ret_index);
}

/* The method that a state machine belongs to, or that one's; hostile files may go round. */
static uint32_t
find_start (const folder *f, uint32_t method)
{
	for (unsigned depth = 0; depth < KICKOFF_DEPTH && f->raw->methods[method].kickoff; depth++) {
		const monocle__coverage_raw_method *m = &f->raw->methods[method];
		uint32_t start = monocle__coverage_raw_find_method (f->raw, f->raw->types[m->type].image, m->kickoff);
		if (start == MONOCLE__COVERAGE_NONE)
			break;
		method = start;
	}
	return method;
}

enum { OWN, STARTED, CLASS_TELLS, REST, PASSES };

static unsigned
pass_of (const folder *f, uint32_t method)
{
	const monocle__coverage_raw_method *m = &f->raw->methods[method];
	const char *full = f->raw->types[m->type].name;
	bool is_made = monocle__coverage_name_is_made (m->name);
	if (monocle__coverage_name_is_of_lambda (full, m->name))
		return REST;
	if (m->kickoff && find_start (f, method) != method)
		return STARTED;
	if (!is_made && full[monocle__coverage_name_written (full)] == '\0')
		return OWN;
	return m->kickoff ? STARTED : is_made ? REST : CLASS_TELLS;
}

static int
fold_one (folder *f, uint32_t method, unsigned pass)
{
	const monocle__coverage_raw_method *m = &f->raw->methods[method];
	uint32_t start, *index = &f->method_of[method];
	if (pass == OWN) {
		if (add_method (f, f->type_of[m->type], m->name, m->token, m->flags, index) != 0)
			return -1;
		widen (f, &f->methods[*index], m);
		return 0;
	}
	start = find_start (f, method);
	if (f->method_of[start] != MONOCLE__COVERAGE_NONE)
		*index = f->method_of[start];
	else if (fold_method (f, m, &f->raw->methods[start], index) != 0)
		return -1;
	/* A state machine is what its method has instead of lines. */
	if (pass != REST)
		widen (f, &f->methods[*index], m);
	return 0;
}

static int
fold_methods (folder *f)
{
	size_t count = f->raw->method_count;
	uint8_t *passes = malloc (count + 1);
	int result = passes ? 0 : -1;
	for (uint32_t i = 0; result == 0 && i < count; i++)
		passes[i] = (uint8_t) pass_of (f, i);
	for (unsigned pass = OWN; pass < PASSES; pass++) {
		for (uint32_t i = 0; result == 0 && i < count; i++) {
			if (passes[i] == pass && (pass == OWN || first_point (f, &f->raw->methods[i])))
				result = fold_one (f, i, pass);
		}
	}
	free (passes);
	return result;
}

/* --- in order ----------------------------------------------------------------------------------------------------- */

static int
compare_numbers (uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* A body on its way into the arrays. */
typedef struct {
	uint32_t method, is_folded, token, raw;
} part;

static int
compare_parts (const void *a, const void *b)
{
	const part *x = a, *y = b;
	int order = compare_numbers (x->method, y->method);
	if (!order)
		order = compare_numbers (x->is_folded, y->is_folded);
	if (!order)
		order = compare_numbers (x->token, y->token);
	return order ? order : compare_numbers (x->raw, y->raw);
}

static int
compare_written (const void *a, const void *b)
{
	const written *x = a, *y = b;
	int order = compare_numbers (x->m.type, y->m.type);
	if (!order)
		order = compare_numbers (x->m.file, y->m.file);
	if (!order)
		order = compare_numbers (x->m.line, y->m.line);
	if (!order)
		order = compare_numbers (x->m.token, y->m.token);
	return order ? order : strcmp (x->m.name, y->m.name);
}

static int
compare_types (const void *a, const void *b)
{
	const monocle__coverage_type *x = a, *y = b;
	int order = compare_numbers (x->image, y->image);
	return order ? order : strcmp (x->full, y->full);
}

/* The image, and what it was before. */
typedef struct {
	monocle__coverage_raw_image image;
	uint32_t old;
} image_place;

static int
compare_images (const void *a, const void *b)
{
	const image_place *x = a, *y = b;
	return monocle__coverage_raw_compare_images (&x->image, &y->image);
}

/* Bodies with points; each says in its method's `body_count` that it is there. */
static size_t
collect_parts (folder *f, part *parts)
{
	size_t count = 0;
	for (uint32_t i = 0; i < f->raw->method_count; i++) {
		const monocle__coverage_raw_method *m = &f->raw->methods[i];
		if (f->method_of[i] == MONOCLE__COVERAGE_NONE || !first_point (f, m))
			continue;
		written *w = &f->methods[f->method_of[i]];
		bool is_own = w->m.token == m->token && w->m.name == m->name;
		parts[count++] = (part) { f->method_of[i], !is_own, m->token, i };
	}
	qsort (parts, count, sizeof *parts, compare_parts);
	return count;
}

/* Methods begin where their first body does. */
static void
place_methods (folder *f, const part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		written *w = &f->methods[parts[i].method];
		const monocle__coverage_raw_point *p = first_point (f, &f->raw->methods[parts[i].raw]);
		if (w->m.body_count++ == 0) {
			w->m.file = file_of_point (f, p);
			w->m.line = p->start_line;
			w->m.calls = p->hits && !f->coverage->counts ? 1 : p->hits;
		}
	}
}

static int
order_images (folder *f)
{
	monocle__coverage *c = f->coverage;
	size_t count = f->raw->image_count;
	image_place *places = calloc (count + 1, sizeof *places);
	uint32_t *now = malloc ((count + 1) * sizeof *now);
	bool *used = calloc (count + 1, sizeof *used);
	int result = -1;
	c->images = calloc (count + 1, sizeof *c->images);
	if (!places || !now || !used || !c->images)
		goto done;
	for (size_t i = 0; i < f->method_count; i++)
		used[c->types[f->methods[i].m.type].image] |= f->methods[i].m.body_count != 0;
	for (uint32_t i = 0; i < count; i++)
		places[i] = (image_place) { f->raw->images[i], i };
	qsort (places, count, sizeof *places, compare_images);
	for (size_t i = 0; i < count; i++) {
		monocle__coverage_image *image = &c->images[c->image_count];
		now[places[i].old] = (uint32_t) c->image_count;
		if (!used[places[i].old])
			continue;
		*image = (monocle__coverage_image) { .name = places[i].image.name, .path = places[i].image.path };
		memcpy (image->mvid, places[i].image.mvid, sizeof image->mvid);
		c->image_count++;
	}
	for (size_t i = 0; i < c->type_count; i++)
		c->types[i].image = now[c->types[i].image];
	result = 0;
done:
	free (places);
	free (now);
	free (used);
	return result;
}

/* Classes that have methods, in order; `first_method` holds what the index was before. */
static int
order_types (folder *f)
{
	monocle__coverage *c = f->coverage;
	uint32_t *now = calloc (c->type_count + 1, sizeof *now);
	size_t kept = 0;
	if (!now)
		return -1;
	for (size_t i = 0; i < f->method_count; i++)
		c->types[f->methods[i].m.type].method_count += f->methods[i].m.body_count != 0;
	for (uint32_t i = 0; i < c->type_count; i++) {
		c->types[i].first_method = i;
		if (c->types[i].method_count)
			c->types[kept++] = c->types[i];
	}
	c->type_count = kept;
	qsort (c->types, kept, sizeof *c->types, compare_types);
	for (uint32_t i = 0; i < kept; i++)
		now[c->types[i].first_method] = i;
	for (size_t i = 0; i < f->method_count; i++)
		f->methods[i].m.type = now[f->methods[i].m.type];
	free (now);
	return 0;
}

static int
order_methods (folder *f, part *parts, size_t part_count)
{
	monocle__coverage *c = f->coverage;
	uint32_t *now = calloc (f->method_count + 1, sizeof *now);
	size_t kept = 0;
	c->methods = calloc (f->method_count + 1, sizeof *c->methods);
	if (!now || !c->methods) {
		free (now);
		return -1;
	}
	for (uint32_t i = 0; i < f->method_count; i++) {
		f->methods[i].old = i;
		if (f->methods[i].m.body_count)
			f->methods[kept++] = f->methods[i];
	}
	qsort (f->methods, kept, sizeof *f->methods, compare_written);
	for (uint32_t i = 0; i < kept; i++) {
		now[f->methods[i].old] = i;
		c->methods[i] = f->methods[i].m;
	}
	c->method_count = kept;
	for (size_t i = 0; i < part_count; i++)
		parts[i].method = now[parts[i].method];
	qsort (parts, part_count, sizeof *parts, compare_parts);
	free (now);
	return 0;
}

static int
number_all (folder *f)
{
	monocle__coverage *c = f->coverage;
	uint32_t at = 0;
	for (uint32_t i = 0; i < c->type_count; i++) {
		monocle__coverage_type *type = &c->types[i];
		type->first_method = at;
		at += type->method_count;
		if (c->images[type->image].type_count++ == 0)
			c->images[type->image].first_type = i;
		if (!(type->name = monocle__coverage_name_for_people (f->raw, type->full)))
			return -1;
	}
	for (size_t i = 0; i < c->method_count; i++) {
		if (!(c->methods[i].name = monocle__coverage_name_of_method (f->raw, c->methods[i].name)))
			return -1;
	}
	return 0;
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static uint64_t
shown_hits (const folder *f, uint64_t hits)
{
	return f->coverage->counts ? hits : hits != 0;
}

/* `now` becomes the index of each of the body's points; NONE: it is left out. */
static void
put_points (folder *f, const monocle__coverage_raw_method *m, uint32_t *now)
{
	monocle__coverage *c = f->coverage;
	for (uint32_t i = 0; i < m->point_count; i++) {
		const monocle__coverage_raw_point *p = &f->raw->points[m->first_point + i];
		uint32_t file = file_of_point (f, p);
		now[i] = MONOCLE__COVERAGE_NONE;
		if (file == MONOCLE__COVERAGE_NONE)
			continue;
		now[i] = (uint32_t) c->point_count;
		c->points[c->point_count++] = (monocle__coverage_point) {
			.il_offset = p->il_offset,
			.file = file,
			.start_line = p->start_line,
			.end_line = p->end_line,
			.start_column = p->start_column,
			.end_column = p->end_column,
			.hits = shown_hits (f, p->hits),
		};
	}
}

static void
put_arms (folder *f, const monocle__coverage_raw_method *m, const uint32_t *now)
{
	monocle__coverage *c = f->coverage;
	for (uint32_t i = 0; i < m->arm_count; i++) {
		const monocle__coverage_raw_arm *a = &f->raw->arms[m->first_arm + i];
		if (now[a->point] == MONOCLE__COVERAGE_NONE)
			continue;
		c->arms[c->arm_count++] = (monocle__coverage_arm) {
			.il_offset = a->il_offset,
			.target_offset = a->target_offset,
			.point = now[a->point],
			.path = a->path,
			.of_switch = a->flags & MONOCLE__COVER_ARM_SWITCH,
			.hits = shown_hits (f, a->hits),
		};
	}
}

static int
put_bodies (folder *f, const part *parts, size_t count)
{
	monocle__coverage *c = f->coverage;
	uint32_t *now = NULL;
	size_t now_capacity = 0;
	c->bodies = calloc (count + 1, sizeof *c->bodies);
	c->points = malloc ((f->raw->point_count + 1) * sizeof *c->points);
	c->arms = malloc ((f->raw->arm_count + 1) * sizeof *c->arms);
	if (!c->bodies || !c->points || !c->arms)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		const monocle__coverage_raw_method *m = &f->raw->methods[parts[i].raw];
		monocle__coverage_body *body = &c->bodies[i];
		*body = (monocle__coverage_body) { .method = parts[i].method, .token = m->token };
		body->name = monocle__coverage_name_of_method (f->raw, m->name);
		if (!body->name || !MONOCLE__RESERVE (now, now_capacity, m->point_count)) {
			free (now);
			return -1;
		}
		body->first_point = (uint32_t) c->point_count;
		body->first_arm = (uint32_t) c->arm_count;
		put_points (f, m, now);
		put_arms (f, m, now);
		body->point_count = (uint32_t) c->point_count - body->first_point;
		body->arm_count = (uint32_t) c->arm_count - body->first_arm;
		if (i == 0 || parts[i].method != parts[i - 1].method)
			c->methods[parts[i].method].first_body = i;
	}
	c->body_count = count;
	free (now);
	return 0;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int
make_arrays (folder *f)
{
	part *parts = malloc ((f->raw->method_count + 1) * sizeof *parts);
	int result = -1;
	size_t count;
	if (!parts)
		return -1;
	count = collect_parts (f, parts);
	place_methods (f, parts, count);
	if (order_images (f) == 0 && order_types (f) == 0 && order_methods (f, parts, count) == 0 && number_all (f) == 0)
		result = put_bodies (f, parts, count);
	free (parts);
	return result;
}

int
monocle__coverage_fold (monocle__coverage *coverage, const uint32_t *file_of)
{
	monocle__coverage_raw *raw = &coverage->priv->raw;
	folder f = { .coverage = coverage, .raw = raw, .file_of = file_of };
	size_t types = raw->type_count + 1, methods = raw->method_count + 1;
	int result = -1;
	coverage->types = calloc (types, sizeof *coverage->types);
	f.type_of = calloc (types, sizeof *f.type_of);
	f.first_of_type = malloc (types * sizeof *f.first_of_type);
	f.method_of = malloc (methods * sizeof *f.method_of);
	f.methods = calloc (methods, sizeof *f.methods);
	if (coverage->types && f.type_of && f.first_of_type && f.method_of && f.methods) {
		memset (f.first_of_type, 0xff, types * sizeof *f.first_of_type);
		memset (f.method_of, 0xff, methods * sizeof *f.method_of);
		if (fold_types (&f) == 0 && fold_methods (&f) == 0)
			result = make_arrays (&f);
	}
	free (f.type_of);
	free (f.first_of_type);
	free (f.method_of);
	free (f.methods);
	free (f.by_type.slots);
	free (f.by_name.slots);
	return result;
}

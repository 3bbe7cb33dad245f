/*
 * SPDX-License-Identifier: MIT
 *
 * text-exceptions.c - see text-exceptions.h.
 *
 * Below each type, the most frequent first, stand the methods that threw it: of each stack the nearest frame that is
 * the program's own, else the nearest one. An exception that an async method passes on is thrown once more there.
 */
#include "text-exceptions.h"

#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "csharp-name.h"
#include "origin.h"
#include "short-name.h"
#include "text-head.h"
#include "width.h"

enum {
	CELL_SIZE = 64,
	NAME_SIZE = 8192,
	SITES = 5, /* more are not shown of a type, unless all rows are asked for */
	LEAST_WIDTH = 24,
	NOBODY = UINT32_MAX, /* the row of a type itself */
};

/* A type, or a method that threw it. */
typedef struct {
	uint32_t type, site;
	int64_t thrown, again;
	int64_t type_thrown, type_again; /* of the type, by which rows are ordered */
} row;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__report_options *options;
	size_t thrown_value, again_value; /* SIZE_MAX: it is not counted */
	row *rows;
	size_t count;
	int widths[2];
	char program[256];
} table;

bool
monocle__text_exceptions_is_for (const monocle__profile *profile)
{
	const char *main = profile->value_count ? profile->value_types[monocle__profile_main_value (profile)].type : "";
	return monocle__profile_find_value (profile, "exceptions") != SIZE_MAX &&
	       (strcmp (main, "exceptions") == 0 || strcmp (main, "rethrown") == 0);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static uint32_t
find_site (const table *t, const uint32_t *frames, size_t depth)
{
	for (size_t i = 1; i < depth; i++) {
		if (monocle__origin_of (&t->profile->functions[frames[i]], t->program) == MONOCLE__ORIGIN_OWN)
			return frames[i];
	}
	for (size_t i = 1; i < depth; i++) {
		if (monocle__origin_of (&t->profile->functions[frames[i]], t->program) != MONOCLE__ORIGIN_GLUE)
			return frames[i];
	}
	return frames[0];
}

static void
add_samples (table *t)
{
	const monocle__profile *profile = t->profile;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const monocle__sample *sample = &profile->samples[i];
		const uint32_t *frames = profile->frames + sample->frames;
		const int64_t *values = monocle__profile_values (profile, i);
		row added = { .thrown = values[t->thrown_value] };
		added.again = t->again_value == SIZE_MAX ? 0 : values[t->again_value];
		if (sample->depth == 0 || (added.thrown == 0 && added.again == 0))
			continue;
		added.type = frames[0];
		added.site = NOBODY;
		t->rows[t->count++] = added;
		added.site = find_site (t, frames, sample->depth);
		t->rows[t->count++] = added;
	}
}

static int
compare_keys (const void *a, const void *b)
{
	const row *x = a, *y = b;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->site == y->site)
		return 0;
	return x->site == NOBODY || (y->site != NOBODY && x->site < y->site) ? -1 : 1;
}

/* Rows of one type and method become one, and each knows what its type comes to: a type's own row is its first. */
static void
add_up (table *t)
{
	size_t count = 0, type = 0;
	for (size_t i = 0; i < t->count; i++) {
		if (count > 0 && compare_keys (&t->rows[count - 1], &t->rows[i]) == 0) {
			t->rows[count - 1].thrown = monocle__add (t->rows[count - 1].thrown, t->rows[i].thrown);
			t->rows[count - 1].again = monocle__add (t->rows[count - 1].again, t->rows[i].again);
		} else {
			t->rows[count++] = t->rows[i];
		}
	}
	t->count = count;
	for (size_t i = 0; i < count; i++) {
		type = t->rows[i].site == NOBODY ? i : type;
		t->rows[i].type_thrown = t->rows[type].thrown;
		t->rows[i].type_again = t->rows[type].again;
	}
}

static int
compare_amounts (int64_t x, int64_t y)
{
	return x > y ? -1 : x < y;
}

/* The most frequent type first, with its methods below it, in the same order. */
static int
compare_rows (const void *a, const void *b, void *data)
{
	const row *x = a, *y = b;
	const monocle__function *functions = data;
	int order = compare_amounts (x->type_thrown, y->type_thrown);
	if (order == 0)
		order = compare_amounts (x->type_again, y->type_again);
	if (order == 0 && x->type != y->type)
		order = strcmp (functions[x->type].name, functions[y->type].name);
	if (order == 0 && x->type != y->type)
		order = x->type < y->type ? -1 : 1;
	if (order == 0 && x->site != y->site && (x->site == NOBODY || y->site == NOBODY))
		order = x->site == NOBODY ? -1 : 1;
	if (order == 0)
		order = compare_amounts (x->thrown, y->thrown);
	if (order == 0)
		order = compare_amounts (x->again, y->again);
	if (order == 0 && x->site != NOBODY)
		order = strcmp (functions[x->site].name, functions[y->site].name);
	return order;
}

/* --- for people --------------------------------------------------------------------------------------------------- */

/* "type N: NAME: 3 thrown, 1 rethrown; first message: TEXT": TEXT of the type; NULL: it is not known. */
static const char *
first_message (const monocle__profile *profile, const char *type)
{
	static const char key[] = "type ", before[] = "; first message: ";
	char name[NAME_SIZE], own[NAME_SIZE];
	for (size_t i = 0; i < profile->comment_count; i++) {
		const char *comment = profile->comments[i], *colon = strchr (comment, ':'), *message = strstr (comment, before);
		const char *end = colon ? strstr (colon + 1, ": ") : NULL;
		if (strncmp (comment, key, strlen (key)) != 0 || !message || !end || end > message)
			continue;
		snprintf (name, sizeof name, "%.*s", (int) (end - colon - 2), colon + 2);
		if (strcmp (name, type) == 0 ||
		    (monocle__csharp_name_of_type (name, own, sizeof own) && strcmp (own, type) == 0))
			return strcmp (message + strlen (before), "none") == 0 ? NULL : message + strlen (before);
	}
	return NULL;
}

static void
format_amounts (const row *r, char amounts[2][CELL_SIZE])
{
	monocle__amount_format (r->thrown, "count", amounts[0], CELL_SIZE);
	monocle__amount_format (r->again, "count", amounts[1], CELL_SIZE);
}

static void
measure (table *t)
{
	char amounts[2][CELL_SIZE];
	t->widths[0] = (int) strlen ("thrown");
	t->widths[1] = (int) strlen ("rethrown");
	for (size_t i = 0; i < t->count; i++) {
		format_amounts (&t->rows[i], amounts);
		for (size_t k = 0; k < 2; k++) {
			int length = (int) strlen (amounts[k]);
			t->widths[k] = length > t->widths[k] ? length : t->widths[k];
		}
	}
}

static void
print_row (const table *t, const row *r)
{
	const char *mark = t->options->ellipsis ? t->options->ellipsis : "..", *message;
	const char *name = t->profile->functions[r->site == NOBODY ? r->type : r->site].name;
	char amounts[2][CELL_SIZE], text[NAME_SIZE], line[NAME_SIZE];
	size_t used = (size_t) (t->widths[0] + t->widths[1]) + 4 + (r->site == NOBODY ? 0 : 2), width = t->options->width;
	size_t columns = width == 0 ? 0 : width > used + LEAST_WIDTH ? width - used : LEAST_WIDTH;
	format_amounts (r, amounts);
	fprintf (t->out, "%*s  %*s  ", t->widths[0], amounts[0], t->widths[1], amounts[1]);
	if (r->site == NOBODY) {
		message = first_message (t->profile, name);
		snprintf (text, sizeof text, "%s%s%s", name, message ? ": " : "", message ? message : "");
		monocle__utf8_elide (text, columns, mark, line, sizeof line);
	} else if (r->site == r->type)
		snprintf (line, sizeof line, "  (no method is known)");
	else {
		memcpy (line, "  ", 2);
		monocle__short_name (name, columns, mark, line + 2, sizeof line - 2);
	}
	fprintf (t->out, "%s\n", line);
}

static void
print_rows (const table *t)
{
	size_t limit = t->options->limit ? t->options->limit : t->count, most = t->options->limit ? SITES : t->count;
	size_t printed = 0, sites = 0, types_left = 0, sites_left = 0;
	for (size_t i = 0; i < t->count; i++) {
		const row *r = &t->rows[i];
		sites = r->site == NOBODY ? 0 : sites + 1;
		if (printed < limit && sites <= most) {
			print_row (t, r);
			printed++;
		} else if (r->site == NOBODY)
			types_left++;
		else
			sites_left++;
	}
	if (types_left || sites_left)
		fprintf (t->out, "(%zu more type%s, %zu more method%s)\n", types_left, types_left == 1 ? "" : "s", sites_left,
		         sites_left == 1 ? "" : "s");
}

static void
print_table (table *t)
{
	char amount[CELL_SIZE];
	size_t types = 0;
	int64_t thrown = monocle__profile_sum (t->profile, t->thrown_value);
	for (size_t i = 0; i < t->count; i++)
		types += t->rows[i].site == NOBODY;
	monocle__text_head (t->out, t->profile, t->options, "type ");
	monocle__amount_format (thrown, "count", amount, sizeof amount);
	fprintf (t->out, "%s exception%s of %zu type%s", amount, thrown == 1 ? "" : "s", types, types == 1 ? "" : "s");
	if (t->again_value != SIZE_MAX) {
		monocle__amount_format (monocle__profile_sum (t->profile, t->again_value), "count", amount, sizeof amount);
		fprintf (t->out, ", thrown again %s times", amount);
	}
	fputs ("\n\n", t->out);
	measure (t);
	fprintf (t->out, "%s%*s  %*s  exception, and the nearest methods of the program%s\n",
	         t->options->bold ? "\033[1m" : "", t->widths[0], "thrown", t->widths[1], "rethrown",
	         t->options->bold ? "\033[0m" : "");
	print_rows (t);
}

int
monocle__text_exceptions (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	table t = { .out = out, .profile = profile, .options = options };
	t.thrown_value = monocle__profile_find_value (profile, "exceptions");
	t.again_value = monocle__profile_find_value (profile, "rethrown");
	t.rows = calloc (2 * profile->sample_count + 1, sizeof *t.rows);
	if (!t.rows)
		return -1;
	monocle__origin_program (profile, t.program, sizeof t.program);
	add_samples (&t);
	qsort (t.rows, t.count, sizeof *t.rows, compare_keys);
	add_up (&t);
	qsort_r (t.rows, t.count, sizeof *t.rows, compare_rows, profile->functions);
	print_table (&t);
	free (t.rows);
	return 0;
}

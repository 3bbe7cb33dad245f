/*
 * SPDX-License-Identifier: MIT
 *
 * text-stacks.c - see text-stacks.h.
 *
 * A row is the stack of a thread, or of several that have one name. Rows of one stack, of threads that did the same,
 * are brought together by an order in which equal ones are neighbours; the least row of such a group stands for it.
 */
#include "text-stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "origin.h"
#include "short-name.h"
#include "text-head.h"
#include "threads.h"
#include "width.h"

enum { CELL_SIZE = 64, NAME_SIZE = 8192, INDENT = 4, LEAST_WIDTH = 24, NAMES = 8 };

typedef struct {
	uint32_t sample;
	const char *state; /* what the thread did; "": not known */
	bool is_own;       /* a frame is the program's own code */
	int64_t threads;   /* of the row, */
	int64_t group;     /* and of all rows with this stack */
	size_t first;      /* of the rows with this stack, in the order in which equal stacks are neighbours */
} row;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__report_options *options;
	const monocle__threads *threads;
	size_t value;
	row *rows;
	size_t count;
	bool fold;
	bool is_async; /* the rows are chains of async methods */
	char program[256];
} printer;

bool
monocle__text_stacks_is_for (const monocle__profile *profile)
{
	return profile->value_count > 0 &&
	       strcmp (profile->value_types[monocle__profile_main_value (profile)].type, "threads") == 0;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const uint32_t *
frames_of (const printer *p, const row *r)
{
	return p->profile->frames + p->profile->samples[r->sample].frames;
}

static size_t
depth_of (const printer *p, const row *r)
{
	return p->profile->samples[r->sample].depth;
}

static const char *
state_of (const printer *p, size_t sample)
{
	const monocle__sample *s = &p->profile->samples[sample];
	for (size_t i = 0; i < s->label_count; i++) {
		const monocle__label *label = &p->profile->labels[s->labels + i];
		if (strcmp (label->key, "state") == 0 && label->text)
			return label->text;
	}
	return "";
}

static bool
has_own_frame (const printer *p, const row *r)
{
	const uint32_t *frames = frames_of (p, r);
	for (size_t i = 0; i < depth_of (p, r); i++) {
		if (monocle__origin_shown (&p->profile->functions[frames[i]], p->program) == MONOCLE__ORIGIN_OWN)
			return true;
	}
	return false;
}

/* A snapshot that was taken just now asks for lines; where its own code has none, there are no symbols. */
static bool
lacks_lines (const printer *p)
{
	bool has_own = false;
	for (size_t i = 0; i < p->count; i++) {
		size_t first = p->profile->samples[p->rows[i].sample].frames;
		for (size_t k = first; p->rows[i].is_own && k < first + depth_of (p, &p->rows[i]); k++) {
			const monocle__place *place = monocle__profile_place (p->profile, k);
			if (place && place->line > 0)
				return false;
			has_own = true;
		}
	}
	return has_own && p->options->took;
}

/* What was inlined before `stack` came stays so: a method of the program may be part of such a frame. */
static bool
has_dynamic_method (const printer *p)
{
	static const char dynamic[] = "(wrapper dynamic-method)";
	for (size_t i = 0; p->options->took && i < p->count; i++)
		for (size_t k = 0; k < depth_of (p, &p->rows[i]); k++) {
			const char *name = p->profile->functions[frames_of (p, &p->rows[i])[k]].name;
			if (strncmp (name, dynamic, sizeof dynamic - 1) == 0)
				return true;
		}
	return false;
}

static void
add_rows (printer *p)
{
	for (size_t i = 0; i < p->profile->sample_count; i++) {
		row added = { .sample = (uint32_t) i, .threads = monocle__profile_values (p->profile, i)[p->value] };
		if (added.threads <= 0)
			continue;
		added.is_own = has_own_frame (p, &added);
		added.state = state_of (p, i);
		p->rows[p->count++] = added;
	}
}

static int
compare_numbers (int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Frames in different lines differ. */
static int
compare_frames (const printer *p, const row *x, const row *y, size_t i)
{
	int order = compare_numbers (frames_of (p, x)[i], frames_of (p, y)[i]);
	const monocle__place *a = monocle__profile_place (p->profile, p->profile->samples[x->sample].frames + i);
	const monocle__place *b = monocle__profile_place (p->profile, p->profile->samples[y->sample].frames + i);
	return order ? order : compare_numbers (a ? a->line : 0, b ? b->line : 0);
}

static int
compare_stacks (const void *a, const void *b, void *data)
{
	const printer *p = data;
	size_t depth = depth_of (p, a), other = depth_of (p, b);
	int order = compare_numbers ((int64_t) depth, (int64_t) other);
	if (order == 0)
		order = strcmp (((const row *) a)->state, ((const row *) b)->state);
	for (size_t i = 0; i < depth && order == 0; i++)
		order = compare_frames (p, a, b, i);
	return order;
}

static const char *
name_of (const printer *p, const row *r)
{
	return p->threads->count ? p->threads->names[p->threads->of_sample[r->sample]] : "";
}

static int
compare_names (const void *a, const void *b, void *data)
{
	const row *x = a, *y = b;
	int order = strcmp (name_of (data, x), name_of (data, y));
	if (order == 0)
		order = compare_numbers ((int64_t) x->first, (int64_t) y->first);
	return order ? order : compare_numbers (x->sample, y->sample);
}

static int
compare_threads (const void *a, const void *b, void *data)
{
	const row *x = a, *y = b;
	int order = compare_numbers (y->is_own, x->is_own);
	return order ? order : compare_names (a, b, data);
}

static int
compare_groups (const void *a, const void *b, void *data)
{
	const row *x = a, *y = b;
	int order = compare_numbers (y->is_own, x->is_own);
	if (order == 0)
		order = compare_numbers (y->group, x->group);
	if (order == 0)
		order = compare_numbers ((int64_t) x->first, (int64_t) y->first);
	return order ? order : compare_names (a, b, data);
}

static void
sort_rows (printer *p)
{
	qsort_r (p->rows, p->count, sizeof *p->rows, compare_stacks, p);
	for (size_t i = 0, end; i < p->count; i = end) {
		int64_t threads = 0;
		for (end = i; end < p->count && compare_stacks (&p->rows[i], &p->rows[end], p) == 0; end++)
			threads = monocle__add (threads, p->rows[end].threads);
		for (size_t k = i; k < end; k++) {
			p->rows[k].first = i;
			p->rows[k].group = threads;
		}
	}
	qsort_r (p->rows, p->count, sizeof *p->rows, p->fold ? compare_groups : compare_threads, p);
}

/* Samples that differ in what is not shown, in hidden frames for example, are one row. */
static void
merge_rows (printer *p)
{
	size_t count = 0;
	for (size_t i = 0; i < p->count; i++) {
		row *before = count ? &p->rows[count - 1] : NULL;
		if (before && before->first == p->rows[i].first && strcmp (name_of (p, before), name_of (p, &p->rows[i])) == 0)
			before->threads = monocle__add (before->threads, p->rows[i].threads);
		else
			p->rows[count++] = p->rows[i];
	}
	p->count = count;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void
print_name (const printer *p, const row *r)
{
	char name[256];
	monocle__utf8_elide (name_of (p, r), 0, "", name, sizeof name);
	fprintf (p->out, "\"%s\"", name);
}

static void
print_state (const printer *p, const row *r)
{
	char state[256];
	monocle__utf8_elide (r->state, 0, "", state, sizeof state);
	fprintf (p->out, "%s%s", state[0] ? ", " : "", state);
}

static void
print_threads (const printer *p, const row *r, size_t count)
{
	size_t shown = count < NAMES ? count : NAMES;
	if (r->group > 1 && p->fold)
		fprintf (p->out, "%" PRId64 " threads: ", r->group);
	for (size_t i = 0; i < shown; i++) {
		print_name (p, &r[i]);
		if (r[i].threads > 1 && count > 1)
			fprintf (p->out, " (%" PRId64 ")", r[i].threads);
		else if (r[i].threads > 1 && !p->fold)
			fprintf (p->out, ", %" PRId64 " threads", r[i].threads);
		fputs (i + 1 < shown ? ", " : "", p->out);
	}
	if (count > shown)
		fprintf (p->out, " and %zu more names", count - shown);
	print_state (p, r);
	putc ('\n', p->out);
}

/* "words.cs:12" of the frame; "": its line is not known. */
static void
format_place (const printer *p, size_t frame, char *text, size_t size)
{
	const monocle__function *function = &p->profile->functions[p->profile->frames[frame]];
	const monocle__place *place = monocle__profile_place (p->profile, frame);
	const char *source = monocle__function_file (function), *slash = strrchr (source, '/');
	text[0] = '\0';
	if (place && place->line > 0 && source[0])
		snprintf (text, size, "%s:%" PRId64, slash && slash[1] ? slash + 1 : source, place->line);
}

static void
print_frame (const printer *p, size_t frame)
{
	const char *mark = p->options->ellipsis ? p->options->ellipsis : "..";
	char name[NAME_SIZE], place[NAME_SIZE];
	size_t room = 0, width = p->options->width, used = INDENT;
	format_place (p, frame, place, sizeof place);
	used += place[0] ? monocle__utf8_width (place) + 2 : 0;
	if (width)
		room = width > used + LEAST_WIDTH ? width - used : LEAST_WIDTH;
	monocle__short_name (p->profile->functions[p->profile->frames[frame]].name, room, mark, name, sizeof name);
	fprintf (p->out, "%*s%s", INDENT, "", name);
	if (place[0]) {
		char shown[NAME_SIZE];
		monocle__utf8_elide (place, 0, "", shown, sizeof shown);
		fprintf (p->out, "  %s", shown);
	}
	putc ('\n', p->out);
}

static void
print_stack (const printer *p, const row *r)
{
	const monocle__sample *sample = &p->profile->samples[r->sample];
	for (size_t i = 0; i < sample->depth; i++)
		print_frame (p, sample->frames + i);
	if (sample->depth == 0)
		fprintf (p->out, "%*s(no stack)\n", INDENT, "");
}

/* How many rows are printed as one. */
static size_t
group_end (const printer *p, size_t from)
{
	size_t end = from + 1;
	while (p->fold && end < p->count && p->rows[end].first == p->rows[from].first)
		end++;
	return end;
}

/* What a row counts: threads, or async methods that wait, in chains. */
static const char *
noun (const printer *p, int64_t count)
{
	if (p->is_async)
		return count == 1 ? "async chain" : "async chains";
	return count == 1 ? "thread" : "threads";
}

static int64_t
sum_of (const printer *p)
{
	int64_t sum = 0;
	for (size_t i = 0; i < p->count; i++)
		sum = monocle__add (sum, p->rows[i].threads);
	return sum;
}

static void
print_head (const printer *p, const printer *async)
{
	int64_t threads = sum_of (p), chains = sum_of (async);
	monocle__text_head (p->out, p->profile, p->options, "end: the process is still running"); /* It is a snapshot. */
	if (lacks_lines (p))
		fputs ("# no source lines: the program's images have no symbols (.pdb) beside or in them\n", p->out);
	if (has_dynamic_method (p))
		fputs ("# what a (wrapper dynamic-method) has inlined, handlers for example, has no frame of its own\n",
		       p->out);
	fprintf (p->out, "%" PRId64 " %s", threads, noun (p, threads));
	if (async->value != SIZE_MAX)
		fprintf (p->out, ", %" PRId64 " %s", chains, noun (async, chains));
	putc ('\n', p->out);
}

static void
print_rows (const printer *p)
{
	size_t printed = 0, limit = p->options->limit ? p->options->limit : SIZE_MAX;
	int64_t left = 0;
	for (size_t i = 0, end; i < p->count; i = end) {
		end = group_end (p, i);
		for (size_t k = i; k < end && printed >= limit; k++)
			left = monocle__add (left, p->rows[k].threads);
		if (printed++ >= limit)
			continue;
		putc ('\n', p->out);
		if (p->is_async)
			fprintf (p->out, "%" PRId64 " %s\n", p->rows[i].group, noun (p, p->rows[i].group));
		else
			print_threads (p, &p->rows[i], end - i);
		print_stack (p, &p->rows[i]);
	}
	if (left)
		fprintf (p->out, "\n(%" PRId64 " more %s)\n", left, noun (p, left));
}

/* SIZE_MAX: the snapshot was taken without. */
static size_t
async_value (const monocle__profile *profile)
{
	for (size_t i = 0; i < profile->value_count; i++)
		if (strcmp (profile->value_types[i].type, "async") == 0)
			return i;
	return SIZE_MAX;
}

/* False: no memory. */
static bool
make_rows (printer *p, size_t value)
{
	p->value = value;
	p->rows = calloc (p->profile->sample_count + 1, sizeof *p->rows);
	if (p->rows && value != SIZE_MAX)
		add_rows (p);
	if (p->rows) {
		sort_rows (p);
		merge_rows (p);
	}
	return p->rows != NULL;
}

int
monocle__text_stacks (FILE *out, const monocle__profile *profile, const monocle__report_options *options)
{
	printer p = { .out = out, .profile = profile, .options = options, .fold = !options->apart };
	monocle__threads *threads = monocle__threads_new (profile);
	p.threads = threads;
	monocle__origin_program (profile, p.program, sizeof p.program);
	printer async = p;
	async.fold = async.is_async = true;
	bool has_memory =
	    threads && make_rows (&p, monocle__profile_main_value (profile)) && make_rows (&async, async_value (profile));
	if (has_memory) {
		print_head (&p, &async);
		print_rows (&p);
		print_rows (&async);
	}
	free (p.rows);
	free (async.rows);
	monocle__threads_free (threads);
	return has_memory ? 0 : -1;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-html.c - coverage.html with the coverage in it.
 *
 * The page gets two kinds of packed elements. Chunks have what is shown of a source: per file its lines, its branches
 * and its text, for as many files as CHUNK bytes hold; the page unpacks the one that it shows. The index comes after
 * them: sums, and all names that can be searched for. A chunk is a 32-bit length, JSON of that length, then the bytes
 * of the texts one after the other, in whatever encoding they are.
 *
 * Nothing from the coverage is markup: but for the title it all travels in base64, and the page puts it on the screen
 * as text.
 */
#include "coverage-html.h"

#include "array.h"
#include "packed.h"
#include "source-text.h"
#include "template.h"

#include "coverage-template.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024 };

/* What became of the text of a source; the page has a word for each. */
enum text_state { TEXT_SAME, TEXT_CHANGED, TEXT_MISSING, TEXT_REFUSED, TEXT_UNWANTED };

typedef struct {
	uint64_t lines, lines_hit, arms, arms_hit;
} sums;

/* A statement that never ran on a line that did. */
typedef struct {
	uint32_t file, line, from, to; /* columns; to 0: the end of the line */
} never;

typedef struct {
	FILE *out;
	const monocle__coverage *coverage;
	const monocle__coverage_html_options *options;
	sums *files, *methods;   /* by index; a line belongs to the method that begins first on it */
	uint32_t *order, *first; /* methods by file, and where those of a file begin */
	uint32_t *bodies;        /* by arm */
	never *nevers;           /* in the order of files and lines */
	size_t never_count, never_capacity, next_never;
	uint8_t *states;            /* by file: text_state */
	uint32_t *chunks;           /* by file: the chunk that has it */
	monocle__packed json, text; /* the chunk that is being made */
	uint32_t chunk;             /* its number */
	bool failed;                /* out of memory */
} page;

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void
put_comma (monocle__packed *json)
{
	if (json->length && json->bytes[json->length - 1] != '[')
		monocle__packed_put (json, ",", 1);
}

static void
put_text (monocle__packed *json, const char *text)
{
	monocle__packed_put (json, text, strlen (text));
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static void
add_line (sums *s, const monocle__coverage_line *line)
{
	s->lines++;
	s->lines_hit += line->hits > 0;
	s->arms += line->arms;
	s->arms_hit += line->arms_hit;
}

static void
add_sums (sums *to, const sums *from)
{
	to->lines += from->lines;
	to->lines_hit += from->lines_hit;
	to->arms += from->arms;
	to->arms_hit += from->arms_hit;
}

static void
sum_lines (page *p)
{
	const monocle__coverage *c = p->coverage;
	for (uint32_t f = 0; f < c->file_count; f++) {
		const monocle__coverage_line *line = c->lines + c->files[f].first_line;
		for (uint32_t i = 0; i < c->files[f].line_count; i++, line++) {
			add_line (&p->files[f], line);
			if (c->methods[line->method].file == f)
				add_line (&p->methods[line->method], line);
		}
	}
}

/* Counts methods per file, then puts each into its place; they keep their order. */
static void
order_methods (page *p)
{
	const monocle__coverage *c = p->coverage;
	for (size_t m = 0; m < c->method_count; m++) {
		if (c->methods[m].file < c->file_count)
			p->first[c->methods[m].file + 1]++;
	}
	for (size_t f = 0; f < c->file_count; f++)
		p->first[f + 1] += p->first[f];
	p->first[c->file_count + 1] = p->first[c->file_count];
	for (size_t m = c->method_count; m-- > 0;) {
		if (c->methods[m].file < c->file_count)
			p->order[--p->first[c->methods[m].file + 1]] = (uint32_t) m;
	}
	/* At f + 1 stands where f begins now, and after all of them where the last one ends. */
	memmove (p->first, p->first + 1, (c->file_count + 1) * sizeof *p->first);
}

static void
find_bodies (page *p)
{
	const monocle__coverage *c = p->coverage;
	for (size_t b = 0; b < c->body_count; b++) {
		for (uint32_t i = 0; i < c->bodies[b].arm_count; i++)
			p->bodies[c->bodies[b].first_arm + i] = (uint32_t) b;
	}
}

/* --- statements that never ran ------------------------------------------------------------------------------------ */

static void
find_never (page *p, uint32_t index)
{
	const monocle__coverage_point *point = &p->coverage->points[index];
	uint32_t to = point->end_line == point->start_line ? point->end_column : 0;
	if (!point->start_column || !monocle__coverage_never_ran (p->coverage, index))
		return;
	if (MONOCLE__RESERVE (p->nevers, p->never_capacity, p->never_count + 1))
		p->nevers[p->never_count++] = (never) { point->file, point->start_line, point->start_column, to };
	else
		p->failed = true;
}

static int
compare_nevers (const void *left, const void *right)
{
	const never *a = left, *b = right;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static void
find_nevers (page *p)
{
	for (uint32_t i = 0; i < p->coverage->point_count; i++)
		find_never (p, i);
	if (p->never_count)
		qsort (p->nevers, p->never_count, sizeof *p->nevers, compare_nevers);
}

/* Files come in their order, so what is next is this file's, or of none before. */
static void
put_nevers (page *p, uint32_t file)
{
	put_text (&p->json, ",\"never\":[");
	for (; p->next_never < p->never_count && p->nevers[p->next_never].file == file; p->next_never++) {
		const never *n = &p->nevers[p->next_never];
		put_comma (&p->json);
		monocle__packed_put_number (&p->json, n->line, ',');
		monocle__packed_put_number (&p->json, n->from, ',');
		monocle__packed_put_number (&p->json, n->to, 0);
	}
	put_text (&p->json, "]");
}

/* --- branches ----------------------------------------------------------------------------------------------------- */

/* The line of a file where an arm leads; 0: elsewhere. Between two points it is still the first one's. */
static uint32_t
target_line (const page *p, uint32_t arm, uint32_t file)
{
	const monocle__coverage *c = p->coverage;
	const monocle__coverage_body *body = &c->bodies[p->bodies[arm]];
	const monocle__coverage_point *point = c->points + body->first_point;
	uint32_t low = 0, high = body->point_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (point[middle].il_offset <= c->arms[arm].target_offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && point[low - 1].file == file ? point[low - 1].start_line : 0;
}

/* 0: goes on, 1: jumps; of a switch, 2: no case, 3 and more: cases. */
static uint32_t
kind_of_arm (const monocle__coverage_arm *arm)
{
	return arm->of_switch ? 2 + arm->path : arm->path > 0;
}

/* One branch: how many ways it has and how many were taken, then kind and line of each that was not. */
static uint32_t
put_branch (page *p, const uint32_t *arms, uint32_t count, uint32_t file)
{
	const monocle__coverage_arm *all = p->coverage->arms;
	uint32_t length = 1, taken = all[arms[0]].hits > 0;
	while (length < count && all[arms[length]].branch == all[arms[0]].branch)
		taken += all[arms[length++]].hits > 0;
	monocle__packed_put (&p->json, "[", 1);
	monocle__packed_put_number (&p->json, length, ',');
	monocle__packed_put_number (&p->json, taken, 0);
	for (uint32_t i = 0; i < length; i++) {
		if (all[arms[i]].hits > 0)
			continue;
		monocle__packed_put (&p->json, ",", 1);
		monocle__packed_put_number (&p->json, kind_of_arm (&all[arms[i]]), ',');
		monocle__packed_put_number (&p->json, target_line (p, arms[i], file), 0);
	}
	monocle__packed_put (&p->json, "]", 1);
	return length;
}

static void
put_branches_of_line (page *p, const monocle__coverage_line *line, uint32_t file)
{
	const uint32_t *arms = p->coverage->line_arms + line->first_branch_of_line;
	monocle__packed_put (&p->json, "[", 1);
	monocle__packed_put_number (&p->json, line->number, ',');
	monocle__packed_put_number (&p->json, line->arms, ',');
	monocle__packed_put_number (&p->json, line->arms_hit, 0);
	for (uint32_t i = 0; i < line->arms && line->arms_hit < line->arms;) {
		monocle__packed_put (&p->json, ",", 1);
		i += put_branch (p, arms + i, line->arms - i, file);
	}
	monocle__packed_put (&p->json, "]", 1);
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

/* Number and hits of each line, numbers as differences. */
static void
put_lines (page *p, const monocle__coverage_file *file)
{
	const monocle__coverage_line *line = p->coverage->lines + file->first_line;
	uint32_t before = 0;
	put_text (&p->json, ",\"lines\":[");
	for (uint32_t i = 0; i < file->line_count; i++, line++) {
		put_comma (&p->json);
		monocle__packed_put_number (&p->json, line->number - before, ',');
		monocle__packed_put_number (&p->json, line->hits, 0);
		before = line->number;
	}
	put_text (&p->json, "],\"branches\":[");
	line = p->coverage->lines + file->first_line;
	for (uint32_t i = 0; i < file->line_count; i++, line++) {
		if (line->arms) {
			put_comma (&p->json);
			put_branches_of_line (p, line, (uint32_t) (file - p->coverage->files));
		}
	}
	put_text (&p->json, "]");
}

static enum text_state
read_text (page *p, const monocle__coverage_file *file, monocle__source_text *ret_text)
{
	*ret_text = (monocle__source_text) { 0 };
	if (p->options->no_sources)
		return TEXT_UNWANTED;
	switch (monocle__source_text_read (file, ret_text)) {
	case MONOCLE__SOURCE_TEXT_SAME: return TEXT_SAME;
	case MONOCLE__SOURCE_TEXT_CHANGED: return TEXT_CHANGED;
	case MONOCLE__SOURCE_TEXT_MISSING: return TEXT_MISSING;
	case MONOCLE__SOURCE_TEXT_REFUSED: return TEXT_REFUSED;
	case MONOCLE__SOURCE_TEXT_MEMORY: break;
	}
	p->failed = true;
	return TEXT_MISSING;
}

static void
put_file (page *p, uint32_t f)
{
	const monocle__coverage_file *file = &p->coverage->files[f];
	monocle__source_text text;
	p->states[f] = (uint8_t) read_text (p, file, &text);
	p->chunks[f] = p->chunk;
	put_comma (&p->json);
	put_text (&p->json, "{\"size\":");
	monocle__packed_put_number (&p->json, text.size, 0);
	if (text.why) {
		put_text (&p->json, ",\"why\":");
		monocle__packed_put_string (&p->json, text.why);
	}
	put_lines (p, file);
	put_nevers (p, f);
	put_text (&p->json, "}");
	monocle__packed_put (&p->text, text.bytes, text.size);
	free (text.bytes);
}

static void
write_chunk (page *p)
{
	monocle__packed whole = { 0 };
	uint8_t head[4];
	put_text (&p->json, "]");
	for (unsigned i = 0; i < sizeof head; i++)
		head[i] = (uint8_t) (p->json.length >> 8 * i);
	monocle__packed_put (&whole, head, sizeof head);
	monocle__packed_put (&whole, p->json.bytes, p->json.length);
	monocle__packed_put (&whole, p->text.bytes, p->text.length);
	p->failed |= p->json.failed || p->text.failed || !monocle__packed_write (p->out, &whole);
	monocle__packed_done (&whole);
	p->json.length = p->text.length = 0;
	p->chunk++;
}

static void
write_chunks (page *p)
{
	for (uint32_t f = 0; f < p->coverage->file_count && !p->failed; f++) {
		if (p->json.length == 0)
			put_text (&p->json, "[");
		put_file (p, f);
		if (p->json.length + p->text.length >= CHUNK)
			write_chunk (p);
	}
	if (p->json.length)
		write_chunk (p);
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

static void
put_sums (monocle__packed *json, const sums *s)
{
	monocle__packed_put_number (json, s->lines, ',');
	monocle__packed_put_number (json, s->lines_hit, ',');
	monocle__packed_put_number (json, s->arms, ',');
	monocle__packed_put_number (json, s->arms_hit, 0);
}

static void
put_member (monocle__packed *json, const char *name, const char *text)
{
	put_text (json, ",");
	monocle__packed_put_string (json, name);
	put_text (json, ":");
	monocle__packed_put_string (json, text ? text : "");
}

static void
put_member_number (monocle__packed *json, const char *name, uint64_t number)
{
	put_text (json, ",");
	monocle__packed_put_string (json, name);
	put_text (json, ":");
	monocle__packed_put_number (json, number, 0);
}

static void
put_about (page *p)
{
	const monocle__coverage *c = p->coverage;
	put_text (&p->json, "{\"version\":1");
	put_member (&p->json, "title", p->options->title);
	put_member (&p->json, "program", c->program);
	put_member (&p->json, "runtime", c->runtime);
	put_member (&p->json, "desc", c->desc);
	put_member_number (&p->json, "counts", c->counts);
	put_member_number (&p->json, "mixed", c->mixed);
	put_member_number (&p->json, "incomplete", c->incomplete);
	put_member_number (&p->json, "conflicts", c->conflicts);
	put_member_number (&p->json, "processes", c->processes);
	put_member_number (&p->json, "begun", c->begun_ns / 1000000);
	put_member_number (&p->json, "ended", c->ended_ns / 1000000);
	put_text (&p->json, ",\"losses\":[");
	for (size_t i = 0; i < sizeof c->losses / sizeof *c->losses; i++) {
		put_comma (&p->json);
		monocle__packed_put_number (&p->json, c->losses[i], 0);
	}
	put_text (&p->json, "]");
}

static void
put_names (page *p)
{
	const monocle__coverage *c = p->coverage;
	put_text (&p->json, ",\"images\":[");
	for (size_t i = 0; i < c->image_count; i++) {
		put_comma (&p->json);
		monocle__packed_put_string (&p->json, c->images[i].name);
	}
	put_text (&p->json, "],\"types\":[");
	for (size_t i = 0; i < c->type_count; i++) {
		put_comma (&p->json);
		monocle__packed_put_string (&p->json, c->types[i].name);
	}
	put_text (&p->json, "]");
}

/* Name, line, calls, sums. A line that several methods begin on counts in each of them. */
static void
put_method (page *p, uint32_t m)
{
	const monocle__coverage_method *method = &p->coverage->methods[m];
	monocle__coverage_sums whole = monocle__coverage_sum_of_method (p->coverage, m);
	sums s = { whole.lines, whole.lines_hit, whole.arms, whole.arms_hit };
	put_text (&p->json, ",");
	monocle__packed_put_string (&p->json, method->name);
	put_text (&p->json, ",");
	monocle__packed_put_number (&p->json, method->line, ',');
	monocle__packed_put_number (&p->json, method->calls, ',');
	put_sums (&p->json, &s);
}

/* A class, or the part of it that is in this file: its number, sums, methods. Answers how many those are. */
static uint32_t
put_class (page *p, const uint32_t *methods, uint32_t count)
{
	const monocle__coverage_method *all = p->coverage->methods;
	uint32_t length = 0;
	sums s = { 0 };
	for (; length < count && all[methods[length]].type == all[methods[0]].type; length++)
		add_sums (&s, &p->methods[methods[length]]);
	put_comma (&p->json);
	put_text (&p->json, "[");
	monocle__packed_put_number (&p->json, all[methods[0]].type, ',');
	put_sums (&p->json, &s);
	for (uint32_t i = 0; i < length; i++)
		put_method (p, methods[i]);
	put_text (&p->json, "]");
	return length;
}

/* The methods of a class come one after the other. */
static void
put_classes (page *p, uint32_t f)
{
	put_text (&p->json, ",[");
	for (uint32_t i = p->first[f]; i < p->first[f + 1];)
		i += put_class (p, p->order + i, p->first[f + 1] - i);
	put_text (&p->json, "]");
}

static uint32_t
image_of_file (const monocle__coverage *c, const monocle__coverage_file *file)
{
	return c->types[c->methods[c->lines[file->first_line].method].type].image;
}

/* Path, image, chunk, state of the text, sums, classes. A file without lines has no image, and only an empty path. */
static void
put_files (page *p)
{
	const monocle__coverage *c = p->coverage;
	put_text (&p->json, ",\"files\":[");
	for (uint32_t f = 0; f < c->file_count; f++) {
		put_comma (&p->json);
		put_text (&p->json, "[");
		if (c->files[f].line_count) {
			monocle__packed_put_string (&p->json, c->files[f].path);
			put_text (&p->json, ",");
			monocle__packed_put_number (&p->json, image_of_file (c, &c->files[f]), ',');
			monocle__packed_put_number (&p->json, p->chunks[f], ',');
			monocle__packed_put_number (&p->json, p->states[f], ',');
			put_sums (&p->json, &p->files[f]);
			put_classes (p, f);
		}
		put_text (&p->json, "]");
	}
	put_text (&p->json, "]}");
}

static void
write_index (page *p)
{
	put_about (p);
	put_names (p);
	put_files (p);
	p->failed |= !monocle__packed_write (p->out, &p->json);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

/* For a browser without scripts. */
static void
write_summary (page *p)
{
	sums all = { 0 };
	for (size_t f = 0; f < p->coverage->file_count; f++)
		add_sums (&all, &p->files[f]);
	fprintf (p->out, "%" PRIu64 " of %" PRIu64 " lines and %" PRIu64 " of %" PRIu64 " branches were covered.",
	         all.lines_hit, all.lines, all.arms_hit, all.arms);
}

static void
write_page (page *p)
{
	const char *at =
	    monocle__template_until (p->out, coverage_template, coverage_template + sizeof coverage_template, "@TITLE@");
	monocle__template_text (p->out, p->options->title);
	at = monocle__template_until (p->out, at, coverage_template + sizeof coverage_template, "@SUMMARY@");
	write_summary (p);
	at = monocle__template_until (p->out, at, coverage_template + sizeof coverage_template, "@DATA@");
	write_chunks (p);
	write_index (p);
	fwrite (at, 1, (size_t) (coverage_template + sizeof coverage_template - at), p->out);
}

static bool
page_init (page *p)
{
	const monocle__coverage *c = p->coverage;
	p->files = calloc (c->file_count + 1, sizeof *p->files);
	p->methods = calloc (c->method_count + 1, sizeof *p->methods);
	p->order = calloc (c->method_count + 1, sizeof *p->order);
	p->first = calloc (c->file_count + 2, sizeof *p->first);
	p->bodies = calloc (c->arm_count + 1, sizeof *p->bodies);
	p->states = calloc (c->file_count + 1, sizeof *p->states);
	p->chunks = calloc (c->file_count + 1, sizeof *p->chunks);
	return p->files && p->methods && p->order && p->first && p->bodies && p->states && p->chunks;
}

static void
page_done (page *p)
{
	free (p->files);
	free (p->methods);
	free (p->order);
	free (p->first);
	free (p->bodies);
	free (p->nevers);
	free (p->states);
	free (p->chunks);
	monocle__packed_done (&p->json);
	monocle__packed_done (&p->text);
}

int
monocle__coverage_html (FILE *out, const monocle__coverage *coverage, const monocle__coverage_html_options *options)
{
	page p = { .out = out, .coverage = coverage, .options = options };
	bool is_done = page_init (&p);
	if (is_done) {
		sum_lines (&p);
		order_methods (&p);
		find_bodies (&p);
		find_nevers (&p);
		write_page (&p);
		is_done = !p.failed;
	}
	page_done (&p);
	return is_done ? 0 : -1;
}

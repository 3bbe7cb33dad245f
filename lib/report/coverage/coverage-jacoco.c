/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-jacoco.c - the XML that JaCoCo writes, after its report.dtd 1.1.
 *
 * Readers look for a source file at PACKAGE/SOURCEFILE, so a package is a folder of sources here, and images are not
 * shown: what would show them, a group, is taken for a folder. A class is what one has in one file, with slashes for
 * the dots of its name and a dollar before what is nested. Instructions are points. Lines do not know how often they
 * ran.
 *
 * Some readers know nested classes only by their outer one. Where that has no code in the folder, an empty one is
 * written.
 */
#include "coverage-format.h"
#include "coverage-parts.h"
#include "coverage-roots.h"
#include "xml.h"

#include <stdlib.h>
#include <string.h>

typedef enum { INSTRUCTION, BRANCH, LINE, COMPLEXITY, METHOD, CLASS, COUNTER_KINDS } counter;

static const char *const counter_names[COUNTER_KINDS] = {
	[INSTRUCTION] = "INSTRUCTION", [BRANCH] = "BRANCH", [LINE] = "LINE",
	[COMPLEXITY] = "COMPLEXITY",   [METHOD] = "METHOD", [CLASS] = "CLASS",
};

typedef struct {
	uint64_t all[COUNTER_KINDS], covered[COUNTER_KINDS];
} counters;

/* A part, with what it is sorted by. */
typedef struct {
	const char *folder, *type;
	size_t folder_length, outer_length; /* of the file's name, of the class's */
	uint32_t file, part;
} entry;

typedef struct {
	monocle__xml xml;
	const monocle__coverage *coverage;
	const monocle__coverage_roots *roots;
	const monocle__coverage_parts *parts;
	entry *entries;       /* by folder, then by class, the outer one first */
	counters *of_file;    /* by file: of the parts in it */
	uint32_t *points;     /* by line: that begin on it */
	uint32_t *points_hit; /* by line */
	char *name;           /* room for a class's */
	size_t name_size;
} writer;

/* --- counters ----------------------------------------------------------------------------------------------------- */

static void
count (counters *c, counter kind, uint64_t covered, uint64_t all)
{
	c->covered[kind] += covered;
	c->all[kind] += all;
}

static void
add (counters *to, const counters *from)
{
	for (int kind = 0; kind < COUNTER_KINDS; kind++)
		count (to, kind, from->covered[kind], from->all[kind]);
}

static void
write_counters (writer *w, const counters *c)
{
	for (int kind = 0; kind < COUNTER_KINDS; kind++) {
		if (c->all[kind] == 0)
			continue;
		monocle__xml_start (&w->xml, "counter");
		monocle__xml_string (&w->xml, "type", counter_names[kind]);
		monocle__xml_number (&w->xml, "missed", c->all[kind] - c->covered[kind]);
		monocle__xml_number (&w->xml, "covered", c->covered[kind]);
		monocle__xml_end (&w->xml);
	}
}

/* A branch has one path more for each arm after the first one, which is as well covered as the method. */
static void
count_branch (counters *c, uint64_t covered, uint64_t all)
{
	count (c, BRANCH, covered, all);
	count (c, COMPLEXITY, covered > 0 ? covered - 1 : 0, all - 1);
}

static void
count_arms (const writer *w, counters *c, uint32_t file, const monocle__coverage_body *body)
{
	const monocle__coverage_arm *arms = w->coverage->arms + body->first_arm;
	for (uint32_t i = 0; i < body->arm_count;) {
		uint64_t covered = 0, all = 0;
		uint32_t first = i;
		for (; i < body->arm_count && arms[i].il_offset == arms[first].il_offset; i++, all++)
			covered += arms[i].hits > 0;
		if (w->coverage->points[arms[first].point].file == file)
			count_branch (c, covered, all);
	}
}

static counters
count_method (const writer *w, uint32_t file, const monocle__coverage_part_method *part)
{
	const monocle__coverage_method *method = &w->coverage->methods[part->method];
	counters c = { 0 };
	bool is_hit;
	for (uint32_t i = 0; i < part->line_count; i++) {
		const monocle__coverage_own_line *own = &w->parts->own_lines[part->first_line + i];
		count (&c, INSTRUCTION, own->points_hit, own->points);
		count (&c, LINE, own->hits > 0, 1);
	}
	is_hit = c.covered[LINE] > 0;
	for (uint32_t b = 0; b < method->body_count; b++)
		count_arms (w, &c, file, &w->coverage->bodies[method->first_body + b]);
	count (&c, COMPLEXITY, is_hit, 1);
	count (&c, METHOD, is_hit, 1);
	return c;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

/* "N.Outer`1/Inner" as JaCoCo has it: "N/Outer`1$Inner". False: out of memory. */
static bool
write_class_name (writer *w, const char *type, size_t length)
{
	if (length >= w->name_size) {
		char *more = realloc (w->name, length + 1);
		if (!more)
			return false;
		w->name = more;
		w->name_size = length + 1;
	}
	for (size_t i = 0; i < length; i++)
		w->name[i] = type[i] == '.' ? '/' : type[i] == '/' ? '$' : type[i];
	monocle__xml_bytes (&w->xml, "name", w->name, length);
	return true;
}

static const char *
file_name (const writer *w, uint32_t file)
{
	const char *path = w->roots->files[file].name, *slash = strrchr (path, '/');
	return slash ? slash + 1 : path;
}

static void
write_method (writer *w, const monocle__coverage_part_method *method, const counters *c)
{
	const char *name = w->coverage->methods[method->method].name;
	size_t length;
	const char *signature = monocle__coverage_part_signature (name, &length);
	monocle__xml_start (&w->xml, "method");
	monocle__xml_bytes (&w->xml, "name", name, length);
	monocle__xml_string (&w->xml, "desc", signature);
	monocle__xml_number (&w->xml, "line", w->coverage->lines[method->line].number);
	write_counters (w, c);
	monocle__xml_end (&w->xml);
}

static bool
write_class (writer *w, const entry *e)
{
	const monocle__coverage_part *part = &w->parts->parts[e->part];
	monocle__coverage_sums sums = monocle__coverage_parts_sum (w->parts, e->part, 1).sums;
	counters c = { 0 };
	monocle__xml_start (&w->xml, "class");
	if (!write_class_name (w, e->type, strlen (e->type)))
		return false;
	monocle__xml_string (&w->xml, "sourcefilename", file_name (w, part->file));
	for (uint32_t i = 0; i < part->method_count; i++) {
		const monocle__coverage_part_method *method = &w->parts->methods[part->first_method + i];
		counters of_method = count_method (w, part->file, method);
		write_method (w, method, &of_method);
		of_method.all[BRANCH] = of_method.all[LINE] = of_method.covered[BRANCH] = of_method.covered[LINE] = 0;
		add (&c, &of_method);
	}
	count (&c, BRANCH, sums.arms_hit, sums.arms);
	count (&c, LINE, sums.lines_hit, sums.lines);
	count (&c, CLASS, sums.types_hit, 1);
	write_counters (w, &c);
	add (&w->of_file[part->file], &c);
	monocle__xml_end (&w->xml);
	return true;
}

/* --- packages ----------------------------------------------------------------------------------------------------- */

static void
write_line (writer *w, uint32_t number)
{
	const monocle__coverage_line *line = &w->coverage->lines[number];
	uint32_t points = w->points[number], hit = w->points_hit[number];
	if (points == 0) { /* a statement goes on over it */
		points = 1;
		hit = line->hits > 0;
	}
	monocle__xml_start (&w->xml, "line");
	monocle__xml_number (&w->xml, "nr", line->number);
	monocle__xml_number (&w->xml, "mi", points - hit);
	monocle__xml_number (&w->xml, "ci", hit);
	monocle__xml_number (&w->xml, "mb", line->arms - line->arms_hit);
	monocle__xml_number (&w->xml, "cb", line->arms_hit);
	monocle__xml_end (&w->xml);
}

static void
write_source_file (writer *w, uint32_t number)
{
	const monocle__coverage_file *file = &w->coverage->files[number];
	monocle__xml_start (&w->xml, "sourcefile");
	monocle__xml_string (&w->xml, "name", file_name (w, number));
	for (uint32_t i = 0; i < file->line_count; i++)
		write_line (w, file->first_line + i);
	write_counters (w, &w->of_file[number]);
	monocle__xml_end (&w->xml);
}

static int
by_file (const void *a, const void *b)
{
	const entry *x = a, *y = b;
	return x->file < y->file ? -1 : x->file > y->file;
}

static bool
is_same_outer (const entry *a, const entry *b)
{
	return a->outer_length == b->outer_length && memcmp (a->type, b->type, a->outer_length) == 0;
}

static bool
write_classes (writer *w, const entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const entry *e = &entries[i];
		if (e->type[e->outer_length] != '\0' && (i == 0 || !is_same_outer (e, e - 1))) {
			monocle__xml_start (&w->xml, "class");
			if (!write_class_name (w, e->type, e->outer_length))
				return false;
			monocle__xml_end (&w->xml);
		}
		if (!write_class (w, e))
			return false;
	}
	return true;
}

static bool
write_package (writer *w, entry *entries, size_t count, counters *all)
{
	size_t length = entries[0].folder_length;
	counters c = { 0 };
	monocle__xml_start (&w->xml, "package");
	monocle__xml_bytes (&w->xml, "name", entries[0].folder, length > 0 ? length - 1 : 0);
	if (!write_classes (w, entries, count))
		return false;
	qsort (entries, count, sizeof *entries, by_file);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && entries[i].file == entries[i - 1].file)
			continue;
		write_source_file (w, entries[i].file);
		add (&c, &w->of_file[entries[i].file]);
	}
	write_counters (w, &c);
	add (all, &c);
	monocle__xml_end (&w->xml);
	return true;
}

/* --- the report --------------------------------------------------------------------------------------------------- */

static int
compare_texts (const char *a, size_t a_length, const char *b, size_t b_length)
{
	int order = memcmp (a, b, a_length < b_length ? a_length : b_length);
	return order ? order : a_length < b_length ? -1 : a_length > b_length;
}

static int
by_folder (const void *a, const void *b)
{
	const entry *x = a, *y = b;
	int order = compare_texts (x->folder, x->folder_length, y->folder, y->folder_length);
	if (order == 0)
		order = compare_texts (x->type, x->outer_length, y->type, y->outer_length);
	if (order == 0)
		order = strcmp (x->type, y->type);
	return order ? order : x->part < y->part ? -1 : 1;
}

static bool
sort_parts (writer *w)
{
	w->entries = calloc (w->parts->count + 1, sizeof *w->entries);
	if (!w->entries)
		return false;
	for (uint32_t i = 0; i < w->parts->count; i++) {
		const monocle__coverage_part *part = &w->parts->parts[i];
		const char *folder = w->roots->files[part->file].name, *slash = strrchr (folder, '/');
		const char *type = w->coverage->types[part->type].full;
		w->entries[i] =
		    (entry) { folder, type, slash ? (size_t) (slash - folder) + 1 : 0, strcspn (type, "/"), part->file, i };
	}
	qsort (w->entries, w->parts->count, sizeof *w->entries, by_folder);
	return true;
}

static bool
count_points (writer *w)
{
	size_t lines = w->coverage->line_count;
	w->of_file = calloc (w->coverage->file_count + 1, sizeof *w->of_file);
	w->points = calloc (lines + 1, sizeof *w->points);
	w->points_hit = calloc (lines + 1, sizeof *w->points_hit);
	if (!w->of_file || !w->points || !w->points_hit)
		return false;
	for (size_t i = 0; i < w->parts->own_line_count; i++) {
		const monocle__coverage_own_line *own = &w->parts->own_lines[i];
		w->points[own->line] += own->points;
		w->points_hit[own->line] += own->points_hit;
	}
	return true;
}

static void
write_session (writer *w)
{
	monocle__xml_start (&w->xml, "sessioninfo");
	monocle__xml_string (&w->xml, "id", "monocle " MONOCLE_VERSION);
	monocle__xml_number (&w->xml, "start", w->coverage->begun_ns / 1000000);
	monocle__xml_number (&w->xml, "dump", w->coverage->ended_ns / 1000000);
	monocle__xml_end (&w->xml);
}

static bool
write_report (writer *w, const char *title)
{
	counters all = { 0 };
	size_t count;
	monocle__xml_start (&w->xml, "report");
	monocle__xml_string (&w->xml, "name", title);
	write_session (w);
	for (size_t first = 0; first < w->parts->count; first += count) {
		const entry *e = &w->entries[first];
		for (count = 1; first + count < w->parts->count; count++) {
			const entry *other = &w->entries[first + count];
			if (compare_texts (e->folder, e->folder_length, other->folder, other->folder_length) != 0)
				break;
		}
		if (!write_package (w, &w->entries[first], count, &all))
			return false;
	}
	write_counters (w, &all);
	monocle__xml_end (&w->xml);
	return true;
}

int
monocle__coverage_jacoco_convert (FILE *out, const monocle__coverage *coverage,
                                  const monocle__coverage_convert_options *options)
{
	monocle__coverage_roots *roots = monocle__coverage_roots_new (coverage, options->source_root);
	monocle__coverage_parts *parts = monocle__coverage_parts_new (coverage);
	writer w = { .coverage = coverage, .roots = roots, .parts = parts };
	int result = -1;
	if (roots && parts && sort_parts (&w) && count_points (&w)) {
		w.xml = monocle__xml_begin (out);
		result = write_report (&w, options->title) ? 0 : -1;
	}
	free (w.entries);
	free (w.of_file);
	free (w.points);
	free (w.points_hit);
	free (w.name);
	monocle__coverage_parts_free (parts);
	monocle__coverage_roots_free (roots);
	return result;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-cobertura.c - the XML that Cobertura writes, after its DTD coverage-04.
 *
 * A package is an image, a class what one has in one file. The lines of a class are all of it: each line of a file is
 * in one class only, so that readers which add up do not count it twice. A method has those of its lines that its class
 * has, with the hits of its own points. Nested classes keep the slash, at which readers fold them into the outer one.
 */
#include "coverage-format.h"
#include "coverage-parts.h"
#include "coverage-roots.h"
#include "xml.h"

#include <inttypes.h>

typedef struct {
	monocle__xml xml;
	const monocle__coverage *coverage;
	const monocle__coverage_roots *roots;
	const monocle__coverage_parts *parts;
} writer;

/* --- lines -------------------------------------------------------------------------------------------------------- */

static unsigned
percent (uint64_t covered, uint64_t total)
{
	return (unsigned) (covered * 100 / total);
}

/* A line's arms are in the order of branches; those of one have its place. */
static uint32_t
count_arms (const writer *w, const monocle__coverage_line *line, uint32_t first, uint32_t *ret_hit)
{
	const uint32_t *indexes = w->coverage->line_arms + line->first_branch_of_line;
	const monocle__coverage_arm *arms = w->coverage->arms, *branch = &arms[indexes[first]];
	uint32_t i = first;
	*ret_hit = 0;
	for (; i < line->arms; i++) {
		const monocle__coverage_arm *arm = &arms[indexes[i]];
		if (arm->branch != branch->branch)
			break;
		*ret_hit += arm->hits > 0;
	}
	return i - first;
}

static void
write_conditions (writer *w, const monocle__coverage_line *line)
{
	const uint32_t *indexes = w->coverage->line_arms + line->first_branch_of_line;
	uint32_t number = 0, count, hit;
	char text[16];
	monocle__xml_start (&w->xml, "conditions");
	for (uint32_t i = 0; i < line->arms; i += count) {
		count = count_arms (w, line, i, &hit);
		snprintf (text, sizeof text, "%u%%", percent (hit, count));
		monocle__xml_start (&w->xml, "condition");
		monocle__xml_number (&w->xml, "number", number++);
		monocle__xml_string (&w->xml, "type", w->coverage->arms[indexes[i]].of_switch ? "switch" : "jump");
		monocle__xml_string (&w->xml, "coverage", text);
		monocle__xml_end (&w->xml);
	}
	monocle__xml_end (&w->xml);
}

static void
write_share (writer *w, uint32_t covered, uint32_t total)
{
	char text[64];
	snprintf (text, sizeof text, "%u%% (%" PRIu32 "/%" PRIu32 ")", percent (covered, total), covered, total);
	monocle__xml_string (&w->xml, "condition-coverage", text);
}

/*
 * A line without branches that ran in part has a share of its statements. It is not called a branch, so that readers do
 * not add it to those.
 */
static void
write_line (writer *w, const monocle__coverage_line *line, uint64_t hits)
{
	monocle__xml_start (&w->xml, "line");
	monocle__xml_number (&w->xml, "number", line->number);
	monocle__xml_number (&w->xml, "hits", monocle__coverage_format_hits (hits));
	monocle__xml_string (&w->xml, "branch", line->arms > 0 ? "true" : "false");
	if (line->arms > 0) {
		write_share (w, line->arms_hit, line->arms);
		write_conditions (w, line);
	} else if (hits > 0 && line->statements_hit < line->statements) {
		write_share (w, line->statements_hit, line->statements);
	}
	monocle__xml_end (&w->xml);
}

/* --- methods, classes, packages ----------------------------------------------------------------------------------- */

/* Of four digits, rounded down, so that 1.0000 means all. */
static void
write_rate (writer *w, const char *name, uint64_t covered, uint64_t total)
{
	monocle__xml_decimal (&w->xml, name, total ? covered * 10000 / total : 10000, 4);
}

static void
write_rates (writer *w, const monocle__coverage_sums *sums, uint64_t complexity)
{
	write_rate (w, "line-rate", sums->lines_hit, sums->lines);
	write_rate (w, "branch-rate", sums->arms_hit, sums->arms);
	monocle__xml_number (&w->xml, "complexity", complexity);
}

static const monocle__coverage_own_line *
next_line (const writer *w, uint32_t type, const monocle__coverage_part_method *method, uint32_t *i)
{
	for (; *i < method->line_count; (*i)++) {
		const monocle__coverage_own_line *own = &w->parts->own_lines[method->first_line + *i];
		if (monocle__coverage_parts_owns (w->parts, type, own->line)) {
			(*i)++;
			return own;
		}
	}
	return NULL;
}

static void
write_method (writer *w, uint32_t type, const monocle__coverage_part_method *method)
{
	const char *name = w->coverage->methods[method->method].name;
	const monocle__coverage_own_line *own;
	monocle__coverage_sums sums = { 0 };
	size_t name_length;
	const char *signature = monocle__coverage_part_signature (name, &name_length);
	for (uint32_t i = 0; (own = next_line (w, type, method, &i));) {
		sums.lines++;
		sums.lines_hit += own->hits > 0;
		sums.arms += w->coverage->lines[own->line].arms;
		sums.arms_hit += w->coverage->lines[own->line].arms_hit;
	}
	monocle__xml_start (&w->xml, "method");
	monocle__xml_bytes (&w->xml, "name", name, name_length);
	monocle__xml_string (&w->xml, "signature", signature);
	write_rates (w, &sums, w->parts->complexity[method->method]);
	monocle__xml_start (&w->xml, "lines");
	for (uint32_t i = 0; (own = next_line (w, type, method, &i));)
		write_line (w, &w->coverage->lines[own->line], own->hits);
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
}

static void
write_class (writer *w, size_t number)
{
	const monocle__coverage_part *part = &w->parts->parts[number];
	monocle__coverage_part_sums sums = monocle__coverage_parts_sum (w->parts, number, 1);
	monocle__xml_start (&w->xml, "class");
	monocle__xml_string (&w->xml, "name", w->coverage->types[part->type].full);
	monocle__xml_string (&w->xml, "filename", w->roots->files[part->file].name);
	write_rates (w, &sums.sums, sums.complexity);
	monocle__xml_start (&w->xml, "methods");
	for (uint32_t i = 0; i < part->method_count; i++)
		write_method (w, part->type, &w->parts->methods[part->first_method + i]);
	monocle__xml_end (&w->xml);
	monocle__xml_start (&w->xml, "lines");
	for (uint32_t i = 0; i < part->line_count; i++) {
		const monocle__coverage_line *line = &w->coverage->lines[w->parts->lines[part->first_line + i]];
		write_line (w, line, line->hits);
	}
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
}

/* The parts of an image, which begin at `first`. How many there are. */
static size_t
write_package (writer *w, size_t first)
{
	uint32_t image = w->coverage->types[w->parts->parts[first].type].image;
	monocle__coverage_part_sums sums;
	size_t count = 1;
	while (first + count < w->parts->count && w->coverage->types[w->parts->parts[first + count].type].image == image)
		count++;
	sums = monocle__coverage_parts_sum (w->parts, first, count);
	monocle__xml_start (&w->xml, "package");
	monocle__xml_string (&w->xml, "name", w->coverage->images[image].name);
	write_rates (w, &sums.sums, sums.complexity);
	monocle__xml_start (&w->xml, "classes");
	for (size_t i = 0; i < count; i++)
		write_class (w, first + i);
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
	return count;
}

static void
write_report (writer *w)
{
	monocle__coverage_part_sums all = monocle__coverage_parts_sum (w->parts, 0, w->parts->count);
	uint64_t time = w->coverage->ended_ns ? w->coverage->ended_ns : w->coverage->begun_ns;
	monocle__xml_start (&w->xml, "coverage");
	/* A file in which nothing is has not all of it covered, whatever reads the rate only. */
	write_rate (w, "line-rate", all.sums.lines_hit, all.sums.lines ? all.sums.lines : 1);
	write_rate (w, "branch-rate", all.sums.arms_hit, all.sums.lines ? all.sums.arms : 1);
	monocle__xml_number (&w->xml, "complexity", all.complexity);
	monocle__xml_number (&w->xml, "lines-covered", all.sums.lines_hit);
	monocle__xml_number (&w->xml, "lines-valid", all.sums.lines);
	monocle__xml_number (&w->xml, "branches-covered", all.sums.arms_hit);
	monocle__xml_number (&w->xml, "branches-valid", all.sums.arms);
	monocle__xml_string (&w->xml, "version", "monocle " MONOCLE_VERSION);
	monocle__xml_number (&w->xml, "timestamp", time / 1000000000);
	monocle__xml_start (&w->xml, "sources");
	for (size_t i = 0; i < w->roots->folder_count; i++)
		monocle__xml_leaf (&w->xml, "source", w->roots->folders[i]);
	monocle__xml_end (&w->xml);
	monocle__xml_start (&w->xml, "packages");
	for (size_t first = 0; first < w->parts->count;)
		first += write_package (w, first);
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
}

int
monocle__coverage_cobertura_convert (FILE *out, const monocle__coverage *coverage,
                                     const monocle__coverage_convert_options *options)
{
	monocle__coverage_roots *roots = monocle__coverage_roots_new (coverage, options->source_root);
	monocle__coverage_parts *parts = monocle__coverage_parts_new (coverage);
	writer w = { .coverage = coverage, .roots = roots, .parts = parts };
	int result = roots && parts ? 0 : -1;
	if (result == 0) {
		w.xml = monocle__xml_begin (out);
		write_report (&w);
	}
	monocle__coverage_parts_free (parts);
	monocle__coverage_roots_free (roots);
	return result;
}

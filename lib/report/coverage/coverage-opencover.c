/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-opencover.c - the XML that OpenCover writes: all that a coverage has, by IL offset.
 *
 * A module is an image, a method a body of the metadata, so that offsets mean what they say: an async method and each
 * lambda are methods of their own, in the class that a person wrote. MoveNext has the name of the method that it is the
 * body of. Sums count points and arms, not lines.
 */
#include "coverage-format.h"
#include "coverage-parts.h"
#include "coverage-roots.h"
#include "cover-file.h"
#include "xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	uint64_t points, points_hit, arms, arms_hit, methods, methods_hit, types, types_hit;
	uint64_t complexity, complexity_least; /* the most and the least of a method; the least is 0 when there is none */
	uint64_t crap, crap_least;             /* of hundredths */
} summary;

typedef struct {
	monocle__xml xml;
	const monocle__coverage *coverage;
	const monocle__coverage_roots *roots;
	summary *bodies, *types, *images; /* by their index */
	summary all;
	uint32_t *uids;     /* by file: what it is called in the image that is written */
	uint32_t *image_of; /* by file: the last image that it was given a uid for, and 1; 0: none */
	uint32_t last_uid, last_point;
} writer;

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* In hundredths of a percent, rounded down. */
static uint64_t
percent (uint64_t covered, uint64_t total)
{
	return total ? covered * 10000 / total : 10000;
}

/* c^2 * (1 - covered)^3 + c, of hundredths. */
static uint64_t
crap_score (uint64_t complexity, uint64_t covered, uint64_t total)
{
	double c = (double) complexity, left = total ? 1 - (double) covered / (double) total : 0;
	return (uint64_t) ((c * c * left * left * left + c) * 100 + 0.5);
}

static summary
sum_body (const monocle__coverage *c, const monocle__coverage_body *body)
{
	const monocle__coverage_arm *arms = c->arms + body->first_arm;
	summary s = { .points = body->point_count, .arms = body->arm_count, .methods = 1, .complexity = 1 };
	for (uint32_t i = 0; i < body->point_count; i++)
		s.points_hit += c->points[body->first_point + i].hits > 0;
	for (uint32_t i = 0; i < body->arm_count; i++) {
		s.arms_hit += arms[i].hits > 0;
		s.complexity += i > 0 && arms[i].il_offset == arms[i - 1].il_offset;
	}
	s.methods_hit = s.points_hit > 0;
	s.complexity_least = s.complexity;
	s.crap = s.crap_least = crap_score (s.complexity, s.points_hit, s.points);
	return s;
}

static void
add_range (uint64_t *most, uint64_t *least, uint64_t other_most, uint64_t other_least)
{
	*most = other_most > *most ? other_most : *most;
	*least = *least == 0 || (other_least != 0 && other_least < *least) ? other_least : *least;
}

static void
add (summary *to, const summary *from)
{
	to->points += from->points;
	to->points_hit += from->points_hit;
	to->arms += from->arms;
	to->arms_hit += from->arms_hit;
	to->methods += from->methods;
	to->methods_hit += from->methods_hit;
	to->types += from->types;
	to->types_hit += from->types_hit;
	add_range (&to->complexity, &to->complexity_least, from->complexity, from->complexity_least);
	add_range (&to->crap, &to->crap_least, from->crap, from->crap_least);
}

static void
sum_all (writer *w)
{
	const monocle__coverage *c = w->coverage;
	for (size_t i = 0; i < c->body_count; i++) {
		w->bodies[i] = sum_body (c, &c->bodies[i]);
		add (&w->types[c->methods[c->bodies[i].method].type], &w->bodies[i]);
	}
	for (size_t i = 0; i < c->type_count; i++) {
		w->types[i].types = 1;
		w->types[i].types_hit = w->types[i].methods_hit > 0;
		add (&w->images[c->types[i].image], &w->types[i]);
	}
	for (size_t i = 0; i < c->image_count; i++)
		add (&w->all, &w->images[i]);
}

static void
write_summary (writer *w, const summary *s)
{
	monocle__xml_start (&w->xml, "Summary");
	monocle__xml_number (&w->xml, "numSequencePoints", s->points);
	monocle__xml_number (&w->xml, "visitedSequencePoints", s->points_hit);
	monocle__xml_number (&w->xml, "numBranchPoints", s->arms);
	monocle__xml_number (&w->xml, "visitedBranchPoints", s->arms_hit);
	monocle__xml_decimal (&w->xml, "sequenceCoverage", percent (s->points_hit, s->points), 2);
	monocle__xml_decimal (&w->xml, "branchCoverage", percent (s->arms_hit, s->arms), 2);
	monocle__xml_number (&w->xml, "maxCyclomaticComplexity", s->complexity);
	monocle__xml_number (&w->xml, "minCyclomaticComplexity", s->complexity_least);
	monocle__xml_decimal (&w->xml, "maxCrapScore", s->crap, 2);
	monocle__xml_decimal (&w->xml, "minCrapScore", s->crap_least, 2);
	monocle__xml_number (&w->xml, "visitedClasses", s->types_hit);
	monocle__xml_number (&w->xml, "numClasses", s->types);
	monocle__xml_number (&w->xml, "visitedMethods", s->methods_hit);
	monocle__xml_number (&w->xml, "numMethods", s->methods);
	monocle__xml_end (&w->xml);
}

/* --- points ------------------------------------------------------------------------------------------------------- */

/* Arms come in the order of their points: those of the point begin at *next, which is moved behind them. */
static void
write_exits (writer *w, const monocle__coverage_body *body, uint32_t point, uint32_t *next)
{
	uint32_t exits = 0, visited = 0;
	for (; *next < body->arm_count; (*next)++) {
		const monocle__coverage_arm *arm = &w->coverage->arms[body->first_arm + *next];
		if (arm->point > point)
			break;
		exits += arm->point == point;
		visited += arm->point == point && arm->hits > 0;
	}
	monocle__xml_number (&w->xml, "bec", exits);
	monocle__xml_number (&w->xml, "bev", visited);
}

static void
write_point (writer *w, const char *name, const monocle__coverage_body *body, uint32_t number, uint32_t *next_arm)
{
	const monocle__coverage_point *p = &w->coverage->points[body->first_point + number];
	bool is_method = next_arm == NULL;
	uint32_t all_arms = 0;
	monocle__xml_start (&w->xml, name);
	if (is_method)
		monocle__xml_string (&w->xml, "xsi:type", "SequencePoint");
	monocle__xml_number (&w->xml, "vc", monocle__coverage_format_hits (p->hits));
	monocle__xml_number (&w->xml, "uspid", ++w->last_point);
	monocle__xml_number (&w->xml, "ordinal", number);
	monocle__xml_number (&w->xml, "offset", p->il_offset);
	monocle__xml_number (&w->xml, "sl", p->start_line);
	monocle__xml_number (&w->xml, "sc", p->start_column);
	monocle__xml_number (&w->xml, "el", p->end_line ? p->end_line : p->start_line);
	monocle__xml_number (&w->xml, "ec", p->end_column);
	write_exits (w, body, body->first_point + number, is_method ? &all_arms : next_arm);
	monocle__xml_number (&w->xml, "fileid", w->uids[p->file]);
	monocle__xml_end (&w->xml);
}

static void
write_arm (writer *w, const monocle__coverage_body *body, uint32_t number)
{
	const monocle__coverage_arm *arm = &w->coverage->arms[body->first_arm + number];
	const monocle__coverage_point *point = &w->coverage->points[arm->point];
	monocle__xml_start (&w->xml, "BranchPoint");
	monocle__xml_number (&w->xml, "vc", monocle__coverage_format_hits (arm->hits));
	monocle__xml_number (&w->xml, "uspid", ++w->last_point);
	monocle__xml_number (&w->xml, "ordinal", number);
	monocle__xml_number (&w->xml, "offset", arm->il_offset);
	monocle__xml_number (&w->xml, "sl", point->start_line);
	monocle__xml_number (&w->xml, "path", arm->path);
	monocle__xml_number (&w->xml, "offsetend", arm->target_offset);
	monocle__xml_number (&w->xml, "fileid", w->uids[point->file]);
	monocle__xml_end (&w->xml);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void
write_flag (writer *w, const char *name, bool is_set)
{
	monocle__xml_string (&w->xml, name, is_set ? "true" : "false");
}

/* How many ways lead through the body, as if every one could be combined with every other. */
static uint64_t
count_ways (const writer *w, const monocle__coverage_body *body)
{
	const monocle__coverage_arm *arms = w->coverage->arms + body->first_arm;
	uint64_t ways = 1;
	for (uint32_t i = 0, count; i < body->arm_count; i += count) {
		for (count = 1; i + count < body->arm_count && arms[i + count].il_offset == arms[i].il_offset;)
			count++;
		ways = monocle__coverage_format_hits (ways * count);
	}
	return ways;
}

static void
write_attributes (writer *w, const monocle__coverage_body *body, const summary *s)
{
	const monocle__coverage_method *method = &w->coverage->methods[body->method];
	uint32_t flags = body->token == method->token ? method->flags : method->flags & MONOCLE__COVER_STATIC;
	write_flag (w, "visited", s->points_hit > 0);
	monocle__xml_number (&w->xml, "cyclomaticComplexity", s->complexity);
	monocle__xml_number (&w->xml, "nPathComplexity", count_ways (w, body));
	monocle__xml_decimal (&w->xml, "sequenceCoverage", percent (s->points_hit, s->points), 2);
	monocle__xml_decimal (&w->xml, "branchCoverage", percent (s->arms_hit, s->arms), 2);
	monocle__xml_decimal (&w->xml, "crapScore", s->crap, 2);
	write_flag (w, "isConstructor", flags & MONOCLE__COVER_CONSTRUCTOR);
	write_flag (w, "isStatic", flags & MONOCLE__COVER_STATIC);
	write_flag (w, "isGetter", flags & MONOCLE__COVER_GETTER);
	write_flag (w, "isSetter", flags & MONOCLE__COVER_SETTER);
}

static void
write_name (writer *w, const monocle__coverage_body *body)
{
	const monocle__coverage_method *method = &w->coverage->methods[body->method];
	bool is_move_next = strcmp (body->name, "MoveNext ()") == 0;
	const char *name = is_move_next ? method->name : body->name;
	size_t length;
	const char *signature = monocle__coverage_part_signature (name, &length);
	const char *type = w->coverage->types[method->type].full;
	monocle__xml_start (&w->xml, "Name");
	monocle__xml_text (&w->xml, type, strlen (type));
	monocle__xml_text (&w->xml, "::", 2);
	monocle__xml_text (&w->xml, name, length);
	monocle__xml_text (&w->xml, *signature ? signature : "()", *signature ? strlen (signature) : 2);
	monocle__xml_end (&w->xml);
}

static void
write_token (writer *w, uint32_t token)
{
	char text[16];
	snprintf (text, sizeof text, "%" PRIu32, token);
	monocle__xml_leaf (&w->xml, "MetadataToken", text);
}

static void
write_method (writer *w, uint32_t number)
{
	const monocle__coverage_body *body = &w->coverage->bodies[number];
	uint32_t next_arm = 0;
	monocle__xml_start (&w->xml, "Method");
	write_attributes (w, body, &w->bodies[number]);
	write_summary (w, &w->bodies[number]);
	write_token (w, body->token);
	write_name (w, body);
	if (body->point_count > 0) {
		monocle__xml_start (&w->xml, "FileRef");
		monocle__xml_number (&w->xml, "uid", w->uids[w->coverage->points[body->first_point].file]);
		monocle__xml_end (&w->xml);
	}
	monocle__xml_start (&w->xml, "SequencePoints");
	for (uint32_t i = 0; i < body->point_count; i++)
		write_point (w, "SequencePoint", body, i, &next_arm);
	monocle__xml_end (&w->xml);
	monocle__xml_start (&w->xml, "BranchPoints");
	for (uint32_t i = 0; i < body->arm_count; i++)
		write_arm (w, body, i);
	monocle__xml_end (&w->xml);
	if (body->point_count > 0)
		write_point (w, "MethodPoint", body, 0, NULL);
	monocle__xml_end (&w->xml);
}

/* --- classes and modules ------------------------------------------------------------------------------------------ */

static void
write_class (writer *w, uint32_t number)
{
	const monocle__coverage_type *type = &w->coverage->types[number];
	monocle__xml_start (&w->xml, "Class");
	write_summary (w, &w->types[number]);
	monocle__xml_leaf (&w->xml, "FullName", type->full);
	monocle__xml_start (&w->xml, "Methods");
	for (uint32_t m = 0; m < type->method_count; m++) {
		const monocle__coverage_method *method = &w->coverage->methods[type->first_method + m];
		for (uint32_t b = 0; b < method->body_count; b++)
			write_method (w, method->first_body + b);
	}
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
}

static void
write_file (writer *w, uint32_t image, uint32_t file)
{
	if (w->image_of[file] == image + 1)
		return;
	w->image_of[file] = image + 1;
	w->uids[file] = ++w->last_uid;
	monocle__xml_start (&w->xml, "File");
	monocle__xml_number (&w->xml, "uid", w->uids[file]);
	monocle__xml_string (&w->xml, "fullPath", monocle__coverage_roots_short (w->roots, file));
	monocle__xml_end (&w->xml);
}

static void
write_files_of_method (writer *w, uint32_t image, const monocle__coverage_method *method)
{
	for (uint32_t b = 0; b < method->body_count; b++) {
		const monocle__coverage_body *body = &w->coverage->bodies[method->first_body + b];
		for (uint32_t p = 0; p < body->point_count; p++)
			write_file (w, image, w->coverage->points[body->first_point + p].file);
	}
}

static void
write_files (writer *w, uint32_t number)
{
	const monocle__coverage_image *image = &w->coverage->images[number];
	monocle__xml_start (&w->xml, "Files");
	for (uint32_t t = 0; t < image->type_count; t++) {
		const monocle__coverage_type *type = &w->coverage->types[image->first_type + t];
		for (uint32_t m = 0; m < type->method_count; m++)
			write_files_of_method (w, number, &w->coverage->methods[type->first_method + m]);
	}
	monocle__xml_end (&w->xml);
}

/* OpenCover has a hash of the module's file. The MVID names the same. */
static void
write_hash (writer *w, const uint8_t mvid[16])
{
	char text[33];
	for (size_t i = 0; i < 16; i++)
		snprintf (text + 2 * i, 3, "%02X", mvid[i]);
	monocle__xml_string (&w->xml, "hash", text);
}

static void
write_module (writer *w, uint32_t number)
{
	const monocle__coverage_image *image = &w->coverage->images[number];
	monocle__xml_start (&w->xml, "Module");
	write_hash (w, image->mvid);
	write_summary (w, &w->images[number]);
	monocle__xml_leaf (&w->xml, "ModulePath", image->path);
	monocle__xml_leaf (&w->xml, "ModuleName", image->name);
	write_files (w, number);
	monocle__xml_start (&w->xml, "Classes");
	for (uint32_t t = 0; t < image->type_count; t++)
		write_class (w, image->first_type + t);
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
}

static void
write_session (writer *w)
{
	monocle__xml_start (&w->xml, "CoverageSession");
	monocle__xml_string (&w->xml, "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
	write_summary (w, &w->all);
	monocle__xml_start (&w->xml, "Modules");
	for (uint32_t i = 0; i < w->coverage->image_count; i++)
		write_module (w, i);
	monocle__xml_end (&w->xml);
	monocle__xml_end (&w->xml);
}

int
monocle__coverage_opencover_convert (FILE *out, const monocle__coverage *coverage,
                                     const monocle__coverage_convert_options *options)
{
	monocle__coverage_roots *roots = monocle__coverage_roots_new (coverage, options->source_root);
	writer w = { .coverage = coverage, .roots = roots };
	int result = -1;
	w.bodies = calloc (coverage->body_count + 1, sizeof *w.bodies);
	w.types = calloc (coverage->type_count + 1, sizeof *w.types);
	w.images = calloc (coverage->image_count + 1, sizeof *w.images);
	w.uids = calloc (coverage->file_count + 1, sizeof *w.uids);
	w.image_of = calloc (coverage->file_count + 1, sizeof *w.image_of);
	if (roots && w.bodies && w.types && w.images && w.uids && w.image_of) {
		sum_all (&w);
		w.xml = monocle__xml_begin (out);
		write_session (&w);
		result = 0;
	}
	free (w.bodies);
	free (w.types);
	free (w.images);
	free (w.uids);
	free (w.image_of);
	monocle__coverage_roots_free (roots);
	return result;
}

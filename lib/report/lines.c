/*
 * SPDX-License-Identifier: MIT
 *
 * lines.c - see lines.h. The paths of images and their symbols come from the profile, which anybody may have made: only
 * regular files are read, and an image counts only when its MVID is the one that ran.
 */
#include "lines.h"

#include "array.h"
#include "il-stack.h"
#include "il.h"
#include "origin-fields.h"
#include "symbol-file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An image, looked for once. */
typedef struct {
	const char *path, *build_id;
	uint8_t *data;
	monocle__ecma_image metadata;
	monocle__symbol_file symbols; /* of no kind: nothing can be asked of the image */
} image;

typedef struct {
	monocle__profile *profile;
	monocle__lines_say *say;
	image *images;
	size_t image_count, image_capacity;
	size_t found;
	bool failed; /* out of memory */
} finder;

/* --- images ------------------------------------------------------------------------------------------------------- */

static bool
is_build (const monocle__ecma_image *metadata, const char *build_id)
{
	char mvid[37];
	if (monocle__ecma_mvid (metadata, mvid))
		return false;
	for (const char *at = mvid; *at; at++) {
		if (*at != '-' && tolower ((unsigned char) *at) != *build_id++)
			return false;
	}
	return !*build_id;
}

static void
complain (const finder *f, const image *of, const char *why)
{
	char text[MONOCLE__SYMBOL_COMPLAINT + 4096];
	snprintf (text, sizeof text, "no source lines of %s: %s", of->path, why);
	if (f->say)
		f->say (text);
}

/* Nothing is said of what is not there: profiles travel, and most libraries come without symbols. */
static void
open_symbols (const finder *f, image *made)
{
	char complaint[MONOCLE__SYMBOL_COMPLAINT];
	const char *reason;
	size_t size;
	if (!monocle__symbol_file_is_likely (made->path))
		return;
	made->data = monocle__symbol_file_read (made->path, &size, &reason);
	if (!made->data)
		return;
	if (monocle__ecma_open_pe (&made->metadata, made->data, size, false))
		made->symbols.kind = MONOCLE__SYMBOLS_NONE; /* it is no image */
	else if (!is_build (&made->metadata, made->build_id))
		complain (f, made, "the file is of another build than the one that ran");
	else if (!monocle__symbol_file_find (&made->symbols, &made->metadata, made->path, complaint) && *complaint)
		complain (f, made, complaint);
	if (made->symbols.kind == MONOCLE__SYMBOLS_NONE) {
		free (made->data); /* one file may be named many times */
		made->data = NULL;
	}
}

/* NULL: out of memory. */
static const image *
find_image (finder *f, const char *path, const char *build_id)
{
	for (size_t i = f->image_count; i > 0; i--) {
		if (strcmp (f->images[i - 1].path, path) == 0 && strcmp (f->images[i - 1].build_id, build_id) == 0)
			return &f->images[i - 1];
	}
	if (!MONOCLE__RESERVE (f->images, f->image_capacity, f->image_count + 1))
		return NULL;
	image *made = &f->images[f->image_count++];
	*made = (image) { .path = path, .build_id = build_id };
	open_symbols (f, made);
	return made;
}

/* --- what they say ------------------------------------------------------------------------------------------------ */

/* The first point of a method that a person wrote. */
static bool
find_start (const monocle__symbol_file *symbols, uint32_t token, monocle__source_point *ret)
{
	monocle__symbol_points points;
	if (monocle__symbol_file_points (symbols, token, &points))
		return false;
	while (monocle__symbol_file_next (&points, ret) > 0) {
		if (!ret->hidden && ret->start_line && ret->document)
			return true;
	}
	return false;
}

static void
find_function (finder *f, monocle__function *function, const monocle__symbol_file *symbols, uint32_t token)
{
	monocle__source_point start;
	char *name = find_start (symbols, token, &start) ? monocle__symbol_file_document (symbols, start.document) : NULL;
	if (!name || !*name) {
		free (name);
		return;
	}
	function->source = monocle__profile_text (f->profile, name, strlen (name));
	function->line = start.start_line;
	f->failed = f->failed || !function->source;
	f->found++;
	free (name);
}

/* A function has one source in a profile: a line of another one would be looked up in the wrong text. */
static bool
is_in_source (const monocle__symbol_file *symbols, uint32_t document, const char *source)
{
	char *name = monocle__symbol_file_document (symbols, document);
	bool is_same = name && strcmp (name, source) == 0;
	free (name);
	return is_same;
}

/* The index of the instruction at an offset; body->count: there is none. */
static uint32_t
instruction_at (const monocle__il_body *body, uint32_t offset)
{
	uint32_t low = 0, high = body->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (body->code[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < body->count && body->code[low].offset == offset ? low : body->count;
}

/* Does another line begin behind the offset before one does that the compiler's map of the code can have? */
static bool
is_followed (const monocle__symbol_file *symbols, const monocle__il_body *body, const bool *empty, uint32_t token,
             uint32_t offset, uint32_t line)
{
	monocle__symbol_points points;
	monocle__source_point point;
	if (monocle__symbol_file_points (symbols, token, &points))
		return false;
	while (monocle__symbol_file_next (&points, &point) > 0) {
		uint32_t index = point.il_offset > offset ? instruction_at (body, point.il_offset) : body->count;
		if (index == body->count)
			continue;
		if (empty[index])
			return false;
		if (!point.hidden && point.start_line && point.start_line != line)
			return true;
	}
	return false;
}

/*
 * CoreCLR's maps of code know statements by where the evaluation stack is empty. C# compilers that optimise let
 * statements begin with values on the stack: what is counted to the one before them may be theirs.
 */
static bool
is_ambiguous (const image *of, uint32_t token, uint32_t offset, uint32_t line)
{
	monocle__ecma_methoddef method;
	monocle__il_body body;
	size_t size;
	if (monocle__ecma_get_methoddef (&of->metadata, token, &method) || !method.rva)
		return true;
	const uint8_t *bytes = monocle__ecma_rva (&of->metadata, method.rva, &size);
	if (!bytes || monocle__il_read (&body, bytes, size, NULL))
		return true;
	bool *empty = calloc (body.count + 1u, sizeof *empty), result = true;
	if (empty && monocle__il_stack_empty (&of->metadata, &body, empty) == 0)
		result = is_followed (&of->symbols, &body, empty, token, offset, line);
	free (empty);
	monocle__il_free (&body);
	return result;
}

static void
find_line (finder *f, monocle__place *place, const monocle__function *function, const image *of)
{
	monocle__source_location at;
	uint32_t token = monocle__origin_token (place->address), offset = monocle__origin_il_offset (place->address);
	if (!function->source || !monocle__origin_has_offset (place->address) ||
	    monocle__symbol_file_locate (&of->symbols, token, offset, &at) || !at.line ||
	    !is_in_source (&of->symbols, at.document, function->source) ||
	    (!monocle__origin_is_exact (place->address) && is_ambiguous (of, token, offset, at.line)))
		return;
	place->line = at.line;
	f->found++;
}

static void
find_place (finder *f, monocle__place *place, monocle__function *function)
{
	if (!place->build_id || !function->image || (place->line && function->source))
		return;
	const image *of = find_image (f, function->image, place->build_id);
	f->failed = f->failed || !of;
	if (!of || of->symbols.kind == MONOCLE__SYMBOLS_NONE)
		return;
	if (!function->source)
		find_function (f, function, &of->symbols, monocle__origin_token (place->address));
	if (!place->line)
		find_line (f, place, function, of);
}

size_t
monocle__lines_find (monocle__profile *profile, monocle__lines_say *say)
{
	finder f = { .profile = profile, .say = say };
	uint8_t *seen = calloc (profile->place_count + 1, 1);
	f.failed = !seen;
	for (size_t frame = 0; !f.failed && frame < profile->frame_place_count; frame++) {
		uint32_t place = profile->frame_places[frame];
		if (!place || seen[place])
			continue;
		seen[place] = 1;
		find_place (&f, &profile->places[place], &profile->functions[profile->frames[frame]]);
	}
	for (size_t i = 0; i < f.image_count; i++) {
		monocle__symbol_file_done (&f.images[i].symbols);
		free (f.images[i].data);
	}
	free (f.images);
	free (seen);
	return f.failed ? SIZE_MAX : f.found;
}

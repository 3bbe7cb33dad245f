/*
 * SPDX-License-Identifier: MIT
 *
 * line-view.c - see line-view.h. Places of one line are one function: they have the same name and "file".
 */
#include "line-view.h"

#include "array.h"
#include "path.h"
#include "profile-copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_YET = UINT32_MAX };

typedef struct {
	monocle__profile_copy copy;
	bool for_people;
	uint32_t *lines;   /* by place: its function in the copy, or NOT_YET */
	uint32_t *methods; /* by function: the same for frames without a line */
	uint32_t *stack;
	size_t stack_capacity;
} viewer;

bool
monocle__line_view_is_possible (const monocle__profile *profile)
{
	for (size_t i = 1; i < profile->place_count; i++) {
		if (profile->places[i].line)
			return true;
	}
	return false;
}

static const char *
text (viewer *v, const char *from)
{
	return from ? monocle__profile_text (v->copy.to, from, strlen (from)) : NULL;
}

/* The file's name is what people read; symbols may be of a system whose paths have backslashes. */
static const char *
base_name (const char *path)
{
	const char *backslash = strrchr (path, '\\');
	return strchr (path, '/') ? monocle__path_base_name (path) : backslash ? backslash + 1 : path;
}

static char *
print_name (const viewer *v, const monocle__function *function, int64_t line)
{
	char *name = NULL;
	int length = v->for_people && line
	               ? asprintf (&name, "%s:%" PRId64 "  %s", base_name (function->source), line, function->name)
	               : asprintf (&name, "%s", function->name);
	return length < 0 ? NULL : name;
}

/* The key that tells lines of one method apart, and methods of one name. */
static char *
print_file (const monocle__function *function, int64_t line)
{
	char *file = NULL;
	int length =
	    line ? asprintf (&file, "%s:%" PRId64, function->source, line) : asprintf (&file, "%s", function->filename);
	return length < 0 ? NULL : file;
}

/* NOT_YET: out of memory. */
static uint32_t
add_function (viewer *v, const monocle__function *function, int64_t line)
{
	char *name = print_name (v, function, line), *file = print_file (function, line);
	monocle__function made = { .system_name = "", .line = line, .origin = function->origin };
	made.name = text (v, name);
	made.filename = text (v, file);
	made.image = text (v, function->image);
	made.source = line ? text (v, function->source) : NULL;
	size_t index = SIZE_MAX;
	if (made.name && made.filename && (made.image || !function->image) && (made.source || !line))
		index = monocle__profile_add_function (v->copy.to, &made);
	free (name);
	free (file);
	return index == SIZE_MAX ? NOT_YET : (uint32_t) index;
}

static uint32_t
function_of (viewer *v, size_t frame)
{
	const monocle__profile *from = v->copy.from;
	uint32_t index = from->frames[frame], place = monocle__profile_place_index (from, frame);
	const monocle__function *function = &from->functions[index];
	int64_t line = place && function->source ? from->places[place].line : 0;
	uint32_t *slot = line ? &v->lines[place] : &v->methods[index];
	if (*slot == NOT_YET)
		*slot = add_function (v, function, line);
	return *slot;
}

static bool
copy_sample (viewer *v, size_t index)
{
	const monocle__sample *sample = &v->copy.from->samples[index];
	size_t count = sample->depth + sample->hidden;
	if (!MONOCLE__RESERVE (v->stack, v->stack_capacity, count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		if ((v->stack[i] = function_of (v, sample->frames + i)) == NOT_YET)
			return false;
	}
	return monocle__profile_copy_values (&v->copy, index, v->stack, sample->depth) &&
	       monocle__profile_hide_frames (v->copy.to, v->stack + sample->depth, sample->hidden);
}

static bool
init (viewer *v, const monocle__profile *profile)
{
	v->lines = malloc ((profile->place_count + 1) * sizeof *v->lines);
	v->methods = malloc ((profile->function_count + 1) * sizeof *v->methods);
	if (!monocle__profile_copy_init (&v->copy, profile, true) || !v->lines || !v->methods)
		return false;
	memset (v->lines, 0xff, (profile->place_count + 1) * sizeof *v->lines);
	memset (v->methods, 0xff, (profile->function_count + 1) * sizeof *v->methods);
	return true;
}

monocle__profile *
monocle__line_view_new (const monocle__profile *profile, bool for_people)
{
	viewer v = { .for_people = for_people };
	monocle__profile *made = NULL;
	bool good = init (&v, profile);
	for (size_t i = 0; good && i < profile->sample_count; i++)
		good = copy_sample (&v, i);
	if (good) {
		made = v.copy.to;
		v.copy.to = NULL;
	}
	monocle__profile_copy_done (&v.copy);
	free (v.lines);
	free (v.methods);
	free (v.stack);
	return made;
}

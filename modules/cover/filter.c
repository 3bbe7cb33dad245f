/*
 * SPDX-License-Identifier: MIT
 *
 * filter.c - see filter.h. When an image is first asked about, all its methods get their answers: a bit for each. What
 * a source file decides (`file=`) is not in them.
 */
#include "filter.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/blob.h>
#include <mono/metadata/class.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/row-indexes.h>
#include <mono/metadata/tokentype.h>
#include <monocle/kit.h>

#include "file.h"
#include "map.h"
#include "marks.h"
#include "pattern.h"
#include "source.h"

static pattern_list includes, excludes, attributes;
static pattern_list lines; /* of Mono's filter file, with their signs */
static bool has_plus_line, skips_auto_properties, takes_any_sources, counts_generated;

/* --- what the user said ------------------------------------------------------------------------------------------- */

static bool
read_classes (const char *option, const char *text, pattern_list *ret_list)
{
	if (!pattern_list_read (text, ret_list))
		return false;
	for (uint32_t i = 0; i < ret_list->count; i++) {
		if (pattern_is_class (ret_list->items[i]))
			continue;
		monocle_kit_log_failure ("cover", "option %s=%s: expected [assembly]type, as in [*]My.Namespace.*", option,
		                         ret_list->items[i]);
		return false;
	}
	return true;
}

/* Anything but a line that begins with a sign is a comment. */
static bool
read_lines (FILE *file)
{
	char *line = NULL;
	size_t size = 0, room = 0;
	for (ssize_t length; (length = getline (&line, &size, file)) > 0;) {
		line[strcspn (line, "\r\n")] = '\0';
		if ((*line != '+' && *line != '-') || !line[1])
			continue;
		if (lines.count == room) {
			room = room ? 2 * room : 16;
			char **longer = realloc (lines.items, room * sizeof *longer);
			if (!longer)
				break;
			lines.items = longer;
		}
		has_plus_line |= *line == '+';
		lines.items[lines.count++] = strdup (line);
	}
	free (line);
	return true;
}

static bool
read_filter_file (const char *path)
{
	FILE *file = path ? fopen (path, "re") : NULL;
	if (file) {
		read_lines (file);
		fclose (file);
	} else if (path) {
		monocle_kit_log_failure ("cover", "option covfilter-file=%s: %s", path, strerror (errno));
	}
	return file || !path;
}

bool
filter_init (const filter_config *config)
{
	skips_auto_properties = config->skip_auto_properties;
	takes_any_sources = config->any_sources;
	counts_generated = config->generated;
	return read_classes ("include", config->include, &includes) &&
	       read_classes ("exclude", config->exclude, &excludes) &&
	       pattern_list_read (config->attributes, &attributes) && read_filter_file (config->covfilter_file);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

/* Does the line, which may be meant for classes, name the assembly, as "+[name]" does? */
static bool
line_names (const char *line, const char *assembly)
{
	size_t length = strlen (assembly);
	return line[1] == '[' && strncmp (line + 2, assembly, length) == 0 && line[2 + length] == ']';
}

/* `[*]` means the program's own assemblies; a name brings in any. */
static bool
is_included (const char *assembly, bool is_own)
{
	if (!includes.count && !has_plus_line)
		return is_own;
	for (uint32_t i = 0; i < includes.count; i++)
		if (pattern_matches_assembly (includes.items[i], assembly) &&
		    (is_own || pattern_names_assembly (includes.items[i])))
			return true;
	for (uint32_t i = 0; i < lines.count; i++)
		if (*lines.items[i] == '+' && (is_own || line_names (lines.items[i], assembly)))
			return true;
	return false;
}

bool
filter_may_want (MonoImage *image)
{
	const char *name = mono_image_get_name (image), *path = mono_image_get_filename (image);
	if (mono_image_is_dynamic (image) || !name || !path)
		return false;
	for (uint32_t i = 0; i < excludes.count; i++)
		if (!strcmp (pattern_type (excludes.items[i]), "*") && pattern_matches_assembly (excludes.items[i], name))
			return false;
	return is_included (name, monocle_kit_image_is_own (path));
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

static bool
any_class_matches (const pattern_list *list, const char *assembly, const char *type)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (pattern_matches_assembly (list->items[i], assembly) &&
		    pattern_matches (pattern_type (list->items[i]), type))
			return true;
	return false;
}

static bool
any_line_matches (char sign, const char *assembly, const char *type)
{
	char full[2400];
	snprintf (full, sizeof full, "[%s]%s", assembly, type);
	for (uint32_t i = 0; i < lines.count; i++)
		if (*lines.items[i] == sign && strstr (full, lines.items[i] + 1))
			return true;
	return false;
}

enum { TYPE_IN = 1, TYPE_OUT = 2 };

/* By its own name: a class is also in, and out, with the one that it is nested in. */
static uint8_t
judge_type (const char *assembly, const char *type)
{
	bool in = (!includes.count || any_class_matches (&includes, assembly, type)) &&
	          (!has_plus_line || any_line_matches ('+', assembly, type));
	bool out = any_class_matches (&excludes, assembly, type) || any_line_matches ('-', assembly, type);
	return (uint8_t) ((in ? TYPE_IN : 0) | (out ? TYPE_OUT : 0));
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static bool
wants_method (const marks *m, uint32_t method)
{
	uint8_t mark = m->methods[method - 1];
	if (mark & MARK_EXCLUDED)
		return false;
	/* A record's copy constructor has a point, and no person wrote it. */
	if ((mark & MARK_COMPILER) && strcmp (marks_method_name (m, method), ".ctor") == 0)
		return false;
	return !skips_auto_properties || !(mark & MARK_COMPILER) || !(mark & MARK_ACCESSOR);
}

typedef struct {
	uint32_t count;
	uint8_t *wants;     /* by row - 1; NULL: none is wanted */
	uint32_t generated; /* methods that would be wanted, had a person written them */
} answers;

static bool
answer_all (answers *a, const marks *m, const char *assembly)
{
	char name[2048];
	uint8_t *judged = calloc (m->type_count + 1, 1);
	bool any = false;
	for (uint32_t type = 1; judged && type <= m->type_count; type++) {
		uint32_t outer = m->enclosing[type - 1];
		marks_name_type (m, type, name, sizeof name);
		judged[type - 1] = (uint8_t) (judge_type (assembly, name) | (outer ? judged[outer - 1] : 0));
		for (uint32_t method = m->first_method[type - 1]; method < m->first_method[type]; method++) {
			bool is_in = judged[type - 1] == TYPE_IN;
			any |= a->wants[method - 1] = is_in && wants_method (m, method);
			a->generated += is_in && (m->methods[method - 1] & MARK_GENERATED) != 0;
		}
	}
	free (judged);
	return any;
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

/* The best that can be said of any method that is wanted, or of any; *ret_bodies: how many of them have a body. */
static source_place
best_source (const answers *a, MonoImage *image, bool of_any, uint32_t *ret_bodies)
{
	const MonoTableInfo *table = mono_image_get_table_info (image, MONO_TABLE_METHOD);
	source_place best = SOURCE_NONE;
	*ret_bodies = 0;
	for (uint32_t row = 1; row <= a->count && best != SOURCE_HERE; row++) {
		if (!(of_any || a->wants[row - 1]) || !mono_metadata_decode_row_col (table, (int) row - 1, MONO_METHOD_RVA))
			continue;
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | row, NULL);
		source_place place = method ? source_of (method) : SOURCE_NONE;
		best = place > best ? place : best;
		if (best == SOURCE_ELSEWHERE && (of_any || takes_any_sources))
			return best;
		++*ret_bodies;
	}
	return best;
}

/* What a compiler wrote has no lines even where there are symbols. */
static void
say_without_symbols (const answers *a, MonoImage *image, uint32_t bodies)
{
	static bool said;
	uint32_t all;
	if (best_source (a, image, true, &all) != SOURCE_NONE)
		return;
	file_lose (MONOCLE__COVER_LOSS_SOURCES, bodies);
	if (!said)
		monocle_kit_log ("cover",
		                 "%s has no symbols: it is not counted, nor are others like it "
		                 "(looked for in it, beside %s, and where it was compiled)",
		                 mono_image_get_name (image),
		                 strchr (mono_image_get_filename (image), '/') ? "it" : "the program");
	said = true;
}

/* With an include the user has said what is meant. */
static bool
has_sources (const answers *a, MonoImage *image)
{
	static bool said;
	uint32_t bodies;
	source_place best = best_source (a, image, false, &bodies);
	if (best == SOURCE_NONE && bodies)
		say_without_symbols (a, image, bodies);
	if (best != SOURCE_ELSEWHERE || takes_any_sources || includes.count || has_plus_line)
		return best != SOURCE_NONE;
	file_lose (MONOCLE__COVER_LOSS_SKIPPED, 1);
	if (!said)
		monocle_kit_log ("cover",
		                 "no source of %s is on this machine: it is left out, as are others like it "
		                 "(--profile=cover:sources=any)",
		                 mono_image_get_name (image));
	said = true;
	return false;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static map images; /* to answers */

static void
read_answers (answers *a, MonoImage *image)
{
	marks m = { 0 };
	if (filter_may_want (image) && marks_read (&m, image, &attributes, counts_generated) && !m.is_excluded) {
		a->count = m.method_count;
		a->wants = calloc (m.method_count + 1, 1);
		if (a->wants && (!answer_all (a, &m, mono_image_get_name (image)) || !has_sources (a, image))) {
			free (a->wants);
			a->wants = NULL;
		}
		file_leave_out (a->generated);
	}
	marks_free (&m);
}

/* Under the lock. */
static const answers *
answers_of (MonoImage *image)
{
	uint64_t *known = map_find (&images, image);
	if (known && *known)
		return (const answers *) (uintptr_t) *known;
	answers *a = calloc (1, sizeof *a);
	if (!a)
		return NULL;
	read_answers (a, image);
	if (known)
		*known = (uintptr_t) a;
	else
		map_add (&images, image, (uintptr_t) a);
	return a;
}

bool
filter_wants (MonoMethod *method)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	uint32_t row = mono_metadata_token_index (mono_method_get_token (method));
	pthread_mutex_lock (&lock);
	const answers *a = answers_of (image);
	bool wants = a && a->wants && row && row <= a->count && a->wants[row - 1];
	pthread_mutex_unlock (&lock);
	return wants;
}

void
filter_forget (MonoImage *image)
{
	pthread_mutex_lock (&lock);
	uint64_t *known = map_find (&images, image);
	answers *a = known ? (answers *) (uintptr_t) *known : NULL;
	if (known)
		*known = 0;
	pthread_mutex_unlock (&lock);
	if (a)
		free (a->wants);
	free (a);
}

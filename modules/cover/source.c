/*
 * SPDX-License-Identifier: MIT
 *
 * source.c - see source.h.
 *
 * Builds that are to be the same everywhere write "/_/" (or "/_1/", ...) where the folder of the sources was. Such a
 * file is here if what follows is, seen from the current folder or from one that it lies in.
 */
#include "source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plan.h"

static const pattern_list *wanted_files, *unwanted_files;
static bool counts_generated;

/* Where builds and generators put what they write, on disk or in the symbols alone. */
static const char *const generated_files[] = { "obj/**.g.cs", "obj/**.g.i.cs", "obj/**.g.vb", "obj/**/net*/**" };

void
source_init (const pattern_list *wanted, const pattern_list *unwanted, bool generated)
{
	wanted_files = wanted;
	unwanted_files = unwanted;
	counts_generated = generated;
}

static bool
any_matches (const pattern_list *list, const char *path)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (pattern_matches_path (list->items[i], path))
			return true;
	return false;
}

bool
source_is_wanted (const char *path)
{
	return (!wanted_files->count || any_matches (wanted_files, path)) && !any_matches (unwanted_files, path);
}

bool
source_is_generated (const char *path)
{
	if (counts_generated)
		return false;
	for (size_t i = 0; i < sizeof generated_files / sizeof *generated_files; i++)
		if (pattern_matches_path (generated_files[i], path))
			return true;
	return false;
}

/* --- is it here? -------------------------------------------------------------------------------------------------- */

/* What follows "/_/" or "/_1/"; NULL: the path begins otherwise. */
static const char *
mapped_rest (const char *path)
{
	if (strncmp (path, "/_", 2))
		return NULL;
	path += 2 + strspn (path + 2, "0123456789");
	return *path == '/' ? path + 1 : NULL;
}

static bool
is_below_here (const char *rest)
{
	char folder[PATH_MAX], path[2 * PATH_MAX];
	if (!getcwd (folder, sizeof folder))
		return false;
	for (;;) {
		snprintf (path, sizeof path, "%s/%s", folder, rest);
		char *slash = strrchr (folder, '/');
		if (access (path, F_OK) == 0)
			return true;
		if (!slash)
			return false;
		*slash = '\0';
	}
}

static bool
is_here (const char *path)
{
	int kept = errno;
	const char *rest = mapped_rest (path);
	bool here = access (path, F_OK) == 0 || (rest && is_below_here (rest));
	errno = kept;
	return here;
}

/* --- a method's --------------------------------------------------------------------------------------------------- */

static void
see_plan (void *data, const MonocleCoveragePlan *plan)
{
	source_place *place = data;
	for (uint32_t i = 0; i < plan->point_count && *place == SOURCE_NONE; i++)
		if (plan->points[i].document)
			*place = is_here (plan->points[i].document->path) ? SOURCE_HERE : SOURCE_ELSEWHERE;
}

source_place
source_of (MonoMethod *method)
{
	source_place place = SOURCE_NONE;
	plan_show (method, see_plan, &place);
	return place;
}

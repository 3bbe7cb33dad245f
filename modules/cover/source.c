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

#include <monocle/ext.h>

static MonoProfilerHandle the_handle;
static const pattern_list *wanted_files, *unwanted_files;

void
source_init (MonoProfilerHandle handle, const pattern_list *wanted, const pattern_list *unwanted)
{
	the_handle = handle;
	wanted_files = wanted;
	unwanted_files = unwanted;
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
see_file (source_place *place, const char *path)
{
	if (*place == SOURCE_NONE)
		*place = path && *path && is_here (path) ? SOURCE_HERE : SOURCE_ELSEWHERE;
}

static void
see_plan (void *data, const MonocleCoveragePlan *plan)
{
	for (uint32_t i = 0; i < plan->point_count; i++)
		if (plan->points[i].document)
			see_file (data, plan->points[i].document->path);
}

/* Mono has no data for its callback but the handle's; one method is looked at at a time, by the thread that asked. */
static _Thread_local source_place place_seen;

static void
see_data (MonoProfiler *profiler, const MonoProfilerCoverageData *data)
{
	if (data->file_name && *data->file_name)
		see_file (&place_seen, data->file_name);
}

source_place
source_of (MonoMethod *method)
{
	source_place place = SOURCE_NONE;
	if (monocle_coverage_plan) {
		monocle_coverage_plan (method, see_plan, &place);
		return place;
	}
	place_seen = SOURCE_NONE;
	mono_profiler_get_coverage_data (the_handle, method, see_data);
	return place_seen;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-sources.c - where the sources that symbols name are on this machine: as they are named; or in the folders
 * that were given and in the working copy around the current one, by as much of the end of the name as there is.
 */
#include "coverage-raw.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_file (const char *path)
{
	struct stat status;
	return stat (path, &status) == 0 && S_ISREG (status.st_mode);
}

/* A name with ".." in it would lead out of the folder. */
static bool
climbs (const char *path)
{
	for (const char *dots = path; (dots = strstr (dots, "..")); dots += 2) {
		if ((dots == path || dots[-1] == '/') && (dots[2] == '/' || !dots[2]))
			return true;
	}
	return false;
}

/* folder/path, then without its first folders one after the other. NULL: none is there. The caller frees. */
static char *
find_in (const char *folder, const char *path)
{
	char joined[PATH_MAX];
	for (const char *tail = path; tail; tail = (tail = strchr (tail, '/')) ? tail + 1 : NULL) {
		int length = snprintf (joined, sizeof joined, "%s/%s", folder, tail);
		if (*tail && *tail != '/' && length < (int) sizeof joined && !climbs (tail) && is_file (joined))
			return strdup (joined);
	}
	return NULL;
}

/* The nearest folder around the current one that has .git; false: there is none. */
static bool
find_working_copy (char folder[PATH_MAX])
{
	char git[PATH_MAX + 8], *slash;
	struct stat status;
	if (!getcwd (folder, PATH_MAX))
		return false;
	for (;;) {
		snprintf (git, sizeof git, "%s/.git", folder);
		if (stat (git, &status) == 0)
			return true;
		slash = strrchr (folder, '/');
		if (!slash || !folder[1])
			return false;
		slash[slash == folder] = '\0';
	}
}

static char *
find_source (const monocle__coverage *coverage, size_t index, const monocle__coverage_options *options,
             const char *working_copy)
{
	const char *path = coverage->files[index].path, *written = coverage->priv->file_paths[index];
	const char *const *folder = options->sources;
	char *found = NULL;
	if (is_file (written))
		return strdup (written);
	if (is_file (path))
		return strdup (path);
	for (; !found && folder && *folder; folder++)
		found = find_in (*folder, path);
	if (!found && working_copy)
		found = find_in (working_copy, path);
	return found;
}

int
monocle__coverage_find_sources (monocle__coverage *coverage, const monocle__coverage_options *options)
{
	static const monocle__coverage_options none = { 0 };
	char working_copy[PATH_MAX];
	bool has_copy = find_working_copy (working_copy);
	for (size_t i = 0; i < coverage->file_count; i++) {
		if (!coverage->files[i].local)
			coverage->files[i].local =
			    find_source (coverage, i, options ? options : &none, has_copy ? working_copy : NULL);
	}
	return 0;
}

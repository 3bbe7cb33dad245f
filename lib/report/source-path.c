/*
 * SPDX-License-Identifier: MIT
 *
 * source-path.c - where the sources that symbols name are on this machine: as they are named; or in the folders that
 * were given and in the working copy around the current one, by as much of the end of the name as there is.
 */
#include "source-path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool
is_letter (char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* C:\x.cs and \\server\x.cs; and x\y.cs, which has no slash that is one. */
static bool
has_backslashes (const char *path)
{
	return (is_letter (path[0]) && path[1] == ':' && path[2] == '\\') || strncmp (path, "\\\\", 2) == 0 ||
	       !strchr (path, '/');
}

/* The first map whose FROM the path begins with. */
static const char *
find_map (const char *path, const char *const *map, size_t *ret_from)
{
	for (; map && *map; map++) {
		const char *equals = strchr (*map, '=');
		size_t length = equals ? (size_t) (equals - *map) : 0;
		if (length && strncmp (path, *map, length) == 0) {
			*ret_from = length;
			return equals + 1;
		}
	}
	*ret_from = 0;
	return "";
}

char *
monocle__source_path_mapped (const char *path, const char *const *map)
{
	char *slashed = strdup (path), *joined;
	const char *to;
	size_t from;
	if (!slashed)
		return NULL;
	for (char *c = has_backslashes (path) ? slashed : strchr (slashed, '\0'); *c; c++)
		*c = *c == '\\' ? '/' : *c;
	to = find_map (slashed, map, &from);
	joined = malloc (strlen (to) + strlen (slashed + from) + 1);
	if (joined) {
		strcpy (joined, to);
		strcat (joined, slashed + from);
	}
	free (slashed);
	return joined;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

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

bool
monocle__source_path_working_copy (char folder[PATH_MAX])
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

char *
monocle__source_path_find (const char *path, const char *written, const char *const *folders, const char *working_copy)
{
	char *found = NULL;
	if (written && is_file (written))
		return strdup (written);
	if (is_file (path))
		return strdup (path);
	for (; !found && folders && *folders; folders++)
		found = find_in (*folders, path);
	return found || !working_copy ? found : find_in (working_copy, path);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * path.c - see path.h.
 */
#include "path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *
monocle__path_base_name (const char *path)
{
	const char *slash = strrchr (path, '/');
	return slash ? slash + 1 : path;
}

bool
monocle__path_is_link (const char *path)
{
	struct stat status;
	return lstat (path, &status) == 0 && S_ISLNK (status.st_mode);
}

bool
monocle__path_is_same (const char *a, const char *b)
{
	struct stat x, y;
	return stat (a, &x) == 0 && stat (b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void
folder_of (const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr (path, '/');
	size_t length = slash ? (size_t) (slash - path) : 0;
	snprintf (folder, PATH_MAX, "%.*s", (int) (length ? length : 1), slash ? path : ".");
}

int
monocle__path_check_output (const char *path)
{
	char folder[PATH_MAX];
	struct stat status;
	if (stat (path, &status) == 0 && S_ISDIR (status.st_mode))
		return -EISDIR;
	if (stat (path, &status) == 0 && (!S_ISREG (status.st_mode) || monocle__path_is_link (path)))
		return access (path, W_OK) ? -errno : 0;
	folder_of (path, folder);
	if (stat (folder, &status) == 0 && !S_ISDIR (status.st_mode))
		return -ENOTDIR;
	return access (folder, W_OK | X_OK) ? -errno : 0;
}

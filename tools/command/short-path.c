/*
 * SPDX-License-Identifier: MIT
 *
 * short-path.c - see short-path.h.
 */
#include "short-path.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

const char *
monocle__short_path (const char *path)
{
	char here[PATH_MAX];
	size_t length;
	if (!getcwd (here, sizeof here))
		return path;
	length = strlen (here);
	return strncmp (path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * image-origin.c - see image-origin.h.
 */
#include "image-origin.h"

#include <stddef.h>
#include <string.h>

#include "cmdline.h"

static const char *const foreign_paths[] = {
	"/shared/Microsoft.NETCore.App/",
	"/shared/Microsoft.AspNetCore.App/",
	"/shared/Microsoft.WindowsDesktop.App/",
	"/.nuget/packages/",
	"/lib/mono/",
	"/mono/gac/",
	NULL,
};

/* Names without ".dll" of what runtimes bring along; a trailing "*" is a prefix. */
static const char *const foreign_names[] = {
	"mscorlib", "netstandard", "System", "System.*", "Microsoft.*", "WindowsBase", "PresentationCore", "Mono.*", NULL,
};

bool
monocle__image_origin_is_foreign_path (const char *path)
{
	for (size_t i = 0; foreign_paths[i]; i++)
		if (strstr (path, foreign_paths[i]))
			return true;
	return false;
}

bool
monocle__image_origin_is_foreign_name (const char *file)
{
	size_t length = strlen (file);
	if (monocle__cmdline_is_assembly (file))
		length -= 4;
	for (size_t i = 0; foreign_names[i]; i++) {
		size_t n = strlen (foreign_names[i]);
		bool prefix = foreign_names[i][n - 1] == '*';
		if (prefix ? length >= n - 1 && !strncmp (file, foreign_names[i], n - 1)
		           : length == n && !strncmp (file, foreign_names[i], n))
			return true;
	}
	return false;
}

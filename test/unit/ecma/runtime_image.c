/*
 * SPDX-License-Identifier: MIT
 *
 * runtime_image.c - see runtime_image.h.
 */
#include "runtime_image.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *runtime, *pattern;
} places[] = {
	{ "mono", "/usr/lib/mono/4.5/mscorlib.dll" },
	{ "mono", "/usr/local/lib/mono/4.5/mscorlib.dll" },
	{ "coreclr", "/usr/share/dotnet/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll" },
	{ "coreclr", "/usr/lib/dotnet/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll" },
	{ "coreclr", "/usr/local/share/dotnet/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll" },
	{ "coreclr", "~/.dotnet/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll" },
};

/* The folder of the `dotnet` that PATH names, links followed. */
static bool
dotnet_root (char root[PATH_MAX])
{
	char path[PATH_MAX], list[PATH_MAX], *rest = NULL;
	snprintf (list, sizeof list, "%s", getenv ("PATH") ? getenv ("PATH") : "");
	for (char *folder = strtok_r (list, ":", &rest); folder; folder = strtok_r (NULL, ":", &rest)) {
		if (snprintf (path, sizeof path, "%s/dotnet", folder) >= (int) sizeof path || !realpath (path, root))
			continue;
		*strrchr (root, '/') = 0;
		return true;
	}
	return false;
}

/* The last match: versions of one major number of digits sort so. */
static bool
last_match (const char *pattern, char path[4096])
{
	glob_t found;
	bool any = glob (pattern, GLOB_TILDE, NULL, &found) == 0;
	if (any)
		snprintf (path, 4096, "%s", found.gl_pathv[found.gl_pathc - 1]);
	globfree (&found);
	return any;
}

static bool
find (const char *runtime, char path[4096])
{
	char root[PATH_MAX], pattern[PATH_MAX + 80];
	if (strcmp (runtime, "coreclr") == 0 && dotnet_root (root)) {
		snprintf (pattern, sizeof pattern, "%s/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll", root);
		if (last_match (pattern, path))
			return true;
	}
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (strcmp (places[i].runtime, runtime) == 0 && last_match (places[i].pattern, path))
			return true;
	return false;
}

static int
map_file (struct runtime_image *image)
{
	struct stat status;
	int file = open (image->path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat (file, &status)) {
		perror (image->path);
		return 1;
	}
	image->size = (size_t) status.st_size;
	image->data = mmap (NULL, image->size, PROT_READ, MAP_PRIVATE, file, 0);
	close (file);
	return image->data == MAP_FAILED;
}

int
runtime_image_open (struct runtime_image *ret_image, const char *runtime)
{
	const char *required = getenv ("MONOCLE_REQUIRE");
	memset (ret_image, 0, sizeof *ret_image);
	if (find (runtime, ret_image->path))
		return map_file (ret_image);
	bool must = required && strstr (required, runtime);
	printf ("%s: no core library of %s is installed\n", must ? "failed" : "skipped", runtime);
	return must ? 1 : 77;
}

void
runtime_image_close (struct runtime_image *image)
{
	munmap (image->data, image->size);
}

/* SPDX-License-Identifier: MIT
 *
 * profile-file.c - profiles and spools, told apart by what they hold.
 */
#include "profile-file.h"

#include "command.h"
#include "format.h"

#include <monocle/kit.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ERROR_SIZE = 256 };

static bool
ends_with (const char *text, const char *end)
{
	size_t length = strlen (text), end_length = strlen (end);

	return length > end_length && strcmp (text + length - end_length, end) == 0;
}

/* A spool begins with these eight letters. */
static bool
is_spool (const char *path)
{
	char magic[8] = "";
	FILE *stream = fopen (path, "rbe");
	bool result =
	    stream && fread (magic, 1, sizeof magic, stream) == sizeof magic && memcmp (magic, "MNCSPOOL", 8) == 0;

	if (stream)
		fclose (stream);
	return result;
}

/* *ret_path: the file to read. */
static int
complete_spool (const char *path, char **ret_path)
{
	const char *error = "unknown error";

	if (!is_spool (path)) {
		*ret_path = monocle__format ("%s", path);
		return 0;
	}
	if (monocle_kit_spool_complete (path, ret_path, &error) != 0) {
		if (*ret_path)
			monocle__say ("%s: %s; at its end it writes %s", path, error, *ret_path);
		else
			monocle__say ("%s: %s", path, error);
		return -1;
	}
	monocle__say ("%s was left by a process that is gone; completed it as %s", path, *ret_path);
	return 0;
}

int
monocle__profile_file_open (const char *path, monocle__profile **ret_profile, char **ret_path)
{
	char error[ERROR_SIZE], *real = NULL;

	if (complete_spool (path, &real) == 0) {
		if (monocle__profile_read (real, ret_profile, error, sizeof error) == 0) {
			*ret_path = real;
			return 0;
		}
		monocle__say ("%s: %s", real, error);
	}
	free (real);
	return -1;
}

static bool
is_newer (const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

char *
monocle__profile_file_newest (void)
{
	DIR *directory = opendir (".");
	struct timespec newest = { 0 };
	struct dirent *entry;
	struct stat status;
	char *found = NULL;

	while (directory && (entry = readdir (directory))) {
		if (!ends_with (entry->d_name, ".pb.gz") && !ends_with (entry->d_name, ".spool"))
			continue;
		if (stat (entry->d_name, &status) != 0 || !S_ISREG (status.st_mode) || !is_newer (&status.st_mtim, &newest))
			continue;
		free (found);
		found = monocle__format ("%s", entry->d_name);
		newest = status.st_mtim;
	}
	if (directory)
		closedir (directory);
	return found;
}

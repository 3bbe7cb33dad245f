/*
 * SPDX-License-Identifier: MIT
 *
 * run-lines.c - see run-lines.h. The profiled process leaves tokens and offsets; symbols are read here, where nobody
 * waits for it. A profile is replaced by a rename, so that it is whole at every instant.
 */
#include "run-lines.h"

#include "command/command.h"
#include "format.h"
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ERROR_SIZE = 256 };

static void
say_symbols (const char *text)
{
	monocle__say ("%s", text);
}

static bool
write_profile (int fd, const monocle__profile *profile)
{
	const monocle__convert_options options = { .title = "" };
	FILE *out = fdopen (fd, "w");
	if (!out) {
		close (fd);
		return false;
	}
	bool good = monocle__pprof_convert (out, profile, &options) == 0 && !ferror (out);
	return fclose (out) == 0 && good;
}

/* Without room for another file the profile stays what it was: readers find the lines again. */
static void
replace (const char *path, const struct stat *status, const monocle__profile *profile)
{
	char *part = monocle__format ("%s.part", path);
	int fd = open (part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool good = fd >= 0 && fchmod (fd, status->st_mode & 0777) == 0;
	if (fd >= 0 && !good)
		close (fd);
	good = good && write_profile (fd, profile) && rename (part, path) == 0;
	if (fd >= 0 && !good)
		unlink (part);
	free (part);
}

static bool
is_plain (const char *path, struct stat *ret_status)
{
	return lstat (path, ret_status) == 0 && S_ISREG (ret_status->st_mode) && ret_status->st_nlink == 1 &&
	       ret_status->st_uid == geteuid ();
}

static void
find_lines (const char *path)
{
	char error[ERROR_SIZE];
	monocle__profile *profile;
	struct stat status;
	if (!is_plain (path, &status) || monocle__profile_read (path, &profile, error, sizeof error) != 0)
		return;
	size_t found = profile->place_count ? monocle__lines_find (profile, say_symbols) : 0;
	if (found && found != SIZE_MAX)
		replace (path, &status, profile);
	monocle__profile_free (profile);
}

void
monocle__run_lines_find (const monocle__run_folder *folder)
{
	for (size_t i = 0; i < folder->profile_count; i++) {
		if (!folder->profiles[i].is_coverage)
			find_lines (folder->profiles[i].path);
	}
}

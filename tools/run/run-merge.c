/*
 * SPDX-License-Identifier: MIT
 *
 * run-merge.c - see run-merge.h.
 */
#include "run-merge.h"

#include "command/command.h"
#include "file/move.h"
#include "format.h"
#include "join.h"
#include "run-picture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_SIZE = 256 };

static bool
is_part (const monocle__run_profile *profile)
{
	return profile->collected && !profile->is_coverage;
}

bool
monocle__run_merge_is_needed (const monocle__run_folder *folder)
{
	size_t parts = 0;
	for (size_t i = 0; i < folder->profile_count; i++)
		parts += is_part (&folder->profiles[i]);
	return parts > 1;
}

/* 0 or -errno. */
static int
write_whole (const monocle__profile *whole, const char *path)
{
	static const monocle__convert_options options = { 0 };
	int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = 0;
	FILE *out = fd < 0 ? NULL : fdopen (fd, "wb");
	if (!out)
		return -errno;
	if (monocle__pprof_convert (out, whole, &options) != 0)
		error = -ENOMEM;
	if (error == 0 && (fflush (out) != 0 || ferror (out)))
		error = errno ? -errno : -EIO;
	if (fclose (out) != 0 && error == 0)
		error = -errno;
	return error;
}

/* The whole takes the place of the first part; the other parts are taken out. */
static monocle__run_profile *
replace_parts (monocle__run_folder *folder, const bool *is_read, const char *output)
{
	size_t kept = 0;
	monocle__run_profile *sum = NULL;
	for (size_t i = 0; i < folder->profile_count; i++) {
		monocle__run_profile *profile = &folder->profiles[i];
		if (is_read[i]) {
			free (profile->path);
			if (sum)
				continue;
			*profile = (monocle__run_profile) { .path = monocle__format ("%s", output) };
			sum = &folder->profiles[kept];
		}
		folder->profiles[kept++] = *profile;
	}
	folder->profile_count = kept;
	return sum;
}

static void
write_sum (monocle__run_folder *folder, const monocle__profile *const *parts, size_t count, const bool *is_read,
           const char *output)
{
	char *path = monocle__format ("%s/sum.part", folder->path);
	monocle__profile *whole = monocle__join (parts, count);
	bool is_picture = monocle__run_picture_is_wanted (output);
	int error = !whole     ? -ENOMEM
	          : is_picture ? monocle__run_picture_write (whole, path, output)
	                       : write_whole (whole, path);
	if (error == 0)
		error = monocle__move_file (path, output);
	if (error == 0) {
		monocle__run_profile *sum = replace_parts (folder, is_read, output);
		if (is_picture && sum) {
			sum->content = whole;
			whole = NULL;
		}
	} else
		monocle__say ("cannot write %s: %s; the profiles stay in %s", output,
		              error == -ENXIO ? "nobody reads this pipe" : strerror (-error), folder->path);
	unlink (path);
	free (path);
	monocle__profile_free (whole);
}

void
monocle__run_merge (monocle__run_folder *folder, const char *output)
{
	monocle__profile **parts = calloc (folder->profile_count + 1, sizeof *parts);
	bool *is_read = calloc (folder->profile_count + 1, sizeof *is_read);
	size_t count = 0;
	for (size_t i = 0; parts && is_read && i < folder->profile_count; i++) {
		char error[ERROR_SIZE];
		if (!is_part (&folder->profiles[i]))
			continue;
		is_read[i] = monocle__profile_read (folder->profiles[i].path, &parts[count], error, sizeof error) == 0;
		if (is_read[i])
			count++;
		else
			monocle__say ("%s: %s; it stays there", folder->profiles[i].path, error);
	}
	if (count > 0)
		write_sum (folder, (const monocle__profile *const *) parts, count, is_read, output);
	for (size_t i = 0; i < count; i++)
		monocle__profile_free (parts[i]);
	free (parts);
	free (is_read);
}

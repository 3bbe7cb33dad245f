/*
 * SPDX-License-Identifier: MIT
 *
 * move.c - renames, or copies and then renames.
 *
 * As the module itself would have written it (lib/kit/output-name.c): a link or a device is written through, a file
 * that was there keeps its modes, and a new one can be read by its user only.
 */
#include "move.h"

#include "command/command.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the extension begins: at the last dot of the base name, and one earlier when that is a compression. */
const char *
monocle__move_extension (const char *file)
{
	const char *base = monocle__path_base_name (file), *dot = strrchr (base, '.');
	if (!dot || dot == base)
		return file + strlen (file);
	for (const char *c = dot - 1; strcmp (dot, ".gz") == 0 && c > base; c--) {
		if (*c == '.')
			return c;
	}
	return dot;
}

char *
monocle__move_name (const char *file, pid_t pid)
{
	const char *extension = monocle__move_extension (file);
	return monocle__format ("%.*s.%d%s", (int) (extension - file), file, (int) pid, extension);
}

static int
copy_bytes (int in, int out)
{
	char buffer[65536];
	ssize_t got, put;
	while ((got = read (in, buffer, sizeof buffer)) > 0) {
		for (ssize_t at = 0; at < got; at += put) {
			put = write (out, buffer + at, (size_t) (got - at));
			if (put < 0)
				return -errno;
		}
	}
	return got < 0 ? -errno : 0;
}

static int
copy_file (const char *from, const char *to, int flags)
{
	int in = open (from, O_RDONLY | O_CLOEXEC), out, result;
	if (in < 0)
		return -errno;
	/* A pipe that nobody reads is not waited for (ENXIO). One that is read takes its time. */
	out = open (to, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0600);
	if (out >= 0)
		fcntl (out, F_SETFL, fcntl (out, F_GETFL) & ~O_NONBLOCK);
	result = out < 0 ? -errno : copy_bytes (in, out);
	if (out >= 0 && close (out) != 0 && result == 0)
		result = -errno;
	close (in);
	return result;
}

static int
copy_whole (const char *from, const char *to, mode_t mode)
{
	char *part = monocle__format ("%s.part%d", to, (int) getpid ());
	int result;
	unlink (part);
	result = copy_file (from, part, O_CREAT | O_EXCL);
	if (result == 0)
		chmod (part, mode);
	if (result == 0 && rename (part, to) != 0)
		result = -errno;
	if (result != 0)
		unlink (part);
	free (part);
	return result;
}

/* Into a name that is free, or a regular file's. */
static int
move_plain (const char *from, const char *to, mode_t mode)
{
	int error;
	chmod (from, mode);
	if (rename (from, to) == 0)
		return 0;
	/* It stays, or is copied: in both cases its user must be able to read it, which `mode` need not allow. */
	error = errno;
	chmod (from, 0600);
	return error == EXDEV ? copy_whole (from, to, mode) : -error;
}

int
monocle__move_file (const char *from, const char *to)
{
	struct stat target;
	bool is_there = stat (to, &target) == 0;
	int result;
	if (is_there && S_ISDIR (target.st_mode))
		return -EISDIR;
	if (monocle__path_is_link (to))
		result = copy_file (from, to, is_there && !S_ISREG (target.st_mode) ? 0 : O_CREAT | O_TRUNC);
	else if (is_there && !S_ISREG (target.st_mode))
		result = copy_file (from, to, 0);
	else
		result = move_plain (from, to, is_there ? target.st_mode & 0777 : 0600);
	if (result == 0)
		unlink (from);
	return result;
}

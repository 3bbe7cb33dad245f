/*
 * SPDX-License-Identifier: MIT
 *
 * take-over.c - see take-over.h.
 *
 * What the process has made is only looked at through descriptors: its user may exchange the folder, and all that is in
 * it, at any moment. The folder is root's before a file in it is; from then on nobody else adds one. A file is copied,
 * since who has it open, or has a second name for it, could still change it.
 */
#include "take-over.h"

#include "command/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of holes costs its user nothing. */
static const off_t copied_at_most = (off_t) 4 << 30;

int
monocle__take_over_open (int folder, const char *name, uid_t user)
{
	struct stat status;
	int fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) &&
	               (status.st_uid == user || status.st_uid == geteuid ())))
		return fd;
	close (fd);
	errno = EPERM;
	return -1;
}

static bool
ends_with (const char *text, const char *end)
{
	size_t length = strlen (text), end_length = strlen (end);
	return length > end_length && strcmp (text + length - end_length, end) == 0;
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

static int
write_all (int to, const char *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t put = write (to, bytes + done, length - done);
		if (put < 0 && errno != EINTR)
			return -errno;
		done += put > 0 ? (size_t) put : 0;
	}
	return 0;
}

static int
copy_bytes (int from, int to)
{
	static char buffer[1 << 16];
	struct stat status;
	ssize_t got;
	if (fstat (from, &status) != 0)
		return -errno;
	if (status.st_size > copied_at_most)
		return -EFBIG;
	for (off_t done = 0; done < copied_at_most && (got = read (from, buffer, sizeof buffer)) != 0; done += got) {
		int error = got < 0 ? -errno : write_all (to, buffer, (size_t) got);
		if (error)
			return error;
	}
	return 0;
}

/* The folder is ours by now, and the copy takes the place of the file. 0 or -errno. */
static int
copy (int folder, int from, const char *name)
{
	static const char part[] = "taken.part";
	int error, to;
	unlinkat (folder, part, 0);
	to = openat (folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	error = copy_bytes (from, to);
	if (close (to) != 0 && !error)
		error = -errno;
	if (!error && renameat (folder, part, folder, name) != 0)
		error = -errno;
	if (error)
		unlinkat (folder, part, 0);
	return error;
}

/* --- the folder --------------------------------------------------------------------------------------------------- */

static void
take (int folder, const char *name, uid_t user)
{
	int from = ends_with (name, ".plan") ? -1 : monocle__take_over_open (folder, name, user), error;
	if (from < 0) {
		unlinkat (folder, name, 0);
		return;
	}
	error = copy (folder, from, name);
	close (from);
	if (!error)
		return;
	monocle__say ("cannot take %s from its user: %s", name, strerror (-error));
	unlinkat (folder, name, 0);
}

/* By their names, which are read before: copying makes entries. Links of our own, as `here`, stay. */
static int
take_all (int folder, uid_t user)
{
	struct dirent **entries;
	int count = scandirat (folder, ".", &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct stat status;
		if (fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid == user)
			take (folder, name, user);
		free (entries[i]);
	}
	if (count >= 0)
		free (entries);
	return count < 0 ? -errno : 0;
}

/* Nobody else can rename it any more, but its user may have done so before. */
static bool
is_still_called (int fd, const char *path)
{
	struct stat opened, named;
	return fstat (fd, &opened) == 0 && lstat (path, &named) == 0 && opened.st_dev == named.st_dev &&
	       opened.st_ino == named.st_ino;
}

static int
own (int fd, const char *path, uid_t user)
{
	struct stat status;
	if (fstat (fd, &status) != 0)
		return -errno;
	if (status.st_uid != user)
		return -EPERM;
	if (fchown (fd, geteuid (), (gid_t) -1) != 0 || fchmod (fd, 0700) != 0)
		return -errno;
	return is_still_called (fd, path) ? 0 : -ESTALE;
}

bool
monocle__take_over (const char *folder, uid_t user)
{
	int fd, error;
	if (user == geteuid ())
		return true;
	fd = open (folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	error = fd < 0 ? -errno : own (fd, folder, user);
	if (!error)
		error = take_all (fd, user);
	if (fd >= 0)
		close (fd);
	if (error)
		monocle__say ("cannot take %s from its user: %s", folder, strerror (-error));
	return error == 0;
}

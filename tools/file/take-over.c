/*
 * SPDX-License-Identifier: MIT
 *
 * take-over.c - see take-over.h.
 *
 * What the process has made is only looked at through descriptors: its user may exchange the folder, and all that is in
 * it, at any moment. The folder is root's before a file in it is; from then on nobody else adds one. A file is copied,
 * since who has it open, or has a second name for it, could still change it. Holes are not copied: they cost the user
 * nothing, and would cost root space.
 */
#include "take-over.h"

#include "command/command.h"
#include "folder-list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 4000, READ_MOST = 64 << 20 };

/* One take-over. */
typedef struct {
	int folder;
	uid_t user;
	off_t bytes;    /* that were taken */
	size_t refused; /* files */
} taking;

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

bool
monocle__take_over_is_read (int fd, uid_t user)
{
	struct stat status;
	return user == geteuid () || (fstat (fd, &status) == 0 && status.st_size <= READ_MOST);
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

/* A file that grows meanwhile ends where it ended before. 0 or -errno. */
static int
copy_bytes (int from, int to, off_t size)
{
	static char buffer[1 << 16];
	for (off_t at = 0; at < size;) {
		at = lseek (from, at, SEEK_DATA);
		if (at < 0 && errno != ENXIO)
			return -errno;
		if (at < 0 || at >= size)
			break;
		size_t most = size - at < (off_t) sizeof buffer ? (size_t) (size - at) : sizeof buffer;
		ssize_t got = pread (from, buffer, most, at);
		if (got <= 0)
			return got < 0 ? -errno : 0;
		int error = lseek (to, at, SEEK_SET) < 0 ? -errno : write_all (to, buffer, (size_t) got);
		if (error)
			return error;
		at += got;
	}
	return ftruncate (to, size) == 0 ? 0 : -errno;
}

/* The folder is ours by now, and the copy takes the place of the file. 0 or -errno; -EFBIG: it would be too much. */
static int
copy (taking *self, int from, const char *name)
{
	static const char part[] = "taken.part";
	struct stat status;
	if (fstat (from, &status) != 0)
		return -errno;
	if (status.st_size > MONOCLE__TAKE_OVER_MOST - self->bytes)
		return -EFBIG;
	unlinkat (self->folder, part, 0);
	int to = openat (self->folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	int error = copy_bytes (from, to, status.st_size);
	if (close (to) != 0 && !error)
		error = -errno;
	if (!error && renameat (self->folder, part, self->folder, name) != 0)
		error = -errno;
	if (error)
		unlinkat (self->folder, part, 0);
	self->bytes += error ? 0 : status.st_size;
	return error;
}

/* --- the folder --------------------------------------------------------------------------------------------------- */

/* What is said of the first that cannot be had is enough: there may be thousands. */
static void
refuse (taking *self, const char *name, int error)
{
	unlinkat (self->folder, name, 0);
	if (self->refused++)
		return;
	if (error == -EFBIG)
		monocle__say ("cannot take %s from its user: the files of an attach may have 1 GB together", name);
	else
		monocle__say ("cannot take %s from its user: %s", name, strerror (-error));
}

static void
take (taking *self, const char *name)
{
	int from = ends_with (name, ".plan") ? -1 : monocle__take_over_open (self->folder, name, self->user);
	if (from < 0) {
		unlinkat (self->folder, name, 0);
		return;
	}
	int error = copy (self, from, name);
	close (from);
	if (error)
		refuse (self, name, error);
}

typedef struct {
	char *names[FILES_MOST + 1];
	size_t count;
} entries;

/* Links of our own, as `here`, stay. */
static void
list (const taking *self, entries *all)
{
	DIR *directory = monocle__folder_list (self->folder);
	struct dirent *entry;
	struct stat status;
	all->count = 0;
	while (directory && all->count <= FILES_MOST && (entry = readdir (directory))) {
		if (strcmp (entry->d_name, ".") && strcmp (entry->d_name, "..") &&
		    fstatat (self->folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid == self->user)
			all->names[all->count++] = monocle__format ("%s", entry->d_name);
	}
	if (directory)
		closedir (directory);
}

/* By their names, which are read before: copying makes entries. NULL, or why not. */
static const char *
take_all (int folder, uid_t user)
{
	static entries all;
	taking self = { .folder = folder, .user = user };
	list (&self, &all);
	bool is_few = all.count <= FILES_MOST;
	for (size_t i = 0; i < all.count; i++) {
		if (is_few)
			take (&self, all.names[i]);
		free (all.names[i]);
	}
	if (self.refused > 1)
		monocle__say ("nor can %zu other files be taken", self.refused - 1);
	return is_few ? NULL : "it holds more files than an attach makes";
}

/* Nobody else can rename it any more, but its user may have done so before. */
static bool
is_still_called (int fd, const char *path)
{
	struct stat opened, named;
	return fstat (fd, &opened) == 0 && lstat (path, &named) == 0 && opened.st_dev == named.st_dev &&
	       opened.st_ino == named.st_ino;
}

/* NULL, or why not. */
static const char *
own (int fd, const char *path, uid_t user)
{
	struct stat status;
	if (fstat (fd, &status) != 0)
		return strerror (errno);
	if (status.st_uid != user)
		return strerror (EPERM);
	if (fchown (fd, geteuid (), (gid_t) -1) != 0 || fchmod (fd, 0700) != 0)
		return strerror (errno);
	return is_still_called (fd, path) ? NULL : "something else has its name";
}

bool
monocle__take_over (int folder, const char *path, uid_t user)
{
	if (user == geteuid ())
		return true;
	const char *problem = own (folder, path, user);
	if (!problem)
		problem = take_all (folder, user);
	if (problem)
		monocle__say ("cannot take %s from its user: %s", path, problem);
	return !problem;
}

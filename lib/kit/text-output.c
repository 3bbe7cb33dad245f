/*
 * SPDX-License-Identifier: MIT
 *
 * text-output.c - writing a log piece by piece into a file, a command or a descriptor, in a process that is not ours:
 * the program may close all descriptors, or use ours again for something else. So ours is checked before each piece.
 */
#include "text-output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTOR_LEAST = 200 };

/* A pipe without a reader is an error, not a reason to wait: the program has not begun yet. -errno. */
static int
open_ready (const char *path, int flags)
{
	int fd = monocle__output_name_open (path, flags);
	if (fd >= 0)
		fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* Out of the way of programs that expect the lowest numbers. */
static int
move_up (int fd)
{
	int high = fcntl (fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	if (high < 0)
		return fd;
	close (fd);
	return high;
}

static void
remember (struct monocle__text_file *file, int fd)
{
	struct stat status;
	file->fd = fd;
	if (fstat (fd, &status) == 0) {
		file->device = status.st_dev;
		file->inode = status.st_ino;
	}
}

static int
open_new (struct monocle__text_file *file)
{
	char numbered[PATH_MAX] = "";
	int fd = open (file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MONOCLE__OUTPUT_MODE);
	for (unsigned number = 2; fd < 0 && errno == EEXIST && number < MONOCLE__OUTPUT_NUMBER_MOST; number++) {
		int error = monocle__output_number_name (file->path, number, numbered, sizeof numbered);
		if (error)
			return error;
		fd = open (numbered, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MONOCLE__OUTPUT_MODE);
	}
	if (fd < 0)
		return -errno;
	if (*numbered)
		strcpy (file->path, numbered);
	return fd;
}

static int
open_number (const char *number)
{
	int fd = monocle__output_descriptor (number);
	int own = fd < 0 ? fd : fcntl (fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	return own < 0 && fd >= 0 ? -errno : own;
}

int
monocle__text_file_open (struct monocle__text_file *file, const char *path, enum monocle__output_kind kind)
{
	int fd;
	*file = (struct monocle__text_file) { .fd = -1, .kind = kind };
	if (strlen (path) >= sizeof file->path)
		return file->error = -ENAMETOOLONG;
	strcpy (file->path, path);
	switch (kind) {
	case MONOCLE__OUTPUT_COMMAND: fd = monocle__output_spawn (path, &file->command); break;
	case MONOCLE__OUTPUT_FD: fd = open_number (path); break;
	case MONOCLE__OUTPUT_NEW: fd = open_new (file); break;
	default: fd = open_ready (path, O_CREAT | O_TRUNC);
	}
	if (fd < 0)
		return file->error = fd;
	remember (file, kind == MONOCLE__OUTPUT_FD ? fd : move_up (fd));
	return 0;
}

static bool
is_still_ours (const struct monocle__text_file *file)
{
	struct stat status;
	return file->fd >= 0 && fstat (file->fd, &status) == 0 && status.st_dev == file->device &&
	       status.st_ino == file->inode;
}

static int
reopen (struct monocle__text_file *file)
{
	file->fd = -1; /* whatever it is now is not ours to close */
	if (file->kind == MONOCLE__OUTPUT_COMMAND || file->kind == MONOCLE__OUTPUT_FD)
		return -EBADF;
	int fd = open_ready (file->path, O_APPEND);
	if (fd < 0)
		return fd;
	remember (file, move_up (fd));
	return 0;
}

int
monocle__text_file_write (struct monocle__text_file *file, const char *data, size_t length)
{
	if (!file->error && !is_still_ours (file))
		file->error = reopen (file);
	if (!file->error)
		file->error = file->command ? monocle__output_send (file->fd, data, length)
		                            : monocle__output_write_all (file->fd, data, length);
	return file->error;
}

int
monocle__text_file_close (struct monocle__text_file *file)
{
	if (file->fd >= 0 && is_still_ours (file) && close (file->fd) && !file->error)
		file->error = -errno;
	file->fd = -1;
	if (file->command)
		monocle__output_await (file->command);
	file->command = 0;
	return file->error;
}

int
monocle__text_file_of_thread (const char *path, pid_t tid, char *name, size_t size)
{
	const char *dot = strrchr (path, '.'), *slash = strrchr (path, '/');
	int length = dot && (!slash || dot > slash + 1) ? (int) (dot - path) : (int) strlen (path);
	int n = snprintf (name, size, "%.*s.%d%s", length, path, (int) tid, path + length);
	return n < 0 || (size_t) n >= size ? -ENAMETOOLONG : 0;
}

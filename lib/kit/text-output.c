/*
 * SPDX-License-Identifier: MIT
 *
 * text-output.c - writing a log piece by piece into a file, a command or a descriptor, in a process that is not ours: the
 * program may close all descriptors, or use ours again for something else. So ours is looked at before each piece.
 */
#include "text-output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NUMBER_MOST = 10000, DESCRIPTOR_LEAST = 200 };

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
	char stem[PATH_MAX];
	const char *dot = strrchr (file->path, '.'), *slash = strrchr (file->path, '/');
	int length = dot && (!slash || dot > slash) ? (int) (dot - file->path) : (int) strlen (file->path);
	const char *suffix = file->path + length;
	int fd = open (file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	for (unsigned number = 2; fd < 0 && errno == EEXIST && number < NUMBER_MOST; number++) {
		if (snprintf (stem, sizeof stem, "%.*s-%u%s", length, file->path, number, suffix) >= (int) sizeof stem)
			return -ENAMETOOLONG;
		fd = open (stem, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			strcpy (file->path, stem);
	}
	return fd < 0 ? -errno : fd;
}

/* A socket as the command's standard input, because send (MSG_NOSIGNAL) raises no SIGPIPE when the command ends early. */
static int
open_command (struct monocle__text_file *file)
{
	char *arguments[] = { "sh", "-c", file->path, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	posix_spawn_file_actions_init (&actions);
	posix_spawn_file_actions_adddup2 (&actions, ends[1], STDIN_FILENO);
	int error = posix_spawn (&file->command, "/bin/sh", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy (&actions);
	close (ends[1]);
	if (!error)
		return ends[0];
	file->command = 0;
	close (ends[0]);
	return -error;
}

static int
open_number (const char *number)
{
	char *end;
	long fd = strtol (number, &end, 10);
	if (*number == '\0' || *end || fd < 0 || fd > INT_MAX)
		return -EBADF;
	int own = fcntl ((int) fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	return own < 0 ? -errno : own;
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
	case MONOCLE__OUTPUT_COMMAND:
		fd = open_command (file);
		break;
	case MONOCLE__OUTPUT_FD:
		fd = open_number (path);
		break;
	case MONOCLE__OUTPUT_NEW:
		fd = open_new (file);
		break;
	default:
		fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		fd = fd < 0 ? -errno : fd;
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
	return file->fd >= 0 && fstat (file->fd, &status) == 0 && status.st_dev == file->device
		&& status.st_ino == file->inode;
}

static int
reopen (struct monocle__text_file *file)
{
	file->fd = -1; /* whatever it is now is not ours to close */
	if (file->kind == MONOCLE__OUTPUT_COMMAND || file->kind == MONOCLE__OUTPUT_FD)
		return -EBADF;
	int fd = open (file->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	remember (file, move_up (fd));
	return 0;
}

int
monocle__text_file_write (struct monocle__text_file *file, const char *data, size_t length)
{
	if (!file->error && !is_still_ours (file))
		file->error = reopen (file);
	while (!file->error && length) {
		ssize_t n = file->command ? send (file->fd, data, length, MSG_NOSIGNAL) : write (file->fd, data, length);
		if (n < 0 && errno != EINTR)
			file->error = -errno;
		data += n > 0 ? n : 0;
		length -= n > 0 ? (size_t) n : 0;
	}
	return file->error;
}

int
monocle__text_file_close (struct monocle__text_file *file)
{
	if (file->fd >= 0 && is_still_ours (file) && close (file->fd) && !file->error)
		file->error = -errno;
	file->fd = -1;
	/* The program's own waitpid may have been faster; then ECHILD ends this. */
	if (file->command)
		while (waitpid (file->command, NULL, 0) < 0 && errno == EINTR)
			;
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

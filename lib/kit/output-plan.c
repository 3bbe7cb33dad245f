/*
 * SPDX-License-Identifier: MIT
 *
 * output-plan.c - see output-plan.h.
 */
#include "output-plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MOST = PATH_MAX + 16 };

static bool
name_plan (const char *spool, char plan[PATH_MAX])
{
	return snprintf (plan, PATH_MAX, "%s.plan", spool) < PATH_MAX;
}

/* The kind is in it too: a name that must not be overwritten is not to become one that may. */
static size_t
plan_text (enum monocle__output_kind kind, const char *output, char text[TEXT_MOST])
{
	int length = snprintf (text, TEXT_MOST, "%s %s", kind == MONOCLE__OUTPUT_FILE ? "file" : "new", output);
	return length < TEXT_MOST ? (size_t) length : 0;
}

static int
write_text (int fd, const char *text, size_t length)
{
	int error = monocle__output_check_limit (0, length);
	return error ? error : monocle__output_write_all (fd, text, length);
}

int
monocle__output_plan_write (const char *spool_path, enum monocle__output_kind kind, const char *output)
{
	char path[PATH_MAX], text[TEXT_MOST];
	size_t length = plan_text (kind, output, text);
	if (!length || !name_plan (spool_path, path))
		return -ENAMETOOLONG;
	int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int error = write_text (fd, text, length);
	if (close (fd) && !error)
		error = -errno;
	if (error)
		unlink (path);
	return error;
}

void
monocle__output_plan_remove (int directory, const char *spool_path)
{
	char path[PATH_MAX];
	if (name_plan (spool_path, path))
		unlinkat (directory, path, 0);
}

/* The whole of a small file; -1: it is not a plain file of ours. */
static ssize_t
read_own (int directory, const char *name, char *text, size_t size)
{
	struct stat status;
	ssize_t length = -1;
	int fd = openat (directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_uid == geteuid ())
		length = read (fd, text, size);
	close (fd);
	return length;
}

bool
monocle__output_plan_says (int directory, const char *name, enum monocle__output_kind kind, const char *output)
{
	char plan[PATH_MAX], text[TEXT_MOST], wanted[TEXT_MOST];
	size_t length = plan_text (kind, output, wanted);
	ssize_t got = length && name_plan (name, plan) ? read_own (directory, plan, text, sizeof text) : -1;
	return got == (ssize_t) length && memcmp (text, wanted, length) == 0;
}

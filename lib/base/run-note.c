/*
 * SPDX-License-Identifier: MIT
 *
 * run-note.c - see run-note.h.
 */
#include "run-note.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "environment.h"

static bool
note_path (const char *kind, char path[PATH_MAX])
{
	const char *folder = monocle__variable ("MONOCLE_RUN_DIR");
	return folder && *folder && snprintf (path, PATH_MAX, "%s/%d.%s", folder, (int) getpid (), kind) < PATH_MAX;
}

void
monocle__run_note (const char *kind, const char *text)
{
	int saved_errno = errno, fd;
	char path[PATH_MAX];
	if (note_path (kind, path) &&
	    (fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)) >= 0) {
		dprintf (fd, "%s\n", text);
		close (fd);
	}
	errno = saved_errno;
}

void
monocle__run_note_remove (const char *kind)
{
	int saved_errno = errno;
	char path[PATH_MAX];
	if (note_path (kind, path))
		unlink (path);
	errno = saved_errno;
}

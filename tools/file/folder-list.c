/*
 * SPDX-License-Identifier: MIT
 *
 * folder-list.c - see folder-list.h. Reading takes a descriptor for itself, and moves its position: so the folder is
 * opened once more, by the descriptor and not by a name that another user may have exchanged.
 */
#include "folder-list.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

DIR *
monocle__folder_list (int folder)
{
	int again = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again >= 0 ? fdopendir (again) : NULL;
	if (!list && again >= 0) {
		int error = errno;
		close (again);
		errno = error;
	}
	return list;
}

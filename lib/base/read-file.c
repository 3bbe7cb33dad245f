/*
 * SPDX-License-Identifier: MIT
 *
 * read-file.c - see read-file.h.
 */
#include "read-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM_LEAST = 4096 };

/* Files of /proc say that they are empty. The byte behind tells whether there is more. */
static size_t
first_room (int fd, size_t most)
{
	struct stat status;
	size_t size = fstat (fd, &status) == 0 && S_ISREG (status.st_mode) ? (size_t) status.st_size : 0;
	return size < ROOM_LEAST ? ROOM_LEAST : size < most ? size + 2 : most + 2;
}

static ssize_t
read_more (int fd, char *bytes, size_t size)
{
	ssize_t got;
	do
		got = read (fd, bytes, size);
	while (got < 0 && errno == EINTR);
	return got;
}

void *
monocle__read_file (int fd, size_t most, size_t *ret_size)
{
	size_t size = 0, room = first_room (fd, most);
	char *bytes = malloc (room);
	ssize_t got = 1;
	while (bytes && size <= most && (got = read_more (fd, bytes + size, room - size - 1)) > 0) {
		char *grown = bytes;
		size += (size_t) got;
		if (size + 1 == room && !(grown = realloc (bytes, room *= 2)))
			free (bytes);
		bytes = grown;
	}
	if (!bytes)
		return NULL;
	if (got != 0) {
		int error = got < 0 ? errno : EFBIG;
		free (bytes);
		errno = error;
		return NULL;
	}
	bytes[size] = '\0';
	*ret_size = size;
	return bytes;
}

size_t
monocle__read_file_text (int folder, const char *name, char *text, size_t size)
{
	int fd = openat (folder, name, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = fd < 0 ? 0 : 1;
	for (; got > 0 && length<size - 1; length += got> 0 ? (size_t) got : 0)
		got = read_more (fd, text + length, size - 1 - length);
	if (fd >= 0)
		close (fd);
	text[length] = '\0';
	return length;
}

size_t
monocle__read_file_of_thread (uint64_t os_id, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf (path, sizeof path, "/proc/self/task/%llu/%s", (unsigned long long) os_id, name);
	return monocle__read_file_text (AT_FDCWD, path, text, size);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * read-part.c - see read-part.h.
 */
#include "read-part.h"

#include <stdlib.h>
#include <unistd.h>

void *
monocle__read_part (int fd, uint64_t offset, uint64_t size)
{
	char *bytes = size <= MONOCLE__READ_PART_MOST && offset <= INT64_MAX - size ? malloc ((size_t) size + 1) : NULL;
	uint64_t length = 0;
	while (bytes && length < size) {
		ssize_t more = pread (fd, bytes + length, (size_t) (size - length), (off_t) (offset + length));
		if (more <= 0) {
			free (bytes);
			return NULL;
		}
		length += (uint64_t) more;
	}
	if (bytes)
		bytes[size] = '\0';
	return bytes;
}

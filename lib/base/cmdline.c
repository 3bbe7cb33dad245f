/*
 * SPDX-License-Identifier: MIT
 *
 * cmdline.c - see cmdline.h.
 */
#include "cmdline.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

size_t
monocle__cmdline_read (char *buffer, size_t size)
{
	int fd = open ("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t got;
	while (fd >= 0 && have < size - 1 && (got = read (fd, buffer + have, size - 1 - have)) > 0)
		have += (size_t) got;
	if (fd >= 0)
		close (fd);
	buffer[have] = '\0';
	return have;
}

bool
monocle__cmdline_is_assembly (const char *word)
{
	size_t length = strlen (word);
	return length > 4 && (!strcasecmp (word + length - 4, ".dll") || !strcasecmp (word + length - 4, ".exe"));
}

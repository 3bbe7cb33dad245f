/*
 * SPDX-License-Identifier: MIT
 *
 * cmdline.c - see cmdline.h.
 */
#include "cmdline.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "read-file.h"

size_t
monocle__cmdline_read (char *buffer, size_t size)
{
	return monocle__read_file_text (AT_FDCWD, "/proc/self/cmdline", buffer, size);
}

bool
monocle__cmdline_is_assembly (const char *word)
{
	size_t length = strlen (word);
	return length > 4 && (!strcasecmp (word + length - 4, ".dll") || !strcasecmp (word + length - 4, ".exe"));
}

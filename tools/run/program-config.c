/*
 * SPDX-License-Identifier: MIT
 *
 * program-config.c - see program-config.h.
 */
#include "program-config.h"

#include "command/command.h"
#include "path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At its beginning; a file that is a pipe or a device is not waited for. */
static bool
mentions (const char *path, const char *text)
{
	char buffer[65536];
	int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read (fd, buffer, sizeof buffer) : 0;
	if (fd >= 0)
		close (fd);
	return length > 0 && memmem (buffer, (size_t) length, text, strlen (text));
}

bool
monocle__program_config_disables (const char *folder, const char *word)
{
	const char *dot = strrchr (monocle__path_base_name (word), '.');
	bool is_assembly = dot && (strcmp (dot, ".dll") == 0 || strcmp (dot, ".exe") == 0);
	int length = (int) (is_assembly ? (size_t) (dot - word) : strlen (word));
	char *config = monocle__format ("%s%.*s.runtimeconfig.json", *word == '/' ? "" : folder, length, word);
	bool disables = mentions (config, "EnableDiagnostics");
	free (config);
	return disables;
}

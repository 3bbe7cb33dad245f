/*
 * SPDX-License-Identifier: MIT
 *
 * process-start.c - see process-start.h.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process-start.h"
#include "read-file.h"

uint64_t
monocle__process_start (pid_t pid)
{
	char path[40], text[1024];
	snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
	if (!monocle__read_file_text (AT_FDCWD, path, text, sizeof text))
		return 0;
	/* Field 2 is the name in parentheses and may hold anything; the state, field 3, follows the last one. */
	char *field = strrchr (text, ')');
	if (!field || field[1] != ' ' || strchr ("ZXx", field[2]))
		return 0;
	for (int number = 2; field && number < 22; number++)
		field = strchr (field + 1, ' ');
	return field ? strtoull (field + 1, NULL, 10) : 0;
}

void
monocle__process_start_boot_id (char *id)
{
	char text[40] = "";
	monocle__read_file_text (AT_FDCWD, "/proc/sys/kernel/random/boot_id", text, sizeof text);
	text[strcspn (text, "\n")] = '\0';
	memcpy (id, text, sizeof text);
}

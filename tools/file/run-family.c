/*
 * SPDX-License-Identifier: MIT
 *
 * run-family.c - see run-family.h.
 */
#include "run-family.h"

#include "command/command.h"
#include "nanoseconds.h"
#include "process-start.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The system gives a file of /proc no size. NULL: it is not to be read, or empty, as that of a dead process is. */
static char *
read_environment (const char *pid, size_t *ret_size)
{
	char *path = monocle__format ("/proc/%s/environ", pid);
	FILE *file = fopen (path, "re");
	char *text = NULL;
	size_t size = 0, room = 0;
	while (file && size == room) {
		room = room ? 2 * room : 4096;
		char *longer = realloc (text, room + 1);
		if (!longer)
			break;
		text = longer;
		size += fread (text + size, 1, room - size, file);
	}
	if (file)
		fclose (file);
	free (path);
	if (text)
		text[size] = '\0';
	*ret_size = size;
	return text;
}

static bool
is_member (const char *pid, const char *setting)
{
	size_t size = 0;
	char *text = read_environment (pid, &size);
	bool is_found = false;
	for (size_t at = 0; text && at < size && !is_found; at += strlen (text + at) + 1)
		is_found = strcmp (text + at, setting) == 0;
	free (text);
	return is_found;
}

pid_t *
monocle__run_family_find (const char *folder, size_t *ret_count)
{
	char *setting = monocle__format ("MONOCLE_RUN_DIR=%s", folder);
	DIR *directory = opendir ("/proc");
	struct dirent *entry;
	pid_t *pids = NULL;
	size_t count = 0;
	while (directory && (entry = readdir (directory))) {
		pid_t pid = (pid_t) atoi (entry->d_name);
		if (!isdigit ((unsigned char) *entry->d_name) || pid == getpid () || !is_member (entry->d_name, setting))
			continue;
		pid_t *more = realloc (pids, (count + 1) * sizeof *pids);
		if (!more)
			break;
		pids = more;
		pids[count++] = pid;
	}
	if (directory)
		closedir (directory);
	free (setting);
	*ret_count = count;
	return pids;
}

unsigned long long
monocle__run_family_age (pid_t pid)
{
	uint64_t start = monocle__process_start (pid), ticks = (uint64_t) sysconf (_SC_CLK_TCK);
	uint64_t now = monocle__nanoseconds (CLOCK_BOOTTIME) / 1000000, began = start * 1000 / ticks;
	return !start ? ULLONG_MAX : now > began ? now - began : 0;
}

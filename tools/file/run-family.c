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

/* The system gives a file of /proc no size. Of a dead process it is empty, or cannot be read. */
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

/*
 * Is it between two programs? In exec it has no environment for a moment, nor an address where that ends. A process
 * that is dead, the kernel's or out of the caller's sight has no program file.
 */
static bool
is_in_exec (const char *pid)
{
	enum { ENVIRONMENT_END = 51, STATE = 3 }; /* proc(5): fields of stat */
	char *exe = monocle__format ("/proc/%s/exe", pid), *path = monocle__format ("/proc/%s/stat", pid);
	char target[16], text[2048] = "";
	FILE *file = readlink (exe, target, sizeof target) > 0 ? fopen (path, "re") : NULL;
	char *at = file && fgets (text, sizeof text, file) ? strrchr (text, ')') : NULL;
	for (int field = STATE; at && field <= ENVIRONMENT_END; field++)
		at = strchr (at + 1, ' ');
	if (file)
		fclose (file);
	free (exe);
	free (path);
	return at && strtoull (at, NULL, 10) == 0;
}

static bool
is_member (const char *pid, const char *setting)
{
	enum { LOOKS = 1000, PAUSE_NS = 1000000 };
	size_t size = 0;
	char *text = read_environment (pid, &size);
	for (int i = 0; i < LOOKS && !size && is_in_exec (pid); i++) {
		nanosleep (&(struct timespec) { .tv_nsec = PAUSE_NS }, NULL);
		free (text);
		text = read_environment (pid, &size);
	}
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

bool
monocle__run_family_has (pid_t pid, const char *folder)
{
	char *setting = monocle__format ("MONOCLE_RUN_DIR=%s", folder), *name = monocle__format ("%d", (int) pid);
	bool is_found = is_member (name, setting);
	free (name);
	free (setting);
	return is_found;
}

unsigned long long
monocle__run_family_age (pid_t pid)
{
	uint64_t start = monocle__process_start (pid), ticks = (uint64_t) sysconf (_SC_CLK_TCK);
	uint64_t now = monocle__nanoseconds (CLOCK_BOOTTIME) / 1000000, began = start * 1000 / ticks;
	return !start ? ULLONG_MAX : now > began ? now - began : 0;
}

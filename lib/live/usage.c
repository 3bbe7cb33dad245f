/*
 * SPDX-License-Identifier: MIT
 *
 * usage.c - see usage.h: fields 14, 15, 20, 22 and 24 of /proc/PID/stat (proc (5)), counted from behind the name.
 */
#include "usage.h"

#include "nanoseconds.h"
#include "read-file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 3, USER = 14, SYSTEM = 15, THREADS = 20, START = 22, RESIDENT = 24, FIELDS = 25 };

static bool
read_fields (const char *path, uint64_t fields[FIELDS], char *ret_state)
{
	char text[1024], *at;
	if (!monocle__read_file_text (AT_FDCWD, path, text, sizeof text))
		return false;
	at = strrchr (text, ')');
	if (!at || at[1] != ' ' || !at[2])
		return false;
	*ret_state = at[2];
	at += 3;
	for (int field = FIRST + 1; field < FIELDS; field++)
		fields[field] = strtoull (at, &at, 10);
	return true;
}

bool
monocle__live_usage_read (pid_t pid, uint64_t start, monocle__live_usage *ret_usage)
{
	uint64_t fields[FIELDS] = { 0 }, tick = MONOCLE__NANOSECONDS_SECOND / (uint64_t) sysconf (_SC_CLK_TCK);
	char path[32], state;
	snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
	if (!read_fields (path, fields, &state) || fields[START] != start)
		return false;
	ret_usage->cpu = (fields[USER] + fields[SYSTEM]) * tick;
	ret_usage->resident = fields[RESIDENT] * (uint64_t) sysconf (_SC_PAGESIZE);
	ret_usage->threads = strchr ("ZXx", state) ? 0 : fields[THREADS];
	return true;
}

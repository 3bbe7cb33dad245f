/*
 * SPDX-License-Identifier: MIT
 *
 * live-spool.c - see live-spool.h. A profiled process has its spool mapped, wherever that lies: /proc/PID/maps names
 * it. What that says is only looked at: a file that is no spool is told when it is read.
 */
#include "live-spool.h"

#include "ancestry.h"
#include "command/command.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { SPOOLS_MOST = 16 };

typedef struct {
	char *paths[SPOOLS_MOST];
	size_t count;
} spools;

static bool
is_number (const char *word)
{
	size_t number;
	return monocle__try_number (word, &number) && number > 0 && number <= INT_MAX;
}

bool
monocle__live_spool_is_pid (const char *word)
{
	return is_number (word) && access (word, F_OK) != 0;
}

static bool
ends_with (const char *text, const char *end)
{
	size_t length = strlen (text), end_length = strlen (end);
	return length > end_length && strcmp (text + length - end_length, end) == 0;
}

/* In a container the process has another root folder. */
static void
add (spools *found, int pid, const char *path)
{
	char *here =
	    access (path, R_OK) == 0 ? monocle__format ("%s", path) : monocle__format ("/proc/%d/root%s", pid, path);
	bool is_known = false;
	for (size_t i = 0; i < found->count; i++)
		is_known = is_known || strcmp (found->paths[i], here) == 0;
	if (is_known || found->count == SPOOLS_MOST)
		free (here);
	else
		found->paths[found->count++] = here;
}

/* 0, or the error for which the process cannot be looked at. */
static int
add_mapped (spools *found, int pid)
{
	char *name = monocle__format ("/proc/%d/maps", pid), *line = NULL;
	FILE *maps = fopen (name, "re");
	size_t size = 0;
	ssize_t length;
	int error = maps ? 0 : errno == ENOENT ? ESRCH : errno;
	while (maps && (length = getline (&line, &size, maps)) > 0) {
		char *path = strchr (line, '/');
		line[strcspn (line, "\n")] = '\0';
		if (path && ends_with (path, ".spool"))
			add (found, pid, path);
	}
	free (line);
	free (name);
	if (maps)
		fclose (maps);
	return error;
}

static void
add_descendants (spools *found, int ancestor)
{
	DIR *directory = opendir ("/proc");
	struct dirent *entry;
	while (directory && (entry = readdir (directory))) {
		if (is_number (entry->d_name) && monocle__live_ancestry_is_below (atoi (entry->d_name), ancestor))
			add_mapped (found, atoi (entry->d_name));
	}
	if (directory)
		closedir (directory);
}

static void
say_others (const spools *found, const char *pid)
{
	for (size_t i = 1; i < found->count; i++)
		monocle__say ("process %s: this is %s; there is %s, too", pid, found->paths[0], found->paths[i]);
}

char *
monocle__live_spool_find (const char *pid)
{
	spools found = { 0 };
	char *path = NULL;
	int error = add_mapped (&found, atoi (pid));
	if (error == 0 && found.count == 0)
		add_descendants (&found, atoi (pid));
	if (found.count > 0) {
		path = monocle__format ("%s", found.paths[0]);
		say_others (&found, pid);
	} else if (error != 0) {
		monocle__say ("%s is no file, and process %s cannot be looked at: %s", pid, pid, strerror (error));
	} else {
		monocle__say ("process %s writes no profile, and none that it has started does", pid);
	}
	for (size_t i = 0; i < found.count; i++)
		free (found.paths[i]);
	return path;
}

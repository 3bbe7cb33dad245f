/*
 * SPDX-License-Identifier: MIT
 *
 * left-over.c - see left-over.h.
 *
 * The folder of a run has a link `parent`, "PID:START", to tell whether the process that made it is there: numbers of
 * processes are used again, moments are not. A folder without one is not touched.
 */
#include "left-over.h"

#include "command/command.h"
#include "process-start.h"
#include "run-folder.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	SHOWN = 3,
	YOUNG = 60, /* seconds: a program may be starting that has outlived its run */
};

/* Is it a folder of the user's own, made by a run that has ended, and has nothing happened in it for a while? */
static bool
is_left (const char *path)
{
	char link[PATH_MAX], parent[64] = "";
	struct stat status;
	int pid;
	uint64_t start;
	if (lstat (path, &status) != 0 || !S_ISDIR (status.st_mode) || status.st_uid != geteuid () ||
	    time (NULL) - status.st_mtime < YOUNG)
		return false;
	if (snprintf (link, sizeof link, "%s/parent", path) >= (int) sizeof link ||
	    readlink (link, parent, sizeof parent - 1) < 0 || sscanf (parent, "%d:%" SCNu64, &pid, &start) != 2)
		return false;
	return monocle__process_start (pid) != start;
}

static bool
is_precious (const char *name)
{
	const char *dot = strrchr (name, '.');
	return strncmp (name, "output.", strlen ("output.")) == 0 ||
	       (dot && (strcmp (dot, ".spool") == 0 || strcmp (dot, ".gz") == 0 || strcmp (dot, ".mcov") == 0));
}

/* How many files somebody could want; names up to `shown` of them. */
static unsigned
look (const char *folder, unsigned shown)
{
	DIR *directory = opendir (folder);
	struct dirent *entry;
	unsigned count = 0;
	while (directory && (entry = readdir (directory))) {
		if (!is_precious (entry->d_name))
			continue;
		if (count++ < shown)
			monocle__say ("a run that was killed has left %s/%s", folder, entry->d_name);
	}
	if (directory)
		closedir (directory);
	return count;
}

static unsigned
each_in (const char *place, bool is_cleaning, unsigned count)
{
	DIR *directory = opendir (place);
	struct dirent *entry;
	while (directory && (entry = readdir (directory))) {
		char *path = monocle__format ("%s/%s", place, entry->d_name);
		bool fits = strncmp (entry->d_name, "monocle-", strlen ("monocle-")) == 0 && is_left (path);
		if (fits && !is_cleaning)
			count += look (path, count < SHOWN ? SHOWN - count : 0);
		else if (fits && look (path, 0) == 0)
			monocle__run_folder_delete (path);
		free (path);
	}
	if (directory)
		closedir (directory);
	return count;
}

static unsigned
each (bool is_cleaning)
{
	const char *places[MONOCLE__RUN_FOLDER_PLACES];
	size_t place_count = monocle__run_folder_places (places);
	unsigned count = 0;
	for (size_t i = 0; i < place_count; i++) {
		bool is_seen = false;
		for (size_t k = 0; k < i; k++)
			is_seen = is_seen || strcmp (places[k], places[i]) == 0;
		if (!is_seen)
			count = each_in (places[i], is_cleaning, count);
	}
	return count;
}

void
monocle__left_over_clean (void)
{
	each (true);
}

unsigned
monocle__left_over_say (void)
{
	unsigned count = each (false);
	if (count > SHOWN)
		monocle__say ("and %u more", count - SHOWN);
	return count;
}

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
#include "folder-list.h"
#include "log-place.h"
#include "process-start.h"
#include "run-family.h"
#include "run-folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	SHOWN = 3,
	YOUNG = 60, /* seconds: a program may be starting that has outlived its run */
};

/* A file that somebody could want. */
typedef struct {
	char *path;
	struct timespec modified;
} found;

typedef struct {
	found *files;
	size_t count;
} finds;

/* Is it a folder of the user's own, made by a run that has ended? */
static bool
is_left (int folder, struct stat *ret_status)
{
	char parent[64] = "";
	int pid;
	uint64_t start;
	return fstat (folder, ret_status) == 0 && ret_status->st_uid == geteuid () &&
	       readlinkat (folder, "parent", parent, sizeof parent - 1) >= 0 &&
	       sscanf (parent, "%d:%" SCNu64, &pid, &start) == 2 && monocle__process_start (pid) != start;
}

static bool
is_precious (const char *name)
{
	const char *dot = strrchr (name, '.');
	return strncmp (name, "output.", strlen ("output.")) == 0 ||
	       (dot && (strcmp (dot, ".spool") == 0 || strcmp (dot, ".gz") == 0 || strcmp (dot, ".mcov") == 0 ||
	                strcmp (dot, "." MONOCLE__LOG_PLACE_MESSAGES) == 0));
}

static void
add (finds *all, int folder, const char *folder_path, const char *name)
{
	char *path = monocle__format ("%s/%s", folder_path, name);
	struct stat status;
	bool is_there = fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	found *files = is_there ? realloc (all->files, (all->count + 1) * sizeof *files) : NULL;
	if (!files) {
		free (path);
		return;
	}
	all->files = files;
	files[all->count++] = (found) { path, status.st_mtim };
}

/* Is there a file that somebody could want? `all` is NULL, or gets every one. */
static bool
look (int folder, const char *path, finds *all)
{
	DIR *directory = monocle__folder_list (folder);
	struct dirent *entry;
	bool is_there = false;
	while (directory && (all || !is_there) && (entry = readdir (directory))) {
		if (!is_precious (entry->d_name))
			continue;
		is_there = true;
		if (all)
			add (all, folder, path, entry->d_name);
	}
	if (directory)
		closedir (directory);
	return is_there;
}

/* Is there a process that will write into it? */
static bool
is_lived_in (const char *path)
{
	size_t count;
	free (monocle__run_family_find (path, &count));
	return count > 0;
}

static void
forget (finds *all)
{
	for (size_t i = 0; i < all->count; i++)
		free (all->files[i].path);
	free (all->files);
	*all = (finds) { 0 };
}

/* `all` NULL: what nobody wants is removed. `folder` is closed. */
static void
each_of (int folder, const char *place, const char *name, finds *all)
{
	char *path = monocle__format ("%s/%s", place, name);
	struct stat status;
	bool fits = is_left (folder, &status);
	if (fits && all)
		look (folder, path, all);
	else if (fits && time (NULL) - status.st_mtime >= YOUNG && !look (folder, path, NULL) && !is_lived_in (path))
		monocle__run_folder_delete (folder, path);
	free (path);
	close (folder);
}

static void
each_in (const char *place, finds *all)
{
	DIR *directory = opendir (place);
	struct dirent *entry;
	while (directory && (entry = readdir (directory))) {
		if (strncmp (entry->d_name, "monocle-", strlen ("monocle-")) != 0)
			continue; /* of the many that such a place holds */
		int folder = openat (dirfd (directory), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder >= 0)
			each_of (folder, place, entry->d_name, all);
	}
	if (directory)
		closedir (directory);
}

static void
each (finds *all)
{
	const char *places[MONOCLE__RUN_FOLDER_PLACES];
	size_t place_count = monocle__run_folder_places (places);
	for (size_t i = 0; i < place_count; i++) {
		bool is_seen = false;
		for (size_t k = 0; k < i; k++)
			is_seen = is_seen || strcmp (places[k], places[i]) == 0;
		if (!is_seen)
			each_in (places[i], all);
	}
}

static int
newest_first (const void *a, const void *b)
{
	const struct timespec *x = &((const found *) a)->modified, *y = &((const found *) b)->modified;
	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

void
monocle__left_over_clean (void)
{
	each (NULL);
}

void
monocle__left_over_say (void)
{
	finds all = { 0 };
	each (&all);
	if (all.count)
		qsort (all.files, all.count, sizeof *all.files, newest_first);
	for (size_t i = 0; i < all.count && i < SHOWN; i++)
		monocle__say ("an earlier run has left %s", all.files[i].path);
	if (all.count > SHOWN)
		monocle__say ("and %zu more", all.count - SHOWN);
	forget (&all);
}

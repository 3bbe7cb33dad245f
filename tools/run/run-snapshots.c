/*
 * SPDX-License-Identifier: MIT
 *
 * run-snapshots.c - see run-snapshots.h. A request is a file that was closed or moved into the folder. The watching
 * thread alone writes `paths` until it has ended.
 */
#include "run-snapshots.h"

#include "command/command.h"
#include "coverage.h"
#include "file/coverage-live.h"
#include "folder-watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER_LENGTH = 32 };
static const char wanted[] = ".want";

struct monocle__run_snapshots {
	char *folder;                 /* absolute */
	monocle__folder_watch *watch; /* NULL: it has ended */
	char **paths;
	size_t count;
};

/* --- one snapshot ------------------------------------------------------------------------------------------------- */

static bool
is_wanted (const char *name)
{
	size_t length = strlen (name), end = sizeof wanted - 1;
	return length > end && strcmp (name + length - end, wanted) == 0;
}

/* 0 after one line on stderr. */
static pid_t
read_process (const char *path)
{
	char text[NUMBER_LENGTH] = "";
	size_t pid = 0;
	struct stat status;
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t length =
	    fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode) ? read (fd, text, sizeof text - 1) : 0;
	if (fd >= 0)
		close (fd);
	text[length > 0 ? strcspn (text, " \t\r\n") : 0] = '\0';
	if (monocle__try_number (text, &pid) && pid > 0 && pid <= INT_MAX)
		return (pid_t) pid;
	monocle__say ("%s: the number of a process must be in it", path);
	return 0;
}

/* Under a name that nobody looks for, until it is whole. 0 or -1, after one line on stderr. */
static int
write_whole (const monocle__coverage *coverage, const char *path)
{
	char *part = monocle__format ("%s.part%d", path, (int) getpid ());
	FILE *out;
	int fd, result = -1;
	unlink (part);
	fd = open (part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	out = fd >= 0 ? fdopen (fd, "wb") : NULL;
	if (out) {
		bool is_written = monocle__coverage_write (out, coverage) == 0;
		result = fclose (out) == 0 && is_written && rename (part, path) == 0 ? 0 : -1;
	}
	if (result != 0) {
		monocle__say ("cannot write %s: %s", path, strerror (errno));
		unlink (part);
	}
	free (part);
	return result;
}

static int
write_copy (const monocle__coverage_live *live, const char *path)
{
	monocle__coverage *coverage = monocle__coverage_new ();
	const char *error = "out of memory";
	int result = -1;
	if (coverage && monocle__coverage_add (coverage, live->copy, live->size, &error) == 0)
		result = write_whole (coverage, path);
	else
		monocle__say ("%s: %s", live->path, error);
	monocle__coverage_free (coverage);
	return result;
}

static int
take (pid_t pid, const char *path)
{
	monocle__coverage_live live;
	int result = monocle__coverage_live_open_process (&live, pid, true);
	if (result == 0) {
		result = monocle__coverage_live_take (&live, true);
		if (result == 0)
			result = write_copy (&live, path);
		if (result != 0)
			monocle__coverage_live_put_back (&live);
	}
	monocle__coverage_live_close (&live);
	return result;
}

static void
remember (monocle__run_snapshots *snapshots, char *path)
{
	char **longer = realloc (snapshots->paths, (snapshots->count + 1) * sizeof *longer);
	if (!longer) {
		monocle__say ("out of memory; %s will not be in the whole", path);
		free (path);
		return;
	}
	snapshots->paths = longer;
	snapshots->paths[snapshots->count++] = path;
}

/* What is there under the name stays: it would be lost to the whole. */
static void
answer (monocle__run_snapshots *snapshots, const char *name)
{
	size_t length = strlen (name) - (sizeof wanted - 1);
	char *want = monocle__format ("%s/%s", snapshots->folder, name);
	char *path = monocle__format ("%s/%.*s.mcov", snapshots->folder, (int) length, name);
	pid_t pid = read_process (want);
	if (pid && access (path, F_OK) == 0)
		monocle__say ("%s is there already; a snapshot needs a name of its own", path);
	else if (pid && take (pid, path) == 0) {
		remember (snapshots, path);
		path = NULL;
	}
	unlink (want);
	free (path);
	free (want);
}

/* --- the folder --------------------------------------------------------------------------------------------------- */

static void
answer_all (monocle__run_snapshots *snapshots)
{
	DIR *directory = opendir (snapshots->folder);
	struct dirent *entry;
	while (directory && (entry = readdir (directory))) {
		if (is_wanted (entry->d_name))
			answer (snapshots, entry->d_name);
	}
	if (directory)
		closedir (directory);
}

static void
see_file (void *data, const char *name)
{
	monocle__run_snapshots *snapshots = data;
	if (!name)
		answer_all (snapshots);
	else if (is_wanted (name))
		answer (snapshots, name);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

/* 0 or an errno. */
static int
begin (monocle__run_snapshots *snapshots, const char *folder)
{
	if (mkdir (folder, 0777) != 0 && errno != EEXIST)
		return errno;
	snapshots->folder = realpath (folder, NULL);
	if (!snapshots->folder)
		return errno;
	snapshots->watch =
	    monocle__folder_watch_begin (snapshots->folder, IN_CLOSE_WRITE | IN_MOVED_TO, see_file, snapshots);
	return snapshots->watch ? 0 : errno;
}

monocle__run_snapshots *
monocle__run_snapshots_begin (const char *folder)
{
	monocle__run_snapshots *snapshots = calloc (1, sizeof *snapshots);
	int error = snapshots ? begin (snapshots, folder) : ENOMEM;
	if (error == 0) {
		setenv ("MONOCLE_SNAPSHOT_DIR", snapshots->folder, 1);
		return snapshots;
	}
	monocle__say ("cannot watch %s for snapshots: %s", folder, strerror (error));
	monocle__run_snapshots_free (snapshots);
	return NULL;
}

void
monocle__run_snapshots_end (monocle__run_snapshots *snapshots)
{
	if (!snapshots)
		return;
	monocle__folder_watch_end (snapshots->watch);
	snapshots->watch = NULL;
}

size_t
monocle__run_snapshots_count (const monocle__run_snapshots *snapshots)
{
	return snapshots ? snapshots->count : 0;
}

const char *
monocle__run_snapshots_path (const monocle__run_snapshots *snapshots, size_t index)
{
	return snapshots->paths[index];
}

void
monocle__run_snapshots_free (monocle__run_snapshots *snapshots)
{
	if (!snapshots)
		return;
	for (size_t i = 0; i < snapshots->count; i++)
		free (snapshots->paths[i]);
	free (snapshots->paths);
	free (snapshots->folder);
	free (snapshots);
}

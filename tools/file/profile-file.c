/*
 * SPDX-License-Identifier: MIT
 *
 * profile-file.c - profiles and spools, told apart by what they hold.
 */
#include "profile-file.h"

#include "command/command.h"
#include "command/output.h"
#include "coverage-file.h"
#include "format.h"
#include "join.h"
#include "left-over.h"
#include "lines.h"
#include "live-spool.h"
#include "path.h"
#include "spool-name.h"

#include <monocle/kit.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ERROR_SIZE = 256 };

static bool
ends_with (const char *text, const char *end)
{
	size_t length = strlen (text), end_length = strlen (end);
	return length > end_length && strcmp (text + length - end_length, end) == 0;
}

const char *
monocle__profile_file_title (const char *path)
{
	return strcmp (path, "-") == 0 ? "standard input" : path;
}

char *
monocle__profile_file_output (const char *path, const char *extension)
{
	return strcmp (path, "-") == 0 ? monocle__format ("-") : monocle__output_name (path, extension);
}

/* What it is called may become a pipe before it is open, which is not waited for. NULL: it is no file. */
static FILE *
open_plain (const char *path)
{
	struct stat status;
	int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool is_plain = fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode);
	FILE *stream = is_plain ? fdopen (fd, "r") : NULL;
	if (fd >= 0 && !stream)
		close (fd);
	return stream;
}

bool
monocle__profile_file_is_spool (const char *path)
{
	uint64_t magic = 0;
	FILE *stream = open_plain (path);
	size_t length;
	if (!stream)
		return false;
	length = fread (&magic, 1, sizeof magic, stream);
	fclose (stream);
	if (magic == 0)
		return ends_with (path, ".spool");
	return length == sizeof magic && magic == MONOCLE__SPOOL_MAGIC;
}

int
monocle__profile_file_unpack (const char *path, void **ret_data, size_t *ret_length)
{
	const char *problem = "unknown error";
	char *spool = monocle__live_spool_is_pid (path) ? monocle__live_spool_find (path) : monocle__format ("%s", path);
	int result = -1;
	if (spool && (result = monocle_kit_spool_read (spool, ret_data, ret_length, &problem)) != 0)
		monocle__say ("%s: %s", spool, problem);
	free (spool);
	return result == 0 ? 0 : -1;
}

static void
say_symbols (const char *text)
{
	monocle__say ("%s", text);
}

/* Without memory the profile has no lines. */
static void
find_lines (monocle__profile *profile)
{
	monocle__lines_find (profile, say_symbols);
}

static bool
is_running (const monocle__profile *profile)
{
	for (size_t i = 0; i < profile->comment_count; i++) {
		if (strcmp (profile->comments[i], MONOCLE__SPOOL_RUNNING) == 0)
			return true;
	}
	return false;
}

/* The profile that is in a spool. Nothing is written: who looks at a file has not asked for another. */
static int
read_spool (const char *path, monocle__profile **ret_profile)
{
	char error[ERROR_SIZE];
	void *data;
	size_t length;
	int result;
	if (monocle__profile_file_unpack (path, &data, &length) != 0)
		return -1;
	result = monocle__profile_parse (data, length, ret_profile, error, sizeof error);
	free (data);
	if (result == 0)
		find_lines (*ret_profile);
	if (result != 0)
		monocle__say ("%s: %s", path, error);
	else if (is_running (*ret_profile))
		monocle__say ("%s: its process is still running: this is what it had so far", path);
	else
		monocle__say ("%s: its process ended before it wrote its profile; to keep it: "
		              "monocle convert %s --to=pprof (%s can be deleted then)",
		              path, path, path);
	return result;
}

/* A profile that is not there may have left its spool. Says so and answers true then. */
static bool
say_spool (const char *path)
{
	char *spool = monocle__format ("%s.spool", path);
	bool is_left = access (path, F_OK) != 0 && monocle__profile_file_is_spool (spool);
	if (is_left)
		monocle__say ("%s is not there, but its spool is: name %s", path, spool);
	free (spool);
	return is_left;
}

/*
 * Modules write logs of events as text: lines that begin with "#", the last of which names the columns. Says so and
 * returns true when the file is one.
 */
static bool
say_text_log (const char *path)
{
	static const char columns[] = "\n# time thread ";
	char head[1024] = "";
	FILE *stream = open_plain (path);
	size_t length;
	if (!stream)
		return false;
	length = fread (head, 1, sizeof head - 1, stream);
	fclose (stream);
	if (length < 2 || memcmp (head, "# ", 2) != 0 || !strstr (head, columns))
		return false;
	monocle__say ("%s is a text log, not a profile: it has a line per event; read it with a pager or grep", path);
	return true;
}

static int
open_live (const char *pid, monocle__profile **ret_profile)
{
	char *path = monocle__live_spool_find (pid);
	int result = path ? read_spool (path, ret_profile) : -1;
	free (path);
	return result;
}

/* It may be a pipe, so that nothing can be asked of it before it is read. */
static int
read_standard_input (monocle__profile **ret_profile)
{
	char error[ERROR_SIZE];
	if (monocle__profile_read ("/dev/stdin", ret_profile, error, sizeof error) == 0) {
		find_lines (*ret_profile);
		return 0;
	}
	monocle__say ("%s: %s", monocle__profile_file_title ("-"), error);
	return -1;
}

int
monocle__profile_file_open (const char *path, monocle__profile **ret_profile)
{
	char error[ERROR_SIZE];
	if (strcmp (path, "-") == 0)
		return read_standard_input (ret_profile);
	if (monocle__live_spool_is_pid (path))
		return open_live (path, ret_profile);
	if (monocle__profile_file_is_spool (path))
		return read_spool (path, ret_profile);
	if (say_text_log (path))
		return -1;
	if (monocle__profile_read (path, ret_profile, error, sizeof error) == 0) {
		if ((*ret_profile)->incomplete)
			monocle__say ("%s: %s", path, (*ret_profile)->incomplete);
		find_lines (*ret_profile);
		return 0;
	}
	if (monocle__coverage_file_is (path))
		monocle__say ("%s is coverage: monocle report prints it, monocle html makes a page of it", path);
	else if (!say_spool (path))
		monocle__say ("%s: %s", path, error);
	return -1;
}

int
monocle__profile_file_open_all (const char *const *paths, size_t count, monocle__profile **ret_profile)
{
	monocle__profile **parts = calloc (count, sizeof *parts), *sum = NULL;
	size_t opened = 0;
	while (parts && opened < count && monocle__profile_file_open (paths[opened], &parts[opened]) == 0)
		opened++;
	if (opened == count && count == 1)
		sum = parts[--opened];
	else if (opened == count)
		sum = monocle__join ((const monocle__profile *const *) parts, count);
	if (!parts || (opened == count && !sum))
		monocle__say ("%s: out of memory", paths[0]);
	for (size_t i = 0; i < opened; i++)
		monocle__profile_free (parts[i]);
	free (parts);
	if (!sum)
		return -1;
	*ret_profile = sum;
	return 0;
}

void
monocle__profile_file_say_values (const char *path, const monocle__profile *profile, const char *name)
{
	char names[512] = "";
	size_t used = 0;
	for (size_t i = 0; i < profile->value_count && used < sizeof names; i++)
		used += (size_t) snprintf (names + used, sizeof names - used, i ? ", %.40s" : "%.40s",
		                           profile->value_types[i].type);
	monocle__say ("%s has no value '%s'; it has: %s", path, name, names);
}

static bool
is_newer (const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

char *
monocle__profile_file_newest (bool or_coverage, const char *but)
{
	DIR *directory = opendir (".");
	struct timespec newest = { 0 };
	struct dirent *entry;
	struct stat status;
	char *found = NULL;
	while (directory && (entry = readdir (directory))) {
		if (!ends_with (entry->d_name, ".pb.gz") && !ends_with (entry->d_name, ".mlpd") &&
		    !ends_with (entry->d_name, ".spool") && !(or_coverage && ends_with (entry->d_name, ".mcov")))
			continue;
		if (but && monocle__path_is_same (entry->d_name, but))
			continue;
		if (stat (entry->d_name, &status) != 0 || !S_ISREG (status.st_mode) || !is_newer (&status.st_mtim, &newest))
			continue;
		free (found);
		found = monocle__format ("%s", entry->d_name);
		newest = status.st_mtim;
	}
	if (directory)
		closedir (directory);
	return found;
}

void
monocle__profile_file_say_none (bool or_coverage)
{
	monocle__say ("there is no profile%s in this directory; name one, or make one with monocle run",
	              or_coverage ? " or coverage (*.pb.gz, *.mlpd, *.spool or *.mcov)" : " (*.pb.gz, *.mlpd or *.spool)");
	monocle__left_over_say ();
}

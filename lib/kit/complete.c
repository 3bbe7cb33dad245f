/*
 * SPDX-License-Identifier: MIT
 *
 * complete.c - the last step: a spool becomes a profile, at a clean end by its own process, else by the process that
 * made the folder of the run, or in the memory of a command that only reads it.
 *
 * A spool is a file, and anybody can make one. What it says of other files is believed in one case: the spool is in a
 * folder that the caller made for its own run, belongs to the caller's own user, and the plan beside it says the same.
 * (A process that has given up its rights still has the spool mapped.) No other caller writes where a spool says, and
 * only the process that was given a command runs it.
 */
#include "complete.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output-name.h"
#include "output-plan.h"
#include "spool-pprof.h"
#include "spool-file.h"
#include "spool-name.h"

int
monocle__complete_view (const struct monocle__spool_view *view, char *path, enum monocle__output_kind kind)
{
	void *data;
	size_t length;
	int error = monocle__spool_pprof_write (view, &data, &length);
	if (error)
		return error;
	error = monocle__output_write (path, sizeof view->header->output, kind, data, length);
	free (data);
	return error;
}

/* A number that is taken already is the next one for NEW files. */
int
monocle__complete_name (const struct monocle__spool_header *header, char *path)
{
	uint64_t number = __atomic_load_n (&header->pieces, __ATOMIC_ACQUIRE) + 1;
	if (number > 1 && number < UINT32_MAX && header->output_kind == MONOCLE__OUTPUT_FILE)
		return monocle__output_number_name (header->output, (unsigned) number, path, sizeof header->output);
	strcpy (path, header->output);
	return 0;
}

void
monocle__leave_note (const char *directory, uint32_t pid, const char *path)
{
	char name[PATH_MAX];
	int fd = -1;
	for (unsigned number = 1; fd < 0 && number < 1000; number++) {
		if (snprintf (name, sizeof name, "%s/%u.%u.done", directory, pid, number) >= (int) sizeof name)
			return;
		fd = open (name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return;
	}
	if (fd >= 0) {
		dprintf (fd, "%s\n", path);
		close (fd);
	}
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

int
monocle_kit_spool_read (const char *spool_path, void **ret_data, size_t *ret_length, const char **ret_error)
{
	struct monocle__spool_file file;
	int fd = open (spool_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		*ret_error = strerror (errno);
		return -1;
	}
	int result = monocle__spool_file_load (&file, fd, ret_error);
	close (fd);
	if (result)
		return result;
	int error = monocle__spool_pprof_write (&file.view, ret_data, ret_length);
	*ret_error = error ? strerror (-error) : *ret_error;
	monocle__spool_file_free (&file);
	return error ? -1 : 0;
}

/* --- collecting --------------------------------------------------------------------------------------------------- */

static bool
is_file (const struct monocle__spool_view *view)
{
	return view->header->output_kind == MONOCLE__OUTPUT_FILE || view->header->output_kind == MONOCLE__OUTPUT_NEW;
}

/* The run's folder, and a spool in it. */
struct place {
	int directory;
	const char *folder, *name;
};

/* A file can be written there, its name is absolute, and its process was to write it. */
static bool
names_a_file (const struct monocle__spool_view *view, const struct place *place)
{
	const char *output = view->header->output;
	struct stat status;
	return is_file (view) && *output == '/' &&
	       monocle__output_plan_says (place->directory, place->name, view->header->output_kind, output) &&
	       (stat (output, &status) || S_ISREG (status.st_mode));
}

/* A command's or a descriptor's process is gone, a device is not a file: the default name, in the run's folder. */
static int
name_in_folder (const struct monocle__spool_view *view, const char *folder, char *path, size_t size)
{
	const struct monocle__spool_header *header = view->header;
	struct monocle__output_words words = { header->program, header->module, header->pid,
		                                   (time_t) (header->realtime_ns / 1000000000u), "pb.gz" };
	enum monocle__output_kind kind;
	char name[PATH_MAX];
	int error = monocle__output_expand (NULL, &words, name, sizeof name, &kind);
	int length = error ? 0 : snprintf (path, size, "%s%s", folder, strrchr (name, '/'));
	return error ? error : (size_t) length >= size ? -ENAMETOOLONG : 0;
}

/* Writes the profile of a dead process of the run. 0 or -errno. */
static int
write_profile (const struct monocle__spool_view *view, const struct place *place, char **ret_path)
{
	char path[sizeof view->header->output];
	bool is_named = names_a_file (view, place);
	enum monocle__output_kind kind = is_named ? view->header->output_kind : MONOCLE__OUTPUT_NEW;
	int error = 0;
	if (is_named)
		error = monocle__complete_name (view->header, path);
	else
		error = name_in_folder (view, place->folder, path, sizeof path);
	if (!error)
		error = monocle__complete_view (view, path, kind);
	char *written = error ? NULL : strdup (path);
	if (!error && !written)
		error = -ENOMEM; /* The spool stays, and can be read again. */
	if (!error)
		*ret_path = written;
	return error;
}

static int
collect_loaded (const struct monocle__spool_view *view, const struct place *place, char **ret_path,
                const char **ret_error)
{
	if (strcmp (view->header->run_directory, place->folder)) {
		*ret_error = "it is not of this run";
		return -1;
	}
	if (monocle__spool_view_is_alive (view)) {
		*ret_error = "its process is still running; try again when it has ended";
		if (is_file (view))
			*ret_path = strdup (view->header->output);
		return -1;
	}
	if (!monocle__spool_view_is_wanted (view))
		return 1;
	int error = write_profile (view, place, ret_path);
	if (error)
		*ret_error = strerror (-error);
	return error ? -1 : 0;
}

/* The spool of a process that is there; where it is empty the process is about to begin. */
static bool
is_beginning (const char *name)
{
	long pid = monocle__spool_name_pid (name);
	return pid > 0 && pid <= INT_MAX && monocle__process_start ((pid_t) pid) != 0;
}

/* Opens what is ours in a folder that is ours; no link is followed. -1: *ret_error. */
static int
open_own (int at, const char *name, int flags, mode_t type, const char **ret_error)
{
	struct stat status;
	int fd = openat (at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags);
	if (fd < 0) {
		*ret_error = strerror (errno);
		return -1;
	}
	if (fstat (fd, &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == geteuid ())
		return fd;
	close (fd);
	*ret_error = "it is not a file of this user";
	return -1;
}

static void
remove_spool (const struct place *place)
{
	unlinkat (place->directory, place->name, 0);
	monocle__output_plan_remove (place->directory, place->name);
}

static int
collect_file (int fd, const struct place *place, char **ret_path, const char **ret_error)
{
	struct monocle__spool_file file;
	int result = monocle__spool_file_load (&file, fd, ret_error);
	if (result && *ret_error == monocle__spool_file_empty && !is_beginning (place->name)) {
		remove_spool (place);
		return 1;
	}
	if (result)
		return result;
	result = collect_loaded (&file.view, place, ret_path, ret_error);
	if (result >= 0)
		remove_spool (place);
	monocle__spool_file_free (&file);
	return result;
}

int
monocle_kit_spool_collect (const char *run_folder, const char *name, char **ret_path, const char **ret_error)
{
	int result = -1, directory, fd;
	if (*run_folder != '/' || strchr (name, '/')) {
		*ret_error = "it is not in an absolute folder";
		return -1;
	}
	directory = open_own (AT_FDCWD, run_folder, O_DIRECTORY, S_IFDIR, ret_error);
	if (directory < 0)
		return -1;
	fd = open_own (directory, name, 0, S_IFREG, ret_error);
	if (fd >= 0) {
		result = collect_file (fd, &(struct place) { directory, run_folder, name }, ret_path, ret_error);
		close (fd);
	}
	close (directory);
	return result;
}

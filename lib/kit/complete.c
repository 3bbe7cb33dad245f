/*
 * SPDX-License-Identifier: MIT
 *
 * complete.c - the last step: a spool becomes a profile, at a clean end by its own process, else by whoever finds it.
 */
#include "complete.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pprof.h"

int
monocle__complete_view (const struct monocle__spool_view *view, char *path, enum monocle__output_kind kind)
{
	void *data;
	size_t length;
	int error = monocle__pprof_write (view, &data, &length);
	if (error)
		return error;
	error = monocle__output_write (path, sizeof view->header->output, kind, data, length);
	free (data);
	return error;
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

static bool
is_file (const struct monocle__spool_view *view)
{
	return view->header->output_kind == MONOCLE__OUTPUT_FILE || view->header->output_kind == MONOCLE__OUTPUT_NEW;
}

/* The folder of a file, without links; false: there is none. */
static bool
folder_of (const char *file, char folder[PATH_MAX])
{
	char name[PATH_MAX];
	const char *slash = strrchr (file, '/');
	int length = snprintf (name, sizeof name, "%.*s", slash ? (int) (slash - file) + 1 : 1, slash ? file : ".");
	return length < (int) sizeof name && realpath (name, folder);
}

/*
 * Does the spool lie where its process made it: beside the profile, or in the folder of a run? One that came from
 * elsewhere must not choose which file is overwritten.
 */
static bool
is_at_home (const struct monocle__spool_view *view, const char *spool_path)
{
	const struct monocle__spool_header *header = view->header;
	char spool[PATH_MAX], other[PATH_MAX];
	if (!folder_of (spool_path, spool))
		return false;
	if (*header->run_directory && realpath (header->run_directory, other) && !strcmp (spool, other))
		return true;
	return *header->output == '/' && folder_of (header->output, other) && !strcmp (spool, other);
}

/* "FOLDER-OF-SPOOL/NAME-OF-FILE". 0 or -errno. */
static int
put_beside (const char *spool_path, const char *file, char *path, size_t size)
{
	const char *slash = strrchr (spool_path, '/'), *base = strrchr (file, '/');
	int length = snprintf (path, size, "%.*s%s", slash ? (int) (slash - spool_path) + 1 : 0, spool_path,
	                       base ? base + 1 : file);
	return length < 0 || (size_t) length >= size ? -ENAMETOOLONG : 0;
}

/* A command's or a descriptor's process is gone, a device is no file: the default name, beside the spool. */
static int
fall_back_to_file (const struct monocle__spool_view *view, const char *spool_path, char *path, size_t size)
{
	const struct monocle__spool_header *header = view->header;
	struct monocle__output_words words = { header->program, header->module, header->pid,
		                                   (time_t) (header->realtime_ns / 1000000000u) };
	enum monocle__output_kind kind;
	char name[PATH_MAX];
	struct stat status;
	if (is_file (view) && (stat (header->output, &status) || S_ISREG (status.st_mode)))
		return put_beside (spool_path, header->output, path, size);
	int error = monocle__output_expand (NULL, &words, name, sizeof name, &kind);
	return error ? error : put_beside (spool_path, name, path, size);
}

/* Where the profile of a dead process goes. 0 or -errno. */
static int
choose_path (const struct monocle__spool_view *view, const char *spool_path, char *path, size_t size,
             enum monocle__output_kind *ret_kind)
{
	*ret_kind = is_file (view) && is_at_home (view, spool_path) ? view->header->output_kind : MONOCLE__OUTPUT_NEW;
	if (!is_file (view) || !is_at_home (view, spool_path))
		return fall_back_to_file (view, spool_path, path, size);
	strcpy (path, view->header->output);
	return 0;
}

static int
complete_mapped (const struct monocle__spool_view *view, const char *spool_path, char **ret_path,
                 const char **ret_error)
{
	char path[sizeof view->header->output];
	enum monocle__output_kind kind;
	if (monocle__spool_view_is_alive (view)) {
		*ret_error = "its process is still running";
		if (is_file (view))
			*ret_path = strdup (view->header->output);
		return -1;
	}
	int error = choose_path (view, spool_path, path, sizeof path, &kind);
	if (!error)
		error = monocle__complete_view (view, path, kind);
	char *written = error ? NULL : strdup (path);
	if (!error && !written)
		error = -ENOMEM; /* The spool stays, and can be completed again. */
	if (error) {
		*ret_error = strerror (-error);
		return -1;
	}
	*ret_path = written;
	unlink (spool_path);
	return 0;
}

static void *
map_file (const char *path, size_t *ret_size, const char **ret_error)
{
	struct stat status;
	void *base = MAP_FAILED;
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		*ret_error = strerror (errno);
		return NULL;
	}
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size >= MONOCLE__EXTENT_SIZE) {
		*ret_size = (size_t) status.st_size;
		base = mmap (NULL, *ret_size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close (fd);
	if (base != MAP_FAILED)
		return base;
	*ret_error = "it is not a spool";
	return NULL;
}

int
monocle_kit_spool_complete (const char *spool_path, char **ret_path, const char **ret_error)
{
	struct monocle__spool_view view;
	size_t size;
	void *base = map_file (spool_path, &size, ret_error);
	if (!base)
		return -1;
	int result = monocle__spool_view_init (&view, base, size, ret_error);
	if (!result)
		result = complete_mapped (&view, spool_path, ret_path, ret_error);
	munmap (base, size);
	return result;
}

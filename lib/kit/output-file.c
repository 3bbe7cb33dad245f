/*
 * SPDX-License-Identifier: MIT
 *
 * output-file.c - a file that a module writes and maps from the first moment on: there is no spool beside it. At init.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "complete.h"
#include "environment.h"
#include "output-name.h"

enum { DESCRIPTOR_LEAST = 200, NUMBER_MOST = 1000 };

/* -errno. */
static int
create_new (const char *path, mode_t mode)
{
	int fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	return fd < 0 ? -errno : fd;
}

/* A user's name: what is there may be mapped by another process, so it is taken away and never truncated. */
static int
create_over (const char *path)
{
	struct stat status;
	mode_t mode = MONOCLE__OUTPUT_MODE;
	if (lstat (path, &status) == 0) {
		if (!S_ISREG (status.st_mode))
			return S_ISDIR (status.st_mode) ? -EISDIR : -EINVAL;
		if (unlink (path))
			return -errno;
		mode = status.st_mode & 0777;
	}
	return create_new (path, mode);
}

static int
create_numbered (char *path, size_t size)
{
	char numbered[PATH_MAX];
	int fd = create_new (path, MONOCLE__OUTPUT_MODE);
	for (unsigned number = 2; fd == -EEXIST && number < NUMBER_MOST; number++) {
		int error = monocle__output_number_name (path, number, numbered, sizeof numbered);
		fd = error ? error : create_new (numbered, MONOCLE__OUTPUT_MODE);
		if (fd >= 0)
			snprintf (path, size, "%s", numbered);
	}
	return fd;
}

static int
create_in_run (const char *directory, const char *ending, char *path, size_t size)
{
	int fd = -EEXIST;
	for (unsigned number = 1; fd == -EEXIST && number < NUMBER_MOST; number++) {
		int length = snprintf (path, size, "%s/output.%d.%u.%s", directory, (int) getpid (), number, ending);
		fd = length < 0 || (size_t) length >= size ? -ENAMETOOLONG : create_new (path, MONOCLE__OUTPUT_MODE);
	}
	return fd;
}

static int
create (const monocle_kit_output_config *config, const char *run_directory, char *path, size_t size)
{
	enum monocle__output_kind kind;
	char program[256];
	if (run_directory && !config->output)
		return create_in_run (run_directory, config->ending, path, size);
	monocle__output_name_subject (program, sizeof program);
	struct monocle__output_words words = { program, config->module, (uint32_t) getpid (), time (NULL), config->ending };
	int error = monocle__output_expand (config->output, &words, path, size, &kind);
	if (error)
		return error;
	if (kind != MONOCLE__OUTPUT_FILE && kind != MONOCLE__OUTPUT_NEW)
		return -EINVAL;
	int fd = kind == MONOCLE__OUTPUT_NEW ? create_numbered (path, size) : create_over (path);
	if (fd >= 0 && run_directory)
		monocle__leave_note (run_directory, (uint32_t) getpid (), path);
	return fd;
}

/* Out of the way of programs that expect the lowest numbers. */
static int
move_up (int fd)
{
	int high = fcntl (fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	if (high < 0)
		return fd;
	close (fd);
	return high;
}

int
monocle_kit_output_open (const monocle_kit_output_config *config, char *ret_path, size_t path_size)
{
	const char *directory = monocle__variable ("MONOCLE_RUN_DIR");
	if (path_size)
		*ret_path = '\0';
	int fd = create (config, directory && *directory == '/' ? directory : NULL, ret_path, path_size);
	if (fd >= 0)
		return move_up (fd);
	monocle_kit_log_failure (config->module, "cannot write %s: %s; the program runs unprofiled",
	                         path_size && *ret_path ? ret_path : config->output,
	                         fd == -EINVAL ? "it is not a regular file" : strerror (-fd));
	return -1;
}

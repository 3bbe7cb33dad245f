/*
 * SPDX-License-Identifier: MIT
 *
 * log-place.c - see log-place.h. Any thread.
 *
 * A program may change its folder before anything is said, so the folder is read when the library is loaded: modules
 * are, before the program's first line.
 */
#include "log-place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coreclr.h"
#include "environment.h"

static char start[PATH_MAX];

__attribute__ ((constructor)) static void
remember_start (void)
{
	if (!getcwd (start, sizeof start) || *start != '/')
		start[0] = '\0';
}

const char *
monocle__log_place_start (void)
{
	return start;
}

static bool is_command; /* written before other threads are */

void
monocle__log_place_be_command (void)
{
	is_command = true;
}

static bool
is_set (const char *name)
{
	const char *value = monocle__variable (name);
	return value && *value;
}

/* The core says so from the first attach on: what was loaded into a program that runs was loaded by nobody in it. */
static bool
was_attached (void)
{
	const char *value = NULL;
	return monocle_host_setting && monocle_host_setting ("attached", &value) && value;
}

/* A program that starts CoreCLR itself sets the variables for its own process, which it has written for us. */
static bool
is_embedder (void)
{
	const char *pid = monocle__variable ("MONOCLE_EMBED_PID");
	return pid && strtol (pid, NULL, 10) == (long) getpid ();
}

static bool
is_loaded_by_variables (void)
{
	return was_attached () || is_set ("MONOCLE_PROFILE") || (monocle__coreclr_names_us () && !is_embedder ());
}

static bool
is_setting (const char *name)
{
	const char *value = NULL;
	return monocle_host_setting && monocle_host_setting (name, &value) && value && *value;
}

static void
make_absolute (const char *path, char *absolute, size_t size)
{
	const char *folder = *path && *path != '/' ? start : "";
	snprintf (absolute, size, "%s%s%s", folder, *folder ? "/" : "", path);
}

void
monocle__log_place_find (monocle__log_place *ret_place)
{
	const char *file = monocle__variable ("MONOCLE_LOG"), *run = monocle__variable ("MONOCLE_RUN_DIR");
	bool is_word = file && !strcmp (file, MONOCLE__LOG_PLACE_STDERR);
	make_absolute (file && !is_word && !is_command ? file : "", ret_place->file, sizeof ret_place->file);
	make_absolute (run && !is_command ? run : "", ret_place->run, sizeof ret_place->run);
	ret_place->is_handed = is_setting ("MONOCLE_LOG");
	ret_place->is_stderr = is_command || is_word || !is_loaded_by_variables ();
}

/* systemd names the device and the inode of what it reads: JOURNAL_STREAM, systemd.exec(5). */
static bool
is_journal (void)
{
	const char *stream = monocle__variable ("JOURNAL_STREAM");
	struct stat status;
	char *end;
	if (!stream || fstat (STDERR_FILENO, &status) != 0)
		return false;
	uintmax_t device = strtoumax (stream, &end, 10);
	return *end == ':' && device == status.st_dev && strtoumax (end + 1, &end, 10) == status.st_ino && !*end;
}

bool
monocle__log_place_is_for_people (void)
{
	return isatty (STDERR_FILENO) == 1 || is_journal ();
}

/*
 * SPDX-License-Identifier: MIT
 *
 * output-place.c - see output-place.h. At init.
 *
 * Programs change their folder, or are started in one that is not the user's: `dotnet test` starts the program in its
 * bin folder, services go to "/". Who typed `monocle run` looks for the profile where that was typed.
 */
#include "output-place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "environment.h"
#include "path.h"

/* The folder of the run; NULL: there is none. */
static const char *
run_folder (void)
{
	const char *folder = monocle__variable ("MONOCLE_RUN_DIR");
	return folder && *folder == '/' ? folder : NULL;
}

/* Where `monocle run` was typed: a link in the folder of the run. False: nobody says. */
static bool
read_typed_folder (char folder[PATH_MAX])
{
	char link[PATH_MAX];
	const char *run = run_folder ();
	ssize_t length = -1;
	if (run && snprintf (link, sizeof link, "%s/here", run) < (int) sizeof link)
		length = readlink (link, folder, PATH_MAX - 1);
	folder[length > 0 ? length : 0] = '\0';
	return *folder == '/';
}

/* Puts the last part of a path into another folder. */
static int
move_to (const char *folder, char *path, size_t size)
{
	char name[PATH_MAX];
	snprintf (name, sizeof name, "%s", monocle__path_base_name (path));
	return snprintf (path, size, "%s/%s", strcmp (folder, "/") ? folder : "", name) < (int) size ? 0 : -ENAMETOOLONG;
}

static int
rescue (const char *module, int problem, char *path, size_t size)
{
	char wanted[PATH_MAX];
	const char *temporary = monocle__variable ("TMPDIR"), *run = run_folder ();
	snprintf (wanted, sizeof wanted, "%s", path);
	int error = move_to (run ? run : temporary && *temporary == '/' ? temporary : "/tmp", path, size);
	if (!error)
		error = monocle__path_check_output (path);
	if (!error && !run)
		monocle_kit_log (module, "cannot write %s: %s; it will be %s", wanted, strerror (-problem), path);
	return error;
}

int
monocle__output_place (const char *output, const struct monocle__output_words *words, char *path, size_t size,
                       enum monocle__output_kind *ret_kind)
{
	char folder[PATH_MAX];
	bool is_default = !output || !*output;
	int problem = monocle__output_expand (output, words, path, size, ret_kind);
	/* Of a current folder that is gone the name is left, without one. */
	if (is_default && (!problem || problem == -ENOENT) && read_typed_folder (folder))
		problem = move_to (folder, path, size);
	if (problem == -ENAMETOOLONG || (*ret_kind != MONOCLE__OUTPUT_FILE && *ret_kind != MONOCLE__OUTPUT_NEW))
		return problem;
	if (!problem)
		problem = monocle__path_check_output (path);
	return problem && is_default && rescue (words->module, problem, path, size) == 0 ? 0 : problem;
}

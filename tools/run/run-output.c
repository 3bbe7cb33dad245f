/*
 * SPDX-License-Identifier: MIT
 *
 * run-output.c - see run-output.h.
 */
#include "run-output.h"

#include "command/command.h"
#include "file/move.h"
#include "path.h"
#include "run-picture.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
monocle__run_output_collect (monocle__desc_list *profiles, size_t index, const char *output, const char *folder)
{
	bool is_picture = monocle__run_picture_is_wanted (output);
	char *name = monocle__format ("output.%%p.%%n%s", is_picture ? ".pb.gz" : monocle__move_extension (output));
	monocle__desc_list_set_output (profiles, index, folder, name);
	free (name);
}

/* Puts a profile where it is to be, as what the name asks for. 0 or -errno. */
static int
place_output (const monocle__run_folder *folder, monocle__run_profile *profile, const char *target)
{
	char *part, problem[256];
	int error;
	if (!monocle__run_picture_is_wanted (target))
		return monocle__move_file (profile->path, target);
	if (monocle__run_folder_read_back (folder, profile, &profile->content, problem, sizeof problem) != 0)
		return -EINVAL;
	part = monocle__format ("%s/picture.part", folder->path);
	error = monocle__run_picture_write (profile->content, part, target);
	if (error == 0)
		error = monocle__move_file (part, target);
	unlink (part);
	free (part);
	return error;
}

/* FILE with the id of the process in it, and with a number, too, where the process has such a file. Owned. */
static char *
name_with_id (const monocle__run_folder *folder, const char *output, size_t index)
{
	char *name = monocle__move_name (output, folder->profiles[index].pid), *numbered;
	int count = 1;
	for (size_t i = 0; i < index; i++)
		count += folder->profiles[i].is_named_by_id && folder->profiles[i].pid == folder->profiles[index].pid;
	if (count == 1)
		return name;
	numbered = monocle__move_name (name, count);
	free (name);
	return numbered;
}

/* The first profile has FILE itself. */
void
monocle__run_output_place (monocle__run_folder *folder, const char *output, int known_error)
{
	size_t placed = 0;

	for (size_t i = 0; i < folder->profile_count; i++) {
		monocle__run_profile *profile = &folder->profiles[i];
		char *target;
		int error;
		if (!(profile->collected || profile->rescued) || profile->is_coverage)
			continue;
		profile->is_named_by_id = placed++ > 0;
		target = profile->is_named_by_id ? name_with_id (folder, output, i) : monocle__format ("%s", output);
		error = place_output (folder, profile, target);
		if (error == 0) {
			free (profile->path);
			profile->path = target;
			profile->collected = profile->rescued = false;
			continue;
		}
		if (error != known_error) /* else it was said before the program began */
			monocle__say ("cannot write %s: %s; the profile stays in %s", target,
			              error == -ENXIO ? "nobody reads this pipe" : strerror (-error), profile->path);
		free (target);
	}
}

/* The names are the process's own choice: one that no module gives is not put anywhere. */
static bool
is_usual (const char *name)
{
	const char *extension = monocle__move_extension (name);
	return *name != '.' && (strcmp (extension, ".pb.gz") == 0 || strcmp (extension, ".log") == 0);
}

void
monocle__run_output_bring (monocle__run_folder *folder)
{
	char here[PATH_MAX];
	if (!getcwd (here, sizeof here))
		return;
	for (size_t i = 0; i < folder->profile_count; i++) {
		monocle__run_profile *profile = &folder->profiles[i];
		const char *name = monocle__path_base_name (profile->path);
		char *target = monocle__format ("%s/%s", here, name);
		struct stat status;
		if (profile->rescued && is_usual (name) && lstat (target, &status) != 0 &&
		    monocle__move_file (profile->path, target) == 0) {
			free (profile->path);
			profile->path = target;
			profile->rescued = false;
		} else {
			free (target);
		}
	}
}

void
monocle__run_output_say_rescued (const monocle__run_folder *folder)
{
	for (size_t i = 0; i < folder->profile_count; i++) {
		const monocle__run_process *process = monocle__run_folder_process (folder, folder->profiles[i].pid);
		if (folder->profiles[i].rescued && !(process && process->told))
			monocle__say ("the profile of process %d could not be written into this folder; it stays in %s",
			              (int) folder->profiles[i].pid, folder->profiles[i].path);
	}
}

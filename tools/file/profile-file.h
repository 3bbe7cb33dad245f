/*
 * SPDX-License-Identifier: MIT
 *
 * profile-file.h - opening what a user names as a profile, known by its content.
 */
#ifndef MONOCLE_TOOLS_PROFILE_FILE_H
#define MONOCLE_TOOLS_PROFILE_FILE_H

#include "profile.h"

/*
 * Reads the profile at `path`, "-" is standard input; of a spool that its process left or still writes, what is in it,
 * and says so. A number that is no file's name is a process, and its spool is meant. Writes and removes nothing. 0, or
 * -1 after one line on stderr; the caller frees the result.
 */
int monocle__profile_file_open (const char *path, monocle__profile **ret_profile);

/* The sum of several, of one itself. */
int monocle__profile_file_open_all (const char *const *paths, size_t count, monocle__profile **ret_profile);

/* What a reader is told of `path`: "standard input" for "-". */
const char *monocle__profile_file_title (const char *path);

/* Where what is made of a profile goes unless the user says: beside it, or on standard output. The caller frees. */
char *monocle__profile_file_output (const char *path, const char *extension);

/* Is that a spool, and no profile? */
bool monocle__profile_file_is_spool (const char *path);
/*
 * The bytes of the file that the process of a spool would have written, or of one that is running, by its number. 0, or
 * -1 after one line; the caller frees.
 */
int monocle__profile_file_unpack (const char *path, void **ret_data, size_t *ret_length);

/* Says that the profile has no value of that name, and which it has. */
void monocle__profile_file_say_values (const char *path, const monocle__profile *profile, const char *name);

/*
 * The newest profile or spool in the current directory, or of these and coverage; not the file `but`, unless that is
 * NULL. NULL: there is none. The caller frees.
 */
char *monocle__profile_file_newest (bool or_coverage, const char *but);
/* Says that there is none, what to do, and what earlier runs have left elsewhere. */
void monocle__profile_file_say_none (bool or_coverage);

#endif

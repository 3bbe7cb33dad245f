/* SPDX-License-Identifier: MIT
 *
 * profile-file.h - opening what a user names as a profile, known by its content.
 */
#ifndef MONOCLE_TOOLS_PROFILE_FILE_H
#define MONOCLE_TOOLS_PROFILE_FILE_H

#include "profile.h"

/*
 * Reads the profile at `path`. A spool that its process left behind is completed first, and said so; *ret_path is then
 * the real file, else a copy of `path`. 0, or -1 after one line on stderr; the caller frees both results.
 */
int monocle__profile_file_open (const char *path, monocle__profile **ret_profile, char **ret_path);

/* The newest profile or spool in the current directory; NULL: none. The caller frees. */
char *monocle__profile_file_newest (void);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * path.h - names of files.
 */
#ifndef MONOCLE_BASE_PATH_H
#define MONOCLE_BASE_PATH_H

#include <stdbool.h>

/* What follows the last slash, or all of it; borrowed. Async-safe. */
const char *monocle__path_base_name (const char *path);

/* Is it a symbolic link, whatever that leads to? */
bool monocle__path_is_link (const char *path);

/* Do both names lead to one file that is there? */
bool monocle__path_is_same (const char *a, const char *b);

/*
 * Could a file be written under this name, by writing over what is there or by making a new one beside it? 0 or -errno.
 * A link and what is not a regular file are written in place, so only they themselves must be writable; else it is the
 * folder. Nothing is opened or made.
 */
int monocle__path_check_output (const char *path);

#endif

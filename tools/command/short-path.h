/*
 * SPDX-License-Identifier: MIT
 *
 * short-path.h - naming a file to a person.
 */
#ifndef MONOCLE_TOOLS_SHORT_PATH_H
#define MONOCLE_TOOLS_SHORT_PATH_H

/* As short as it can be said in the current folder: a pointer into `path`. */
const char *monocle__short_path (const char *path);

#endif

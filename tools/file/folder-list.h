/*
 * SPDX-License-Identifier: MIT
 *
 * folder-list.h - what is in a folder that is held open.
 */
#ifndef MONOCLE_TOOLS_FOLDER_LIST_H
#define MONOCLE_TOOLS_FOLDER_LIST_H

#include <dirent.h>

/* From its first entry, whatever was read before. `folder` stays the caller's; closedir () frees. NULL: see errno. */
DIR *monocle__folder_list (int folder);

#endif

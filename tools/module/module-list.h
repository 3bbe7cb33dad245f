/*
 * SPDX-License-Identifier: MIT
 *
 * module-list.h - which modules there are, in the order in which folders are searched.
 */
#ifndef MONOCLE_TOOLS_MODULE_LIST_H
#define MONOCLE_TOOLS_MODULE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "layout.h"

typedef struct {
	char *name, *path;
	char *file;         /* the path without links */
	const char *origin; /* the variable that names the folder, "monocle" or "Mono" */
	bool is_hidden;     /* an earlier folder has the name */
} monocle__module;

typedef struct {
	monocle__module *modules;
	size_t count;
} monocle__module_list;

/*
 * Those in MONOCLE_MODULE_PATH, in our own folders, in LD_LIBRARY_PATH and in Mono's folders. A link to a module that
 * is there is the same module, and the umbrella is none: it is how Mono finds ours.
 */
void monocle__module_list_init (monocle__module_list *ret_list, const monocle__layout *layout);
void monocle__module_list_done (monocle__module_list *list);

#endif

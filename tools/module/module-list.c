/*
 * SPDX-License-Identifier: MIT
 *
 * module-list.c - see module-list.h.
 */
#include "module-list.h"

#include "command/command.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	monocle__module_list *list;
	const char *origin;
} folder_search;

static bool
is_seen_name (const monocle__module_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp (list->modules[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool
is_seen_file (const monocle__module_list *list, const char *file)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp (list->modules[i].file, file) == 0)
			return true;
	}
	return false;
}

static void
add_module (const char *name, const char *path, void *context)
{
	const folder_search *search = context;
	monocle__module_list *list = search->list;
	char *file = realpath (path, NULL);
	monocle__module *longer = NULL;
	if (file && strcmp (name, "monocle") != 0 && !is_seen_file (list, file))
		longer = realloc (list->modules, (list->count + 1) * sizeof *longer);
	if (!longer) {
		free (file);
		return;
	}
	list->modules = longer;
	longer[list->count] = (monocle__module) {
		.name = monocle__format ("%s", name),
		.path = monocle__format ("%s", path),
		.file = file,
		.origin = search->origin,
		.is_hidden = is_seen_name (list, name),
	};
	list->count++;
}

static void
add_folders (monocle__module_list *list, const char *folders, const char *origin)
{
	folder_search search = { list, origin };
	while (folders && *folders) {
		size_t length = strcspn (folders, ":");
		char *folder = monocle__format ("%.*s", (int) length, folders);
		if (length > 0)
			monocle__layout_each_module (folder, add_module, &search);
		free (folder);
		folders += length + (folders[length] == ':');
	}
}

void
monocle__module_list_init (monocle__module_list *ret_list, const monocle__layout *layout)
{
	*ret_list = (monocle__module_list) { 0 };
	add_folders (ret_list, getenv ("MONOCLE_MODULE_PATH"), "MONOCLE_MODULE_PATH");
	add_folders (ret_list, layout->module_path, "monocle");
	add_folders (ret_list, getenv ("LD_LIBRARY_PATH"), "LD_LIBRARY_PATH");
	add_folders (ret_list, "/usr/local/lib:/usr/lib", "Mono");
}

void
monocle__module_list_done (monocle__module_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free (list->modules[i].name);
		free (list->modules[i].path);
		free (list->modules[i].file);
	}
	free (list->modules);
}

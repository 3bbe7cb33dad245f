/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_list.c - `monocle list`: which modules there are, in the order in which folders are searched.
 */
#include "command.h"
#include "layout.h"
#include "output.h"

#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>

enum { SEEN_MAX = 256 };

typedef struct {
	const char *origin;
	struct {
		char *name, *file; /* the file without links */
	} seen[SEEN_MAX];
	size_t seen_count;
} listing;

static bool
is_seen_name (const listing *list, const char *name)
{
	for (size_t i = 0; i < list->seen_count; i++) {
		if (strcmp (list->seen[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool
is_seen_file (const listing *list, const char *file)
{
	for (size_t i = 0; i < list->seen_count; i++) {
		if (strcmp (list->seen[i].file, file) == 0)
			return true;
	}
	return false;
}

/* The umbrella is not a module: it is how Mono finds ours. A link to a module that was listed is the same module. */
static void
print_module (const char *name, const char *path, void *context)
{
	listing *list = context;
	char *file = realpath (path, NULL);
	if (!file || strcmp (name, "monocle") == 0 || is_seen_file (list, file) || list->seen_count == SEEN_MAX) {
		free (file);
		return;
	}
	monocle__print_line ("%-12s %s  (%s%s)", name, path, list->origin,
	                     is_seen_name (list, name) ? "; an earlier folder has the name" : "");
	list->seen[list->seen_count].name = monocle__format ("%s", name);
	list->seen[list->seen_count++].file = file;
}

static void
list_path (listing *list, const char *folders, const char *origin)
{
	list->origin = origin;
	while (folders && *folders) {
		size_t length = strcspn (folders, ":");
		char *folder = monocle__format ("%.*s", (int) length, folders);
		if (length > 0)
			monocle__layout_each_module (folder, print_module, list);
		free (folder);
		folders += length + (folders[length] == ':');
	}
}

static int
list_modules (void)
{
	listing list = { 0 };
	monocle__layout layout;
	monocle__layout_find (&layout);
	list_path (&list, getenv ("MONOCLE_MODULE_PATH"), "MONOCLE_MODULE_PATH");
	list_path (&list, layout.module_path, "monocle");
	list_path (&list, getenv ("LD_LIBRARY_PATH"), "LD_LIBRARY_PATH");
	list_path (&list, "/usr/local/lib:/usr/lib", "Mono");
	for (size_t i = 0; i < list.seen_count; i++) {
		free (list.seen[i].name);
		free (list.seen[i].file);
	}
	monocle__layout_done (&layout);
	if (list.seen_count == 0) {
		monocle__say ("no module (libmono-profiler-NAME.so) was found; monocle doctor says where they are expected");
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

static int
run (int argc, char **argv)
{
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_list, argc, argv, NULL, &code))
		return code;
	if (optind < argc)
		return monocle__usage_error (&monocle__command_list, "list takes no arguments");
	return list_modules ();
}

const monocle__command monocle__command_list = {
	.name = "list",
	.summary = "list the modules that --profile= can name",
	.about =
	    "Prints name, file and origin of each module, in the order of the search: MONOCLE_MODULE_PATH, monocle's own\n"
	    "folders, LD_LIBRARY_PATH, Mono's folder. Mono's own modules (log, coverage, aot) need Mono.\n"
	    "monocle run --profile=NAME:help -- COMMAND prints a module's arguments; doc/modules.md tells what each of\n"
	    "monocle's own changes in the program.\n",
	.run = run,
};

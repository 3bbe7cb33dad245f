/*
 * SPDX-License-Identifier: MIT
 *
 * place.c - the folders in which modules are looked for.
 *
 * Mono looks beside its executable and where the dynamic linker looks. We look in our own folders first, so that
 * modules work without being installed among Mono's files. Main thread only, before the runtime starts.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <monocle/host.h>
#include "environment.h"
#include "umbrella.h"

/* --- the folders -------------------------------------------------------------------------------------------------- */

static bool
is_known (const places *list, const char *folder)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp (list->folders[i], folder))
			return true;
	return false;
}

/* `below` may be ""; what does not exist is left out. */
static void
add (places *list, const char *folder, const char *below)
{
	char path[PATH_MAX], real[PATH_MAX];
	if (!folder[0] || list->count == PLACES_MAX)
		return;
	if (snprintf (path, sizeof path, "%s%s", folder, below) >= (int) sizeof path || !realpath (path, real))
		return;
	if (is_known (list, real))
		return;
	list->folders[list->count] = strdup (real);
	if (list->folders[list->count])
		list->count++;
}

enum { NAMED_MAX = PLACES_MAX - 8 }; /* the others are for those that nobody names */

static void
add_module_path (places *list)
{
	const char *text = monocle__variable ("MONOCLE_MODULE_PATH");
	char *rest = NULL, *copy = text ? strdup (text) : NULL;
	char *folder = copy ? strtok_r (copy, ":", &rest) : NULL;
	for (; folder && list->count < NAMED_MAX; folder = strtok_r (NULL, ":", &rest))
		add (list, folder, "");
	if (folder)
		monocle_log ("MONOCLE_MODULE_PATH has more than %d folders; those from %s on are not searched", NAMED_MAX,
		             folder);
	free (copy);
}

/* Cuts a path in place down to its folder; "" when it has none. */
static const char *
folder_of (char *path)
{
	char *slash = strrchr (path, '/');
	*(slash ? slash : path) = '\0';
	return path;
}

/* Mono opens us through a link among its own files: our modules are where the link points to. */
static void
add_own_folder (places *list)
{
	char real[PATH_MAX];
	Dl_info info;
	if (dladdr ((void *) add_own_folder, &info) && info.dli_fname && realpath (info.dli_fname, real))
		add (list, folder_of (real), "");
}

/* The places that Mono derives from the path of its executable. */
static void
add_monos_folders (places *list)
{
	char program[PATH_MAX];
	ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);
	program[length > 0 ? length : 0] = '\0';
	const char *folder = folder_of (program);
	add (list, folder, "/.libs");
	add (list, folder, "/../lib");
	add (list, folder, "/../profiler/.libs");
}

void
monocle__place_find_all (places *ret_places)
{
	ret_places->count = 0;
	add_module_path (ret_places);
	add_own_folder (ret_places);
	add (ret_places, MONOCLE_MODULEDIR, "");
	add_monos_folders (ret_places);
}

void
monocle__place_free_all (places *list)
{
	while (list->count)
		free (list->folders[--list->count]);
}

/* --- what is in them ---------------------------------------------------------------------------------------------- */

enum { MODULES_MAX = 256 };

typedef struct {
	char *names[MODULES_MAX]; /* owned */
	size_t count;
} modules;

/* The NAME of libmono-profiler-NAME.so as a new string; NULL for other files, for us, and without memory. */
static char *
module_name (const char *file)
{
	static const char prefix[] = "libmono-profiler-", suffix[] = ".so";
	size_t length = strlen (file);
	if (strncmp (file, prefix, sizeof prefix - 1) || length < sizeof prefix + sizeof suffix - 1)
		return NULL;
	if (strcmp (file + length - (sizeof suffix - 1), suffix))
		return NULL;
	char *name = strndup (file + sizeof prefix - 1, length - (sizeof prefix - 1) - (sizeof suffix - 1));
	if (name && !strcmp (name, "monocle")) {
		free (name);
		return NULL;
	}
	return name;
}

static bool
has_module (const modules *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp (list->names[i], name))
			return true;
	return false;
}

static void
add_modules_of (modules *list, const char *folder)
{
	DIR *files = opendir (folder);
	struct dirent *file;
	while (files && list->count < MODULES_MAX && (file = readdir (files))) {
		char *name = module_name (file->d_name);
		if (name && !has_module (list, name))
			list->names[list->count++] = name;
		else
			free (name);
	}
	if (files)
		closedir (files);
}

static int
by_name (const void *left, const void *right)
{
	return strcmp (*(char *const *) left, *(char *const *) right);
}

void
monocle__place_list_modules (const places *list, char *ret_text, size_t size)
{
	modules found = { .count = 0 };
	size_t length = 0;
	for (size_t i = 0; i < list->count; i++)
		add_modules_of (&found, list->folders[i]);
	qsort (found.names, found.count, sizeof *found.names, by_name);
	ret_text[0] = '\0';
	for (size_t i = 0; i < found.count; i++) {
		if (length < size)
			length += (size_t) snprintf (ret_text + length, size - length, "%s%s", i ? ", " : "", found.names[i]);
		free (found.names[i]);
	}
}

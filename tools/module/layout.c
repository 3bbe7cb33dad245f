/*
 * SPDX-License-Identifier: MIT
 *
 * layout.c - finds our libraries beside the program file, so that a build tree and an installed tree that was moved
 * both work without configuration.
 */
#include "layout.h"

#include "command/command.h"
#include "trust.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
/* Relative to the folder of the program file, which is the build directory or one below it. */
static const char *const build_folders[] = {
	".", "lib/clr", "lib/core", "lib/mono", "modules", "modules/*",
	"../lib/clr", "../lib/core", "../lib/mono", "../modules", "../modules/*",
};
/* Relative to the prefix; an absolute folder is taken as it is. */
static const char *const installed_folders[] = { MONOCLE_MODULEDIR, MONOCLE_LIBDIR, MONOCLE_MONODIR };
/* Where pkg-config has our headers from. */
static const char *const build_headers[] = { "meson-uninstalled", "../meson-uninstalled" };
static const char *const installed_headers[] = { MONOCLE_LIBDIR "/pkgconfig" };
/* clang-format on */

typedef struct {
	char **paths;
	size_t count;
} folder_list;

static void
folder_add (folder_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp (list->paths[i], path) == 0)
			return;
	}
	list->paths = realloc (list->paths, (list->count + 1) * sizeof *list->paths);
	if (!list->paths)
		abort ();
	list->paths[list->count++] = monocle__format ("%s", path);
}

static void
folder_list_done (folder_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free (list->paths[i]);
	free (list->paths);
}

/* FOLDER/PATTERN, where glob characters in FOLDER mean nothing. The caller frees. */
static char *
pattern_in (const char *folder, const char *pattern)
{
	char *quoted = monocle__format ("%*s", (int) (2 * strlen (folder)), ""), *out = quoted, *full;
	for (; *folder; folder++) {
		if (strchr ("\\*?[", *folder))
			*out++ = '\\';
		*out++ = *folder;
	}
	*out = '\0';
	full = monocle__format ("%s/%s", quoted, pattern);
	free (quoted);
	return full;
}

/* Adds the folders that the pattern matches. */
static void
folder_glob (folder_list *list, const char *base, const char *pattern)
{
	char *full = *pattern == '/' ? monocle__format ("%s", pattern) : pattern_in (base, pattern), *real;
	glob_t found;
	if (glob (full, GLOB_ONLYDIR, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			real = realpath (found.gl_pathv[i], NULL);
			if (real)
				folder_add (list, real);
			free (real);
		}
		globfree (&found);
	}
	free (full);
}

/* The prefix when the program is in its bindir, else NULL. The caller frees. */
static char *
prefix_of (const char *folder)
{
	size_t length = strlen (folder), end = strlen (MONOCLE_BINDIR);
	if (length <= end + 1 || strcmp (folder + length - end, MONOCLE_BINDIR) != 0 || folder[length - end - 1] != '/')
		return NULL;
	return monocle__format ("%.*s", (int) (length - end - 1), folder);
}

/* The folder of the program file, without links. The caller frees; NULL: unknown. */
static char *
program_folder (void)
{
	char program[PATH_MAX];
	ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);
	if (length <= 0)
		return NULL;
	program[length] = '\0';
	return monocle__format ("%.*s", (int) (strrchr (program, '/') - program), program);
}

typedef struct {
	const char *path; /* the folders so far, joined by colons */
	size_t count;
} module_count;

static bool
has_folder (const char *path, const char *folder, size_t length)
{
	for (; path && *path; path = strchr (path, ':') ? strchr (path, ':') + 1 : NULL) {
		if (strncmp (path, folder, length) == 0 && (path[length] == ':' || path[length] == '\0'))
			return true;
	}
	return false;
}

/* Where Mono looks there are only links to the modules: such a folder adds nothing to the one that they point into. */
static void
count_module (const char *name, const char *path, void *context)
{
	module_count *modules = context;
	char *real = realpath (path, NULL);
	if (real && !has_folder (modules->path, real, (size_t) (strrchr (real, '/') - real)))
		modules->count++;
	free (real);
}

/* The file in the first folder that has it. */
static char *
file_find (const folder_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		char *path = monocle__format ("%s/%s", list->paths[i], name);
		if (access (path, R_OK) == 0)
			return path;
		free (path);
	}
	return NULL;
}

static char *
module_path_find (const folder_list *list)
{
	char *path = monocle__format ("%s", "");
	for (size_t i = 0; i < list->count; i++) {
		module_count modules = { path, 0 };
		char *longer;
		monocle__layout_each_module (list->paths[i], count_module, &modules);
		if (modules.count == 0)
			continue;
		longer = monocle__format ("%s%s%s", path, *path ? ":" : "", list->paths[i]);
		free (path);
		path = longer;
	}
	return path;
}

static void
folders_find (folder_list *list, const char *base, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		folder_glob (list, base, patterns[i]);
}

static bool
try_libraries (const folder_list *list, monocle__layout *layout)
{
	layout->adapter = file_find (list, "libmonocle-clr.so");
	layout->umbrella = file_find (list, "libmono-profiler-monocle.so");
	layout->core = file_find (list, "libmonocle.so");
	layout->preload = file_find (list, "libmonocle-preload.so");
	layout->audit = file_find (list, "libmonocle-audit.so");
	return layout->adapter || layout->umbrella;
}

/* The first of the folders that has one of the two files; pkg-config looks for them in this order. */
static char *
find_headers (const char *base, const char *const *patterns, size_t count)
{
	static const char *const names[] = { "monocle-module-uninstalled.pc", "monocle-module.pc" };
	folder_list list = { 0 };
	char *folder = NULL;
	folders_find (&list, base, patterns, count);
	for (size_t i = 0; i < sizeof names / sizeof *names && !folder; i++) {
		folder = file_find (&list, names[i]);
		if (folder)
			*strrchr (folder, '/') = '\0';
	}
	folder_list_done (&list);
	return folder;
}

#define FOLDERS(array) array, sizeof (array) / sizeof *(array)

void
monocle__layout_find (monocle__layout *ret_layout)
{
	folder_list list = { 0 };
	char *folder = program_folder (), *prefix = folder ? prefix_of (folder) : NULL;
	*ret_layout = (monocle__layout) { 0 };
	if (prefix) {
		folders_find (&list, prefix, FOLDERS (installed_folders));
		ret_layout->pkgconfig = find_headers (prefix, FOLDERS (installed_headers));
	}
	/* A build directory, too, may be called bin. */
	if (!try_libraries (&list, ret_layout) && folder) {
		folders_find (&list, folder, FOLDERS (build_folders));
		try_libraries (&list, ret_layout);
	}
	if (!ret_layout->pkgconfig && folder)
		ret_layout->pkgconfig = find_headers (folder, FOLDERS (build_headers));
	ret_layout->module_path = module_path_find (&list);
	folder_list_done (&list);
	free (folder);
	free (prefix);
}

void
monocle__layout_done (monocle__layout *layout)
{
	free (layout->adapter);
	free (layout->umbrella);
	free (layout->core);
	free (layout->preload);
	free (layout->audit);
	free (layout->module_path);
	free (layout->pkgconfig);
}

static void
refuse (char **file)
{
	char reason[2 * PATH_MAX];
	if (!*file || monocle__trust_path (*file, reason, sizeof reason) == 0)
		return;
	monocle__say ("%s is not used: %s", *file, reason);
	free (*file);
	*file = NULL;
}

bool
monocle__layout_refuse (monocle__layout *layout)
{
	refuse (&layout->adapter);
	refuse (&layout->umbrella);
	refuse (&layout->core);
	if (layout->umbrella) {
		refuse (&layout->preload);
		refuse (&layout->audit);
	}
	return layout->adapter || layout->umbrella;
}

void
monocle__layout_each_module (const char *folder, void (*visit) (const char *name, const char *path, void *context),
                             void *context)
{
	static const char prefix[] = "libmono-profiler-", suffix[] = ".so";
	char *pattern = pattern_in (folder, "libmono-profiler-*.so");
	glob_t found;
	if (glob (pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *begin = strrchr (found.gl_pathv[i], '/') + sizeof prefix;
			char *name = monocle__format ("%.*s", (int) (strlen (begin) - (sizeof suffix - 1)), begin);
			visit (name, found.gl_pathv[i], context);
			free (name);
		}
		globfree (&found);
	}
	free (pattern);
}

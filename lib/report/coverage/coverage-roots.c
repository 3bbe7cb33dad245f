/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-roots.c - see coverage-roots.h.
 */
#include "coverage-roots.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Length of what is before a path's first folder: of "/", "/_1/", "C:/" or "//server/"; 0: the path is relative. */
static size_t
anchor_length (const char *path)
{
	size_t length;
	if (isalpha ((unsigned char) path[0]) && path[1] == ':' && path[2] == '/')
		return 3;
	if (path[0] != '/')
		return 0;
	if (path[1] == '/')
		return 2 + strcspn (path + 2, "/") + (strchr (path + 2, '/') ? 1 : 0);
	if (path[1] != '_')
		return 1;
	length = 2 + strspn (path + 2, "0123456789");
	return path[length] == '/' ? length + 1 : 1;
}

/* With the slash at its end. */
static size_t
folder_length (const char *path)
{
	const char *slash = strrchr (path, '/');
	return slash ? (size_t) (slash - path) + 1 : 0;
}

/* How much of `folder`, `length` bytes that end with a slash, begins `path`: whole folders only. */
static size_t
common_length (const char *folder, size_t length, const char *path)
{
	size_t same = 0, common = 0;
	for (; same < length && folder[same] == path[same]; same++) {
		if (folder[same] == '/')
			common = same + 1;
	}
	return common;
}

/* Files that begin alike, as found while the files are looked through. */
typedef struct {
	const char *folder;
	size_t length, anchor;
} family;

typedef struct {
	family *rows;
	size_t count;
	size_t slash; /* the one of names that begin with a slash and nothing else; SIZE_MAX: not found yet */
} families;

static bool
is_of_family (const family *f, const char *path, size_t anchor)
{
	return f->anchor == anchor && memcmp (f->folder, path, anchor) == 0;
}

/* Files are sorted, so that all of a family come together, but for those with a slash alone. */
static size_t
add_to_family (families *all, const char *path, size_t anchor)
{
	size_t i = anchor == 1 ? all->slash : all->count - 1;
	if (i < all->count && is_of_family (&all->rows[i], path, anchor)) {
		all->rows[i].length = common_length (all->rows[i].folder, all->rows[i].length, path);
		return i;
	}
	all->rows[all->count] = (family) { path, folder_length (path), anchor };
	if (anchor == 1)
		all->slash = all->count;
	return all->count++;
}

static char *
folder_name (const char *folder, size_t length)
{
	while (length > 1 && folder[length - 1] == '/')
		length--;
	return strndup (folder, length);
}

static bool
is_in_root (const monocle__coverage_roots *roots, const char *path, size_t *ret_length)
{
	size_t length;
	if (!roots->has_source_root)
		return false;
	length = strlen (roots->folders[0]);
	if (strncmp (path, roots->folders[0], length) == 0 && (path[length] == '/' || roots->folders[0][length - 1] == '/'))
		*ret_length = length + (path[length] == '/' ? 1 : 0);
	else if (strncmp (path, "/_/", 3) == 0)
		*ret_length = 3;
	else
		return false;
	return true;
}

/* Finds the families, whose folders come after those that are there, and the family of each file. */
static void
find_families (monocle__coverage_roots *roots, families *all)
{
	for (uint32_t f = 0; f < roots->coverage->file_count; f++) {
		const char *path = roots->coverage->files[f].path;
		size_t anchor = anchor_length (path), length;
		monocle__coverage_rooted *file = &roots->files[f];
		*file = (monocle__coverage_rooted) { MONOCLE__COVERAGE_NONE, path };
		if (is_in_root (roots, path, &length))
			*file = (monocle__coverage_rooted) { 0, path + length };
		else if (anchor > 0)
			file->folder = (uint32_t) (roots->folder_count + add_to_family (all, path, anchor));
	}
}

static bool
name_folders (monocle__coverage_roots *roots, const families *all)
{
	size_t first = roots->folder_count;
	for (size_t i = 0; i < all->count; i++) {
		if (!(roots->folders[roots->folder_count] = folder_name (all->rows[i].folder, all->rows[i].length)))
			return false;
		roots->folder_count++;
	}
	for (uint32_t f = 0; f < roots->coverage->file_count; f++) {
		monocle__coverage_rooted *file = &roots->files[f];
		if (file->folder != MONOCLE__COVERAGE_NONE && file->folder >= first)
			file->name += all->rows[file->folder - first].length;
	}
	return true;
}

monocle__coverage_roots *
monocle__coverage_roots_new (const monocle__coverage *coverage, const char *source_root)
{
	monocle__coverage_roots *roots = calloc (1, sizeof *roots);
	families all = { .rows = calloc (coverage->file_count + 1, sizeof *all.rows), .slash = SIZE_MAX };
	if (!roots || !all.rows)
		goto fail;
	roots->coverage = coverage;
	roots->folders = calloc (coverage->file_count + 1, sizeof *roots->folders);
	roots->files = calloc (coverage->file_count + 1, sizeof *roots->files);
	if (!roots->folders || !roots->files)
		goto fail;
	if (source_root && *source_root) {
		if (!(roots->folders[0] = folder_name (source_root, strlen (source_root))))
			goto fail;
		roots->has_source_root = true;
		roots->folder_count = 1;
	}
	find_families (roots, &all);
	if (!name_folders (roots, &all))
		goto fail;
	free (all.rows);
	return roots;
fail:
	free (all.rows);
	monocle__coverage_roots_free (roots);
	return NULL;
}

void
monocle__coverage_roots_free (monocle__coverage_roots *roots)
{
	if (!roots)
		return;
	for (size_t i = 0; i < roots->folder_count; i++)
		free (roots->folders[i]);
	free (roots->folders);
	free (roots->files);
	free (roots);
}

const char *
monocle__coverage_roots_short (const monocle__coverage_roots *roots, uint32_t file)
{
	const monocle__coverage_rooted *path = &roots->files[file];
	return roots->has_source_root && path->folder == 0 ? path->name : roots->coverage->files[file].path;
}

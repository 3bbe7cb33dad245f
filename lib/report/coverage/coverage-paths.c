/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-paths.c - paths of sources: with slashes, after maps, and globs that choose among them.
 */
#include "coverage-raw.h"
#include "source-path.h"

#include <stdlib.h>
#include <string.h>

const char *
monocle__coverage_path_mapped (monocle__coverage_raw *raw, const char *path, const char *const *map)
{
	char *mapped = monocle__source_path_mapped (path, map);
	const char *text = mapped ? monocle__coverage_raw_text (raw, mapped, strlen (mapped)) : NULL;
	free (mapped);
	return text;
}

/* --- globs -------------------------------------------------------------------------------------------------------- */

/* Where to go on when what comes after a star does not match. */
typedef struct {
	const char *glob, *path; /* glob NULL: there was no star */
	bool whole;              /* of ** before a slash, which goes on at beginnings of names */
} star;

static bool
try_again (star *s, bool any)
{
	if (!s->glob || !*s->path)
		return false;
	if (s->whole) {
		s->path = strchr (s->path, '/');
		if (!s->path)
			return s->glob = NULL, false;
		s->path++;
		return true;
	}
	if (!any && *s->path == '/')
		return false;
	s->path++;
	return true;
}

/* Steps over the star that the glob is at. */
static const char *
take_star (const char *glob, const char *end, const char *path, star *one, star *many)
{
	*one = (star) { 0 };
	if (end - glob < 2 || glob[1] != '*') {
		*one = (star) { glob + 1, path, false };
		return glob + 1;
	}
	while (glob < end && *glob == '*')
		glob++;
	*many = (star) { glob, path, false };
	if (glob < end && *glob == '/')
		*many = (star) { glob + 1, path, true };
	return many->glob;
}

/* `*` and `?` within a name, `**` across slashes. Each star goes forward only: at worst length times length. */
static bool
matches (const char *glob, const char *end, const char *path)
{
	star one = { 0 }, many = { 0 };
	for (;;) {
		if (glob < end && *glob == '*') {
			glob = take_star (glob, end, path, &one, &many);
		} else if (glob == end ? !*path : *path && (*glob == *path || (*glob == '?' && *path != '/'))) {
			if (glob == end)
				return true;
			glob++;
			path++;
		} else if (try_again (&one, false)) {
			glob = one.glob;
			path = one.path;
		} else if (try_again (&many, true)) {
			one = (star) { 0 };
			glob = many.glob;
			path = many.path;
		} else {
			return false;
		}
	}
}

/* The whole path; or, unless the glob begins with a slash, what follows one of the path's. */
static bool
matches_end (const char *glob, const char *end, const char *path)
{
	if (matches (glob, end, path))
		return true;
	while (*glob != '/' && (path = strchr (path, '/'))) {
		if (matches (glob, end, ++path))
			return true;
	}
	return false;
}

bool
monocle__coverage_path_matches (const char *path, const char *globs)
{
	for (;;) {
		const char *end = strchrnul (globs, ',');
		if (end > globs && matches_end (globs, end, path))
			return true;
		if (!*end)
			return false;
		globs = end + 1;
	}
}

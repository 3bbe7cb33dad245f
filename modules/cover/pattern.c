/*
 * SPDX-License-Identifier: MIT
 *
 * pattern.c - see pattern.h.
 */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

bool
pattern_list_read (const char *text, pattern_list *ret_list)
{
	size_t length = text ? strlen (text) : 0, most = length / 2 + 1;
	char **items = calloc (1, most * sizeof *items + length + 1), *copy = (char *) (items + most), *rest;
	if (!items)
		return false;
	if (text)
		memcpy (copy, text, length);
	*ret_list = (pattern_list) { items, 0 };
	for (char *item = strtok_r (copy, ";,", &rest); item; item = strtok_r (NULL, ";,", &rest))
		items[ret_list->count++] = item;
	return true;
}

/* --- globs -------------------------------------------------------------------------------------------------------- */

/* `end` is where the pattern ends. */
static bool
glob (const char *pattern, const char *end, const char *text)
{
	const char *star = NULL, *resume = NULL; /* what follows the last star, and where it is tried next */
	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (pattern < end && (*pattern == *text || *pattern == '?')) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

bool
pattern_matches (const char *pattern, const char *text)
{
	return glob (pattern, pattern + strlen (pattern), text);
}

static bool
glob_path (const char *pattern, const char *path)
{
	for (; *pattern && *pattern != '*'; pattern++, path++)
		if (!*path || (*pattern != *path && (*pattern != '?' || *path == '/')))
			return false;
	if (!*pattern)
		return !*path;
	bool is_wide = pattern[1] == '*';
	const char *rest = pattern + strspn (pattern, "*");
	if (is_wide && *rest == '/' && glob_path (rest + 1, path))
		return true; /* folders, or none */
	while (!glob_path (rest, path)) {
		if (!*path || (!is_wide && *path == '/'))
			return false;
		path++;
	}
	return true;
}

bool
pattern_matches_path (const char *pattern, const char *path)
{
	bool is_whole = *pattern == '/' || strncmp (pattern, "**", 2) == 0;
	while (!glob_path (pattern, path)) {
		path = is_whole ? NULL : strchr (path, '/');
		if (!path)
			return false;
		path++;
	}
	return true;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

bool
pattern_is_class (const char *pattern)
{
	const char *end = strchr (pattern, ']');
	return *pattern == '[' && end && end > pattern + 1 && end[1];
}

bool
pattern_matches_assembly (const char *pattern, const char *assembly)
{
	return glob (pattern + 1, strchr (pattern, ']'), assembly);
}

const char *
pattern_type (const char *pattern)
{
	return strchr (pattern, ']') + 1;
}

bool
pattern_names_assembly (const char *pattern)
{
	return strspn (pattern + 1, "*?") != (size_t) (strchr (pattern, ']') - pattern - 1);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-find.c - see coverage-find.h.
 */
#include "coverage-find.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

typedef enum { NOT, AT_END, WHOLE } match;

/* The text without blanks, and a colon as a dot: "N.C:F (int, int)" is "N.C.F(int,int)". The caller frees. */
static char *
squeeze (const char *first, const char *between, const char *last)
{
	char *text = malloc (strlen (first) + strlen (between) + strlen (last) + 1), *to = text;
	const char *const parts[] = { first, between, last };
	for (size_t i = 0; text && i < 3; i++) {
		for (const char *from = parts[i]; *from; from++) {
			if (*from != ' ')
				*to++ = (char) (*from == ':' ? '.' : *from);
		}
	}
	if (text)
		*to = '\0';
	return text;
}

/* Does `text` have that name, as a whole or after one of `separators`? */
static match
match_end (const char *text, size_t length, const char *name, const char *separators)
{
	size_t own = strlen (name);
	if (own == 0 || own > length || memcmp (text + length - own, name, own) != 0)
		return NOT;
	if (own == length)
		return WHOLE;
	return strchr (separators, text[length - own - 1]) ? AT_END : NOT;
}

static match
match_path (const char *path, const char *name)
{
	while (strncmp (name, "./", 2) == 0)
		name += 2;
	return match_end (path, strlen (path), name, "/");
}

/* Of a name that was squeezed; without its last parentheses when `name` has none. */
static match
match_name (const char *text, const char *name, char open)
{
	size_t length = strlen (text);
	const char *end = strchr (name, open) ? NULL : strrchr (text, open);
	match found = match_end (text, length, name, ".");
	if (found == NOT && end && end > text)
		found = match_end (text, (size_t) (end - text), name, ".");
	return found;
}

static int
match_one (const monocle__coverage *coverage, monocle__coverage_by by, uint32_t i, const char *name,
           const char *squeezed, match *ret_match)
{
	const monocle__coverage_method *method = &coverage->methods[i];
	const monocle__coverage_type *type = &coverage->types[by == MONOCLE__COVERAGE_BY_METHOD ? method->type : i];
	char *text;
	if (by == MONOCLE__COVERAGE_BY_FILE) {
		const monocle__coverage_file *file = &coverage->files[i];
		*ret_match = file->local && strcmp (file->local, name) == 0 ? WHOLE : match_path (file->path, name);
		return 0;
	}
	text = by == MONOCLE__COVERAGE_BY_METHOD ? squeeze (type->name, ".", method->name) : squeeze (type->name, "", "");
	if (!text)
		return -1;
	*ret_match = match_name (text, squeezed, by == MONOCLE__COVERAGE_BY_METHOD ? '(' : '<');
	if (by == MONOCLE__COVERAGE_BY_CLASS && strcmp (type->full, name) == 0)
		*ret_match = WHOLE;
	free (text);
	return 0;
}

static int
add_matches (const monocle__coverage *coverage, size_t count, const char *name, const char *squeezed,
             monocle__coverage_found *found)
{
	for (uint32_t i = 0; i < count; i++) {
		match m;
		if (match_one (coverage, found->by, i, name, squeezed, &m) != 0)
			return -1;
		if (m == NOT || (m == AT_END && found->is_exact))
			continue;
		if (m == WHOLE && !found->is_exact) {
			found->is_exact = true;
			found->count = 0;
		}
		if (!MONOCLE__RESERVE (found->items, found->capacity, found->count + 1))
			return -1;
		found->items[found->count++] = i;
	}
	return 0;
}

int
monocle__coverage_find (const monocle__coverage *coverage, const char *name, monocle__coverage_found *ret_found)
{
	const size_t counts[] = { coverage->file_count, coverage->type_count, coverage->method_count };
	monocle__coverage_found found = { .by = MONOCLE__COVERAGE_BY_FILE };
	char *squeezed = squeeze (name, "", "");
	int result = squeezed ? 0 : -1;
	for (unsigned by = 0; result == 0 && found.count == 0 && by < sizeof counts / sizeof *counts; by++) {
		found.by = (monocle__coverage_by) by;
		result = add_matches (coverage, counts[by], name, squeezed, &found);
	}
	free (squeezed);
	if (result == 0)
		*ret_found = found;
	else
		free (found.items);
	return result;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * pattern.h - what users write to choose classes and files.
 */
#ifndef MONOCLE_MODULES_COVER_PATTERN_H
#define MONOCLE_MODULES_COVER_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

/* Of one option: several texts, with semicolons or commas between them. */
typedef struct {
	char **items; /* in one block with their text */
	uint32_t count;
} pattern_list;

/* NULL and "" are an empty list. False: no memory. The list is never given back. */
bool pattern_list_read (const char *text, pattern_list *ret_list);

/* `*` is any text, `?` any character. */
bool pattern_matches (const char *pattern, const char *text);
/*
 * The same of a path, where `*` and `?` are no slash, and `**` is any text. A pattern that does not begin with a slash
 * or two stars begins after any slash.
 */
bool pattern_matches_path (const char *pattern, const char *path);

/* "[assembly]type", both with `*` and `?`. */
bool pattern_is_class (const char *pattern);
bool pattern_matches_assembly (const char *pattern, const char *assembly);
/* Its part after the bracket. */
const char *pattern_type (const char *pattern);
/* Does it name assemblies, where others say `[*]`? */
bool pattern_names_assembly (const char *pattern);

#endif

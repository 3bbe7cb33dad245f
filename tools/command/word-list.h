/*
 * SPDX-License-Identifier: MIT
 *
 * word-list.h - the values of an option that may be repeated.
 */
#ifndef MONOCLE_TOOLS_WORD_LIST_H
#define MONOCLE_TOOLS_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { MONOCLE__WORD_LIST_MAX = 64 };

/* In their order, and a NULL; borrowed. Zeros are an empty one. */
typedef struct {
	const char *words[MONOCLE__WORD_LIST_MAX + 1];
	size_t count;
} monocle__word_list;

/* Each is the `try_read` of an option row whose target is a list. False: it is empty, or there is no room. */
bool monocle__word_list_try_add (const char *value, void *target);
/* The same for FROM=TO, where FROM is not empty. */
bool monocle__word_list_try_add_map (const char *value, void *target);

#endif

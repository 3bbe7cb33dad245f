/*
 * SPDX-License-Identifier: MIT
 *
 * word-list.c - see word-list.h.
 */
#include "word-list.h"

#include <string.h>

bool
monocle__word_list_try_add (const char *value, void *target)
{
	monocle__word_list *list = target;
	if (!*value || list->count == MONOCLE__WORD_LIST_MAX)
		return false;
	list->words[list->count++] = value;
	return true;
}

bool
monocle__word_list_try_add_map (const char *value, void *target)
{
	return strchr (value, '=') && *value != '=' && monocle__word_list_try_add (value, target);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * desc-list.h - the modules that --profile names, each NAME[:ARGS].
 */
#ifndef MONOCLE_TOOLS_DESC_LIST_H
#define MONOCLE_TOOLS_DESC_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	char **descs; /* each owned */
	size_t count;
} monocle__desc_list;

/* The `try_read` of an option: `list` is a monocle__desc_list. */
bool monocle__desc_list_try_add (const char *desc, void *list);
/* Without any module, the default one becomes the list. */
void monocle__desc_list_complete (monocle__desc_list *list);
void monocle__desc_list_done (monocle__desc_list *list);

/* Is `help` the first of its arguments? The module prints them then, and no profile is expected. */
bool monocle__desc_list_is_help (const char *desc);
bool monocle__desc_list_asks_help (const monocle__desc_list *list);
/* Does the desc say where the module writes? */
bool monocle__desc_list_has_output (const monocle__desc_list *list, size_t index);
/* Does the module write to a command or a descriptor, so that there is no file? */
bool monocle__desc_list_has_stream (const monocle__desc_list *list, size_t index);
/* Appends output=FOLDER/NAME. The folder is meant as it is; what percent signs in `name` mean is for the module. */
void monocle__desc_list_set_output (monocle__desc_list *list, size_t index, const char *folder, const char *name);

#endif

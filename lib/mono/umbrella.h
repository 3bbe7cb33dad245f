/*
 * SPDX-License-Identifier: MIT
 *
 * umbrella.h - what the files of the umbrella module share. Nothing here is exported.
 */
#ifndef MONOCLE_UMBRELLA_H
#define MONOCLE_UMBRELLA_H

#include <stdbool.h>
#include <stddef.h>

/* --- place.c: folders in which modules are looked for ------------------------------------------------------------- */

enum { PLACES_MAX = 64 };

/* Existing folders by their real paths, each once, in the order of the search. All strings are owned. */
typedef struct {
	char *folders[PLACES_MAX];
	size_t count;
} places;

/* MONOCLE_MODULE_PATH, our own folder, the configured one, then Mono's own. The list is as long as memory allows. */
void monocle__place_find_all (places *ret_places);
void monocle__place_free_all (places *list);

/* Names of modules in these folders, sorted, separated by ", "; "" when there is none. Cut when `size` is too small. */
void monocle__place_list_modules (const places *list, char *ret_text, size_t size);

/* --- module.c: one module ----------------------------------------------------------------------------------------- */

/*
 * Looks for the module NAME in the global scope, in the folders and wherever the dynamic linker looks, and starts the
 * first that can be with `desc`. Returns whether one runs. ret_failure gets the first candidate's trouble, "" when
 * there was no candidate.
 */
bool monocle__module_start (const places *list, const char *name, const char *desc, char *ret_failure, size_t size);

#endif

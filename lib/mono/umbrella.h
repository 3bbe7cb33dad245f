/*
 * SPDX-License-Identifier: MIT
 *
 * umbrella.h - what the files of the umbrella module share. Nothing here is exported.
 */
#ifndef MONOCLE_UMBRELLA_H
#define MONOCLE_UMBRELLA_H

#include <stdbool.h>
#include <stddef.h>
#include "control/control.h"
#include "load/candidate.h"

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

/* One that comes when Mono runs already. */
typedef struct monocle__late_module {
	struct monocle__late_module *next;
	char name[MONOCLE__NAME_LIMIT];
	void *library; /* NULL: it was in the process before */
} monocle__late_module;

/*
 * Looks for the module NAME in the global scope, in the folders and wherever the dynamic linker looks, and starts the
 * first that can be with `desc`. Returns whether one runs. ret_failure gets the first candidate's trouble, "" when
 * there was no candidate. `late`, if it is not NULL, gets its library, whose calls are led to late-handle.h's functions
 * before it is started.
 */
bool monocle__module_start (const places *list, const char *name, const char *desc, monocle__late_module *late,
                            char *ret_failure, size_t size);

/* --- umbrella.c --------------------------------------------------------------------------------------------------- */

/*
 * Starts the module that `desc` describes, or says in one line why not. `late`: as above, with its name in it; NULL:
 * Mono has not started.
 */
bool monocle__umbrella_start (const places *list, const char *desc, monocle__late_module *late);

/* --- standby.c ---------------------------------------------------------------------------------------------------- */

/*
 * Before Mono starts: from now on modules can be loaded at any time, as `host` is told over the control socket. Says in
 * one line what is in the way.
 */
void monocle__standby_begin (monocle__control_host *host);

#endif

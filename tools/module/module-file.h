/*
 * SPDX-License-Identifier: MIT
 *
 * module-file.h - what a module's file says of the module before it is loaded.
 */
#ifndef MONOCLE_TOOLS_MODULE_FILE_H
#define MONOCLE_TOOLS_MODULE_FILE_H

#include <stdbool.h>

#include "layout.h"

typedef enum {
	MONOCLE__WRITES_NOTHING,  /* as far as is known: not a module that we know */
	MONOCLE__WRITES_TEXT,     /* takes output=, and what it writes is not a profile */
	MONOCLE__WRITES_PROFILE,  /* takes output=, and leaves a profile */
	MONOCLE__WRITES_COVERAGE, /* takes output=, and leaves a file that is mapped from the first moment on: coverage */
	MONOCLE__WRITES_MONOS,    /* takes output=: one of Mono's own, which does not know all of our names */
	MONOCLE__WRITES_UNKNOWN,  /* there is no such file where we look */
} monocle__module_writes;

/*
 * The file of the module that `desc`, NAME[:ARGUMENTS], names; NULL: there is none where we look, which is where
 * `monocle list` looks and in the cache of the dynamic linker. The caller frees.
 */
char *monocle__module_file_find (const monocle__layout *layout, const char *desc);
/*
 * The folders in which it is looked for before the cache is, joined by colons: for a process that runs already, and has
 * neither our variables nor our folder. The caller frees.
 */
char *monocle__module_file_folders (const monocle__layout *layout);
/*
 * Why the file cannot be the module of `desc`, NAME[:ARGUMENTS]: no runtime would load it, and the program would run
 * unprofiled. NULL: nothing is known against it. The caller frees.
 */
char *monocle__module_file_trouble (const char *path, const char *desc);

/* Is there such a file, or is it one of Mono's own, which a Mono elsewhere may have? */
bool monocle__module_file_is_there (const monocle__layout *layout, const char *desc);
monocle__module_writes monocle__module_file_look (const monocle__layout *layout, const char *desc);
/* Of one of Mono's own modules: the file that it writes where nobody names another. NULL: it is none of them. */
const char *monocle__module_file_of_monos (const char *desc);
/* What the module of that name, in that file, does, in a few words; "": it does not say. The caller frees. */
char *monocle__module_file_summary (const char *name, const char *path);
/* What the module says of a profile in which nothing is (MONOCLE_KIT_WHEN_EMPTY); NULL: nothing. The caller frees. */
char *monocle__module_file_when_empty (const monocle__layout *layout, const char *desc);

#endif

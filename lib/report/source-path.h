/*
 * SPDX-License-Identifier: MIT
 *
 * source-path.h - the sources that symbols name, on this machine.
 */
#ifndef MONOCLE_REPORT_SOURCE_PATH_H
#define MONOCLE_REPORT_SOURCE_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * The name with slashes, and with TO in the place of FROM where it begins so; the first of the maps, "FROM=TO", that
 * does counts. `map` ends with a NULL and may be NULL. The caller frees; NULL: out of memory.
 */
char *monocle__source_path_mapped (const char *path, const char *const *map);

/* The nearest folder around the current one that has .git; false: there is none. */
bool monocle__source_path_working_copy (char folder[PATH_MAX]);

/*
 * Where the source is: as symbols have it (`written`, may be NULL), under its name, or in one of the folders or the
 * working copy (both may be NULL) under an end of it. The caller frees; NULL: nowhere, or out of memory.
 */
char *monocle__source_path_find (const char *path, const char *written, const char *const *folders,
                                 const char *working_copy);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * run-snapshots.h - snapshots of coverage that the programs of one `monocle run` ask for, through a folder.
 *
 * A program writes NAME.want into the folder that MONOCLE_SNAPSHOT_DIR names, with its process number in it. Then
 * NAME.mcov appears, whole, with what was covered since the last snapshot of that process, and NAME.want is removed:
 * without NAME.mcov when it could not be done, which is said on stderr.
 */
#ifndef MONOCLE_TOOLS_RUN_SNAPSHOTS_H
#define MONOCLE_TOOLS_RUN_SNAPSHOTS_H

#include <stddef.h>

typedef struct monocle__run_snapshots monocle__run_snapshots;

/*
 * Makes the folder if it is not there, watches it from a thread, and sets the variable. Before the program is started.
 * NULL after one line on stderr.
 */
monocle__run_snapshots *monocle__run_snapshots_begin (const char *folder);
/* Does what is still asked for, and stops. NULL is none. What was written can still be asked for. */
void monocle__run_snapshots_end (monocle__run_snapshots *snapshots);
/* The files that were written; after the end. NULL is none. */
size_t monocle__run_snapshots_count (const monocle__run_snapshots *snapshots);
const char *monocle__run_snapshots_path (const monocle__run_snapshots *snapshots, size_t index);
void monocle__run_snapshots_free (monocle__run_snapshots *snapshots);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * complete.h - from a spool in memory to the file that its user asked for.
 */
#ifndef MONOCLE_KIT_COMPLETE_H
#define MONOCLE_KIT_COMPLETE_H

#include "spool.h"

/*
 * Writes the profile where the spool's header says; `path` (sizeof header.output bytes) begins as header.output and
 * ends as the name that was written. With a run directory the note for the parent is left there. 0 or -errno.
 */
int monocle__complete_view (const struct monocle__spool_view *view, char *path, enum monocle__output_kind kind);

/*
 * The name of the file that the spool becomes now: a second piece has its number in it. `path`: sizeof header.output
 * bytes. 0 or -errno.
 */
int monocle__complete_name (const struct monocle__spool_header *header, char *path);

/* Leaves DIRECTORY/PID.N.done, one line: the path of the profile. */
void monocle__leave_note (const char *directory, uint32_t pid, const char *path);

#endif

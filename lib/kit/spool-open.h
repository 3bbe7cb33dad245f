/*
 * SPDX-License-Identifier: MIT
 *
 * spool-open.h - a spool with all that belongs to its file: where it is, where the profile goes, what it says of
 * itself.
 */
#ifndef MONOCLE_KIT_SPOOL_OPEN_H
#define MONOCLE_KIT_SPOOL_OPEN_H

#include "spool.h"

/*
 * Makes the file and describes the process in it; the file is not a valid spool until it is published. Returns false
 * after logging the reason.
 */
bool monocle__spool_open_make (monocle_kit_spool *spool, const monocle_kit_spool_config *config);

/* Takes the file away again, with the plan beside it. */
void monocle__spool_open_remove (const monocle_kit_spool *spool);

/*
 * Writes what is counted now as a profile of its own: the first under the profile's name, later ones with their number
 * in it. On the thread that counts. 0, or -1 after logging the reason.
 */
int monocle__spool_open_piece (monocle_kit_spool *spool);

/*
 * Called when no thread writes any more: reports what was lost, writes the profile, or its last piece, and removes the
 * spool. 0, or -1 after logging the reason.
 */
int monocle__spool_open_finish (monocle_kit_spool *spool);

#endif

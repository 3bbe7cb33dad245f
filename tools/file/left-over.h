/*
 * SPDX-License-Identifier: MIT
 *
 * left-over.h - the folders that runs have left, because they were killed or could not write elsewhere.
 */
#ifndef MONOCLE_TOOLS_LEFT_OVER_H
#define MONOCLE_TOOLS_LEFT_OVER_H

/*
 * Removes the user's own folders of runs whose `monocle run` is gone and which hold nothing that anybody could want: no
 * profile, and no spool. Another user's, and one of a run that goes on, is left alone.
 */
void monocle__left_over_clean (void);
/* Names on stderr the profiles and spools that are in such folders, the newest few first. */
void monocle__left_over_say (void);

#endif

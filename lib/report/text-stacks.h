/*
 * SPDX-License-Identifier: MIT
 *
 * text-stacks.h - the stacks of threads as text, each in full: for a snapshot, whose samples are threads.
 */
#ifndef MONOCLE_REPORT_TEXT_STACKS_H
#define MONOCLE_REPORT_TEXT_STACKS_H

#include "report.h"

/* Is the profile a snapshot: does it count threads? */
bool monocle__text_stacks_is_for (const monocle__profile *profile);

/*
 * Threads that run the program's own code first. Leaf first, with source and line where they are known. Equal stacks
 * are printed once, those of most threads first; with `apart` every thread is, by name. `limit`: stacks; 0: all.
 */
monocle__report_writer monocle__text_stacks;

#endif

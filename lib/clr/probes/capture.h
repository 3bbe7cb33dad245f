/*
 * SPDX-License-Identifier: MIT
 *
 * capture.h - the IL that hands the values of a call to probes with contexts (context.h).
 */
#ifndef MONOCLE_CLR_CAPTURE_H
#define MONOCLE_CLR_CAPTURE_H

#include "rewrite.h"

/* Decides what contexts show, and gives the body the locals for it. False: no flag asks for contexts. */
bool monocle__capture_plan (monocle__rewriting *job);
/* Do the enters, the leaves go to probes with contexts? */
bool monocle__capture_enters (const monocle__rewriting *job);
bool monocle__capture_leaves (const monocle__rewriting *job);
/*
 * Inserts the probe before everything, before the `ret` at that index. 0 or negative. `ends_block`: see
 * monocle__rewrite_end_block ().
 */
int monocle__capture_insert_enter (monocle__rewriting *job, monocle__il_edit *edit);
int monocle__capture_insert_leave (monocle__rewriting *job, monocle__il_edit *edit, uint32_t at);
/* What these probes need of the evaluation stack. */
uint32_t monocle__capture_depth (const monocle__rewriting *job);
/* The rewriting is over: what probes were given lives with the image where it succeeded. */
void monocle__capture_end (monocle__rewriting *job, bool done);

#endif

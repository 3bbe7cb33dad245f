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
/*
 * In a method that the runtime suspends (segment.c) there are three places, and a probe is passed the number of the
 * segment before all values. Writes what is passed and the call of `function`; after it come the number that the probe
 * returns, but for a leave, and monocle__capture_write_end (). How many instructions. Room: monocle__capture_room ().
 */
typedef enum { MONOCLE__CAPTURE_ENTER, MONOCLE__CAPTURE_RESUME, MONOCLE__CAPTURE_LEAVE } monocle__capture_place;

uint32_t monocle__capture_write (const monocle__rewriting *job, monocle__capture_place place, monocle__probe function,
                                 monocle__il_instruction *out);
uint32_t monocle__capture_write_end (const monocle__rewriting *job, monocle__capture_place place,
                                     monocle__il_instruction *out);
uint32_t monocle__capture_room (const monocle__rewriting *job);
/* What these probes need of the evaluation stack. */
uint32_t monocle__capture_depth (const monocle__rewriting *job);
/* The rewriting is over: what probes were given lives with the image where it succeeded. */
void monocle__capture_end (monocle__rewriting *job, bool done);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * run-note.h - what a profiled process tells a parent that is `monocle run`: small files in the folder of the run.
 *
 * A note is PID.KIND and one line of text. Without such a parent, and in a set-user-id program, nothing is written.
 * Normal context; errno is kept.
 */
#ifndef MONOCLE_BASE_RUN_NOTE_H
#define MONOCLE_BASE_RUN_NOTE_H

void monocle__run_note (const char *kind, const char *text);
/* Takes the note back. */
void monocle__run_note_remove (const char *kind);

#endif

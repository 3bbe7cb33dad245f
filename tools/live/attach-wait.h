/*
 * SPDX-License-Identifier: MIT
 *
 * attach-wait.h - waiting until an attach is over.
 */
#ifndef MONOCLE_TOOLS_ATTACH_WAIT_H
#define MONOCLE_TOOLS_ATTACH_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process.h"

typedef enum {
	MONOCLE__ATTACH_FOUND,       /* what was looked for; the modules are about to go */
	MONOCLE__ATTACH_DETACHED,    /* all is as it was */
	MONOCLE__ATTACH_STANDING_BY, /* all is as it was, but the library stays, idle; it takes the next attach */
	MONOCLE__ATTACH_ASLEEP,      /* nothing is delivered any more, and the runtime keeps the library: it says why */
	MONOCLE__ATTACH_ENDED,       /* the process ended, and its runtime before it */
	MONOCLE__ATTACH_DIED,        /* the process ended in another way: it was killed, or died */
	MONOCLE__ATTACH_SILENT,      /* it was asked to stop, and does not answer */
} monocle__attach_outcome;

/* Have the modules gone, or is the folder, an open one, no more, in which that could be said? */
bool monocle__attach_wait_is_over (const monocle__live_process *process, int folder);

/* Asks the modules to go. */
void monocle__attach_wait_ask (int folder);

/*
 * While an attach begins, which may be at work before the command hears of it, SIGINT, SIGTERM and SIGHUP leave word in
 * the folder that the modules are to go; a second one ends the command. Afterwards they are as before; if the attach
 * has begun they wait until monocle__attach_wait ().
 */
void monocle__attach_wait_begin (int folder);
void monocle__attach_wait_begun (bool has_begun);

/* Asked again and again until it answers true: then nothing more is waited for. */
typedef bool monocle__attach_look (void *data);

/*
 * Waits for what the adapter notes in the folder, an open one. SIGINT, SIGTERM and SIGHUP end it early: the adapter is
 * asked to stop; a second one, or ten seconds without an answer, ends the waiting. So it is with a process that has not
 * said after ten seconds that we are loaded, or ten seconds after its `milliseconds` that we are gone. `ret_reason` is
 * the runtime's, or "". `look` may be NULL.
 */
monocle__attach_outcome monocle__attach_wait (const monocle__live_process *process, int folder, uint32_t milliseconds,
                                              monocle__attach_look *look, void *data, char *ret_reason, size_t size);

#endif

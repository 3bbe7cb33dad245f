/*
 * SPDX-License-Identifier: MIT
 *
 * control.h - a process is asked what it is doing, and told to do it differently, over a socket: doc/control.md.
 *
 * Compiled into the core and into Mono's umbrella. Two plain threads with all signals blocked, which the runtime does
 * not know: control-server.c's has sockets, and descriptors of its own, and waits; control-command.c's does what was
 * asked, because modules open files that belong to the process.
 */
#ifndef MONOCLE_CONTROL_H
#define MONOCLE_CONTROL_H

#include <stdbool.h>

typedef struct {
	const char *runtime; /* for people; it stays */
	/* Starts a module in a process that runs. 0, or a negative code after one line was logged. */
	int (*load) (const char *desc);
} monocle__control_host;

/*
 * Begins to listen, unless MONOCLE_CONTROL=0, and stops the modules that are there if MONOCLE_START says so. At the end
 * of each window in which modules were loaded before the runtime starts. What cannot be done is no harm: nobody can
 * ask, then. Normal context.
 */
void monocle__control_begin (const monocle__control_host *host);
/* The socket and its folder go away, and the threads soon. Idempotent; nothing in a forked child. Normal context. */
void monocle__control_end (void);

#endif

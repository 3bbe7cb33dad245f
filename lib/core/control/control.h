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
#include <monocle/stacks.h>

#include "attach-block.h"

/*
 * What a host does that is asked, or stands by; all on the thread of commands, one at a time, and never once the end
 * was told. NULL: it is done; else why it is not, as the text of an error, which stays.
 */
typedef struct {
	const char *runtime; /* for people; it stays */
	/*
	 * Starts the modules that MONOCLE_PROFILE of the settings names, in a process that runs. They end by themselves
	 * after so many milliseconds, unless there are none. The settings are the caller's. NULL: it loads nothing later.
	 */
	const char *(*load) (const monocle__attach_block *settings);
	bool (*is_loaded) (void); /* Is there anything that was loaded so? */
	/* Ends what was loaded so. Files are complete, and more can be loaded, when it returns NULL. */
	const char *(*unload) (void);
	/*
	 * Fills in what only the host knows of the request, and has the stacks written. NULL: it knows of no stacks.
	 */
	const char *(*stacks) (MonocleStacks *request);
} monocle__control_host;

/*
 * Begins to listen, unless MONOCLE_CONTROL=0, and stops the modules that are there if MONOCLE_START says so. At the end
 * of each window in which modules were loaded before the runtime starts. What cannot be done is no harm: nobody can
 * ask, then. Normal context.
 */
void monocle__control_begin (const monocle__control_host *host);
/*
 * Between the end of modules and the moment when more can be loaded, in a host that stands by: whatever is asked waits.
 * By one thread. Normal context.
 */
void monocle__control_hold (bool hold);
/* The socket and its folder go away, and the threads soon. Idempotent; nothing in a forked child. Normal context. */
void monocle__control_end (void);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * run-watch.h - the .NET and Mono processes below a command, seen from outside: those that tell nothing of themselves
 * are seen as well.
 *
 * Nothing is done to a process. A thread of this one looks through /proc each few milliseconds, for a hundredth of a
 * CPU's time, and at once when a runtime is opened that is installed, or when one makes its diagnostics socket, for a
 * twentieth at the most. A process belongs to the run when its parent does, or when the folder of the run is in its
 * environment. What is not seen is a runtime that brings its own files and that ends within some milliseconds, without
 * a socket where this command has its temporary files; and a process that has lost the environment, where the one that
 * started it had ended before that.
 */
#ifndef MONOCLE_TOOLS_RUN_WATCH_H
#define MONOCLE_TOOLS_RUN_WATCH_H

#include "file/run-folder.h"
#include "process.h"

typedef struct {
	monocle__live_process process; /* as it was when its runtime was seen first */
	bool is_known;                 /* its environment was seen; else it was gone by then */
	bool is_disabled;              /* the configuration of the program may switch profilers off */
	bool is_gone;
} monocle__run_seen;

typedef struct monocle__run_watch monocle__run_watch;

/* Watches what this process starts from now on, which is `command`. The folder stays as long as the watch. */
monocle__run_watch *monocle__run_watch_begin (const monocle__run_folder *folder, const char *command);
/* Looks a last time, and stops. */
void monocle__run_watch_end (monocle__run_watch *watch);
/*
 * Those with a runtime that has told nothing in the folder of the run, neither that it loaded us nor why it did not; in
 * the order in which they ended. After the end of the watch, which they belong to.
 */
const monocle__run_seen *monocle__run_watch_silent (monocle__run_watch *watch, size_t *ret_count);
void monocle__run_watch_free (monocle__run_watch *watch);

#endif

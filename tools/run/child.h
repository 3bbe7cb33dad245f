/*
 * SPDX-License-Identifier: MIT
 *
 * child.h - running the program as if `monocle run` were not there.
 */
#ifndef MONOCLE_TOOLS_CHILD_H
#define MONOCLE_TOOLS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
	pid_t pid;      /* the program's process, 0 when it was not started */
	bool signalled; /* a signal ended it: an exit code of 128 and more does not tell */
} monocle__child;

/*
 * Starts argv[0], found along PATH, with this process's environment, descriptors, ignored signals and signal mask,
 * waits for its end and passes on the signals that this process gets meanwhile; what does not end, and is asked again
 * some seconds later, is killed, after one line on stderr. Answers the exit code for the shell:
 * the program's own, 128 + n after signal n, 126 or 127 (after one line on stderr) when it could not be started, 125
 * when the system refused a process.
 */
int monocle__child_run (char *const *argv, monocle__child *ret_child);

#endif

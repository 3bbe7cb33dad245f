/*
 * SPDX-License-Identifier: MIT
 *
 * control-process.h - the process that a user means, when it is about to be told something.
 */
#ifndef MONOCLE_TOOLS_CONTROL_PROCESS_H
#define MONOCLE_TOOLS_CONTROL_PROCESS_H

#include <sys/types.h>

/*
 * Connects to the process of this number, else to the one that it has started (monocle run, a shell); or to the one
 * that runs the program of this name. A descriptor, which the caller closes, and *ret_pid; -1 after one line on stderr.
 */
int monocle__control_process_connect (const char *word, pid_t *ret_pid);

#endif

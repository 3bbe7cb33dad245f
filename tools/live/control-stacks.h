/*
 * SPDX-License-Identifier: MIT
 *
 * control-stacks.h - the stacks of a process in which Monocle is at work, over its control socket.
 */
#ifndef MONOCLE_TOOLS_CONTROL_STACKS_H
#define MONOCLE_TOOLS_CONTROL_STACKS_H

#include <stdbool.h>

#include "file/run-folder.h"
#include "process.h"

typedef struct {
	bool is_async;
	const char *file; /* a name in the folder of the run */
	/* The process has written it. Answers the exit code. */
	int (*show) (void *data, const monocle__live_process *process, const monocle__run_folder *folder);
	void *data;
} monocle__control_stacks;

/*
 * True: *ret_code is the exit code, after one line where it went wrong. False: the process has no control socket, or
 * Monocle is just leaving it; nothing was said.
 */
bool monocle__control_stacks_take (const monocle__control_stacks *wish, const monocle__live_process *process,
                                   int *ret_code);

#endif

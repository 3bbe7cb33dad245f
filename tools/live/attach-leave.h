/*
 * SPDX-License-Identifier: MIT
 *
 * attach-leave.h - an attach whose end nobody waits for.
 */
#ifndef MONOCLE_TOOLS_ATTACH_LEAVE_H
#define MONOCLE_TOOLS_ATTACH_LEAVE_H

#include "file/run-folder.h"
#include "process.h"

/*
 * Leaves a process of its own, without a terminal and with no descriptor but the folder's, that waits until the modules
 * have gone and removes the folder. Where there can be none, that happens here. What was printed before must be out.
 */
void monocle__attach_leave (const monocle__live_process *process, const monocle__run_folder *folder);

#endif

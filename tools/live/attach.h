/*
 * SPDX-License-Identifier: MIT
 *
 * attach.h - modules in a program that runs already, for a while.
 */
#ifndef MONOCLE_TOOLS_ATTACH_H
#define MONOCLE_TOOLS_ATTACH_H

#include "attach-wait.h"
#include "command/desc-list.h"
#include "file/run-folder.h"
#include "module/layout.h"
#include "process.h"

typedef struct monocle__attach_plan {
	const monocle__desc_list *profiles;
	const monocle__layout *layout;
	uint32_t milliseconds;
	/* Samples flow from now on; NULL: nobody wants to know. */
	void (*started) (const struct monocle__attach_plan *plan, const monocle__live_process *process);
	/* What is looked for meanwhile, and ends the waiting; NULL: nothing. */
	monocle__attach_look *look;
	void *data;
} monocle__attach_plan;

/* Where our files are; the caller ends with monocle__layout_done () in any case. False after one line. */
bool monocle__attach_layout_find (monocle__layout *ret_layout);

/* A folder that the process can write into. False after one line. */
bool monocle__attach_folder_make (const monocle__live_process *process, monocle__run_folder *ret_folder);

/*
 * The same in two steps, for who has a loop of its own: loads the modules, which stay until they are told to go when
 * there is no time. Then tells them so, and waits. The exit code, as below.
 */
int monocle__attach_begin (const monocle__attach_plan *plan, const monocle__live_process *process,
                           const monocle__run_folder *folder);
void monocle__attach_end (const monocle__live_process *process, const monocle__run_folder *folder);

/*
 * Loads the modules and waits until they have gone, or until what was looked for is there. The exit code: not
 * MONOCLE__EXIT_OK after one line, and nothing was profiled, or what was cannot be had: then a process that still
 * writes has the folder as unfinished. *ret_died: the process did not come to its end in order meanwhile, which was
 * said; what was seen until then is there.
 */
int monocle__attach_run (const monocle__attach_plan *plan, const monocle__live_process *process,
                         monocle__run_folder *folder, bool *ret_died);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * attach-target.h - may and can this process be attached to, and with these files? Asked before anything is done to it.
 */
#ifndef MONOCLE_TOOLS_ATTACH_TARGET_H
#define MONOCLE_TOOLS_ATTACH_TARGET_H

#include <stdbool.h>

#include "command/desc-list.h"
#include "file/run-folder.h"
#include "module/layout.h"
#include "process.h"

/* How long an attach that is ending is waited for: the runtime looks every 300 ms whether it can let it go. */
enum { MONOCLE__ATTACH_TARGET_PATIENCE_NS = 1000000000 };

/*
 * Is there a reason why the process cannot be attached to, as far as it can be told without asking it? Then
 * `ret_reason` is a few words. Every command asks this one question.
 */
bool monocle__attach_target_refusal (const monocle__live_process *process, const monocle__layout *layout,
                                     char *ret_reason, size_t size);
/* One that can be. False after one line. */
bool monocle__attach_target_find (const char *word, const monocle__layout *layout, monocle__live_process *ret_process);
/*
 * The same, for who can do without an attach where Monocle is at work already: `instead` is asked then, and again as
 * long as it answers false and an attach may be about to end.
 */
typedef enum {
	MONOCLE__ATTACH_TARGET_NONE, /* after one line */
	MONOCLE__ATTACH_TARGET_FOUND,
	MONOCLE__ATTACH_TARGET_DONE, /* `instead` has done it */
} monocle__attach_target_answer;
monocle__attach_target_answer monocle__attach_target_find_or (const char *word, const monocle__layout *layout,
                                                              bool (*instead) (void *data,
                                                                               const monocle__live_process *process),
                                                              void *data, monocle__live_process *ret_process);
/* Has every module its use in a program that runs, on the runtime that it has? False after one line. */
bool monocle__attach_target_takes (const monocle__live_process *process, const monocle__desc_list *profiles);
/* A folder for the run where the process sees it, perhaps under another path. False after one line. */
bool monocle__attach_target_make_folder (const monocle__live_process *process, monocle__run_folder *ret_folder);
/* May the process's user write into the folder? It becomes that user's where it is not. False after one line. */
bool monocle__attach_target_give (const monocle__live_process *process, const monocle__run_folder *folder);

#endif

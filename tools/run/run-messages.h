/*
 * SPDX-License-Identifier: MIT
 *
 * run-messages.h - saying what the processes of `monocle run` say, while they run.
 */
#ifndef MONOCLE_TOOLS_RUN_MESSAGES_H
#define MONOCLE_TOOLS_RUN_MESSAGES_H

#include "file/run-folder.h"

typedef struct monocle__run_messages monocle__run_messages;

/*
 * Watches the folder from a thread of its own, and says on stderr what comes. Where the system does not let us watch it
 * comes at the end. Before the program is started.
 */
monocle__run_messages *monocle__run_messages_begin (const monocle__run_folder *folder);
/* Says what is left, and stops. Before what is said about the run as a whole. */
void monocle__run_messages_end (monocle__run_messages *messages);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * messages.h - what the processes of a run have said, in files of its folder: lib/base/log-place.h.
 *
 * Their stderr is their own, and may be read by another program. The command says their lines on its own, each with the
 * number of its process, in the order in which the process said them.
 */
#ifndef MONOCLE_TOOLS_MESSAGES_H
#define MONOCLE_TOOLS_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct monocle__messages monocle__messages;

/* `folder` is open, and stays the caller's. */
monocle__messages *monocle__messages_new (int folder);
void monocle__messages_free (monocle__messages *messages);
/* Says the whole lines that this file of the folder has got since the last time; a file of another kind has none. */
void monocle__messages_say_new (monocle__messages *messages, const char *name);
/*
 * Says all that is left of all processes, and how many lines each of them could not write. A process that goes on
 * begins a new file with its next line.
 */
void monocle__messages_say_rest (monocle__messages *messages);

/* Says lines of a process. */
void monocle__messages_say (pid_t pid, char *text, size_t size);
/* Says how many lines processes could not write; files that are neither `user`'s nor the caller's count for nothing. */
void monocle__messages_say_lost (int folder, uid_t user);

#endif

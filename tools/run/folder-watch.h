/*
 * SPDX-License-Identifier: MIT
 *
 * folder-watch.h - a thread that waits for files in a folder.
 */
#ifndef MONOCLE_TOOLS_FOLDER_WATCH_H
#define MONOCLE_TOOLS_FOLDER_WATCH_H

#include <stdint.h>

typedef struct monocle__folder_watch monocle__folder_watch;

/* On the thread. `name`: of a file in the folder; NULL: the kernel has left some out. */
typedef void monocle__folder_watch_seen (void *data, const char *name);

/*
 * `events`: of inotify (7), as IN_CLOSE_WRITE. The thread gets no signals: those are the program's, and a reader of our
 * stderr who is gone is no reason to die. NULL: errno says why.
 */
monocle__folder_watch *monocle__folder_watch_begin (const char *folder, uint32_t events,
                                                    monocle__folder_watch_seen *seen, void *data);
/* What has happened until now was seen when this returns. NULL is allowed. */
void monocle__folder_watch_end (monocle__folder_watch *watch);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * take-over.h - the folder of a run whose process is another user's.
 */
#ifndef MONOCLE_TOOLS_TAKE_OVER_H
#define MONOCLE_TOOLS_TAKE_OVER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A file of holes can have any size, and costs its user nothing. In bytes. */
enum { MONOCLE__TAKE_OVER_MOST = 1 << 30 };

/*
 * A file that the process of `user` has put into the folder of its run: -1, unless it is a plain file of that user's,
 * or of the caller's. No link is followed, and nothing is waited for. The caller closes.
 */
int monocle__take_over_open (int folder, const char *name, uid_t user);

/*
 * May the open file be read into memory? One of another user's can have any size, and cost that user nothing: it must
 * have at most 64 MB, which is more than a profile of an attach has.
 */
bool monocle__take_over_is_read (int fd, uid_t user);

/*
 * Makes the open folder of `user` at `path` the caller's, who is root, and each plain file of that user's in it a copy
 * that nobody else can change; the rest is removed. Plans of spools are, too: they name files that their user may not
 * write. At most 4000 files are taken, which have at most 1 GB together. Nothing is done where the folder is the
 * caller's. False after one line.
 */
bool monocle__take_over (int folder, const char *path, uid_t user);

#endif

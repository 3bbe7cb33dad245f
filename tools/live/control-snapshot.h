/*
 * SPDX-License-Identifier: MIT
 *
 * control-snapshot.h - what modules of a running process have counted so far, as files of their own.
 */
#ifndef MONOCLE_TOOLS_CONTROL_SNAPSHOT_H
#define MONOCLE_TOOLS_CONTROL_SNAPSHOT_H

#include <stddef.h>
#include <sys/types.h>

/* "MODULE PATH" each, as the process has said. */
typedef struct {
	char **lines;
	size_t count;
} monocle__control_files;

void monocle__control_snapshot_add (monocle__control_files *files, const char *line);
void monocle__control_snapshot_free (monocle__control_files *files);

/*
 * Reads each file that a process writes, as it is now, and makes a whole one of it: at `output`, in the folder that it
 * names with a slash at its end, or with NULL under a name of ours. Of a process of another user, `user`, only that
 * user's own files are read. The exit code; lines say what went wrong.
 */
int monocle__control_snapshot_write (const monocle__control_files *files, pid_t pid, uid_t user, const char *output);

#endif

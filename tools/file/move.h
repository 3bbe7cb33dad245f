/*
 * SPDX-License-Identifier: MIT
 *
 * move.h - putting a collected profile where -o says.
 */
#ifndef MONOCLE_TOOLS_MOVE_H
#define MONOCLE_TOOLS_MOVE_H

#include <sys/types.h>

/* ".pb.gz" of "prof.pb.gz", "" of "prof": a pointer into `file`. */
const char *monocle__move_extension (const char *file);
/* FILE with the process id before its extension: prof.pb.gz -> prof.123.pb.gz. The caller frees. */
char *monocle__move_name (const char *file, pid_t pid);
/*
 * Moves `from` to `to`, across file systems too. A regular file appears whole or not at all; anything else (a device, a
 * pipe) is written to. 0 or -errno; `from` stays then. -ENXIO: `to` is a pipe that nobody reads.
 */
int monocle__move_file (const char *from, const char *to);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-live.h - the coverage file of a running process: found, copied as it is at one moment, and set back without
 * losing a hit.
 */
#ifndef MONOCLE_TOOLS_COVERAGE_LIVE_H
#define MONOCLE_TOOLS_COVERAGE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
	char *path; /* for messages */
	int fd;     /* locked: one reader at a time */
	bool is_writable;
	uint8_t *copy; /* what is used of the file */
	size_t size;
	uint8_t *map; /* the same of the file itself, shared with its process; NULL: it was not set back */
} monocle__coverage_live;

/*
 * Opens the file at `path`, or the one that the process has mapped. Links are not followed to the latter, and it must
 * be the user's. 0, or -1 after one line on stderr.
 */
int monocle__coverage_live_open (monocle__coverage_live *live, const char *path, bool writable);
int monocle__coverage_live_open_process (monocle__coverage_live *live, pid_t pid, bool writable);

/*
 * Takes the copy; with a file opened to be written and `reset`, all counters begin anew, and what they had is in the
 * copy and nowhere else: who cannot keep the copy puts it back. 0, or -1 after one line on stderr.
 */
int monocle__coverage_live_take (monocle__coverage_live *live, bool reset);
void monocle__coverage_live_put_back (monocle__coverage_live *live);

void monocle__coverage_live_close (monocle__coverage_live *live);

#endif

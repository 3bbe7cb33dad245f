/*
 * SPDX-License-Identifier: MIT
 *
 * text-output.h - the files that a text log goes to.
 */
#ifndef MONOCLE_KIT_TEXT_OUTPUT_H
#define MONOCLE_KIT_TEXT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "output-name.h"

/* One open output. Only the thread that writes touches it. */
struct monocle__text_file {
	int fd; /* -1: not open */
	dev_t device;
	ino_t inode;
	pid_t command; /* 0: none */
	char path[PATH_MAX];
	enum monocle__output_kind kind;
	int error; /* the first one, negative errno; nothing is written after it */
};

/*
 * Opens what `path` and `kind` (as monocle__output_expand () gave them) say. `path` of a NEW file that is taken gets a
 * number. 0 or -errno.
 */
int monocle__text_file_open (struct monocle__text_file *file, const char *path, enum monocle__output_kind kind);
/*
 * Writes all of it. A descriptor that the program closed, or put to another use, is opened again; one that was given by
 * number is not. 0 or -errno, the first error for good.
 */
int monocle__text_file_write (struct monocle__text_file *file, const char *data, size_t length);
/* Closes it, waits for a command to end. 0 or the first error. */
int monocle__text_file_close (struct monocle__text_file *file);
/* The name of a thread's own file: .TID before the last suffix. 0 or -ENAMETOOLONG. */
int monocle__text_file_of_thread (const char *path, pid_t tid, char *name, size_t size);

#endif

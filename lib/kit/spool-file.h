/*
 * SPDX-License-Identifier: MIT
 *
 * spool-file.h - a spool of another process, from its file into memory of our own.
 */
#ifndef MONOCLE_KIT_SPOOL_FILE_H
#define MONOCLE_KIT_SPOOL_FILE_H

#include "spool.h"

/* What `monocle__spool_file_load ()` says of a file whose process was gone before it had begun to count. */
extern const char monocle__spool_file_empty[];

struct monocle__spool_file {
	void *base; /* private memory, which does not change any more */
	size_t size;
	struct monocle__spool_view view;
};

/*
 * Copies the regular file `fd` as far as its header says that it is a spool, and checks it. 0, or -1 and what is wrong
 * (static text); after 0 it is freed with monocle__spool_file_free ().
 */
int monocle__spool_file_load (struct monocle__spool_file *file, int fd, const char **ret_error);
void monocle__spool_file_free (struct monocle__spool_file *file);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * read-file.h - a file in memory: all of it, or a small one as text.
 */
#ifndef MONOCLE_BASE_READ_FILE_H
#define MONOCLE_BASE_READ_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * What is left to be read, a NUL behind the last byte; the caller frees. It may be a pipe, and may grow meanwhile.
 * NULL: errno says why, EFBIG: there is more than `most`. Normal context.
 */
void *monocle__read_file (int fd, size_t most, size_t *ret_size);

/*
 * The beginning of a small file, of those in /proc above all: how many bytes it has, at most size - 1, with a NUL
 * behind them. 0 and "": it has none, or cannot be read. `folder` is for names that do not begin with '/', and may be
 * AT_FDCWD. Async-safe.
 */
size_t monocle__read_file_text (int folder, const char *name, char *text, size_t size);
/* The same of what the kernel tells of a thread of this process: "comm", "stat", "status", ... */
size_t monocle__read_file_of_thread (uint64_t os_id, const char *name, char *text, size_t size);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * log-file.h - where a line of ours goes.
 */
#ifndef MONOCLE_BASE_LOG_FILE_H
#define MONOCLE_BASE_LOG_FILE_H

#include <stddef.h>

/*
 * Writes a line of `length` bytes, with its newline, at the end of the file `path` (what MONOCLE_LOG says; NULL or ""
 * is standard error). When that cannot be written, it goes to standard error, where a line says why, once in each
 * library of ours. Never waits for a reader, raises no SIGPIPE, leaves no descriptor open. Async-safe; any thread;
 * errno is kept.
 */
void monocle__log_file_write (const char *path, const char *line, size_t length);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * log-file.h - writing a line of ours where it belongs. Nothing else in the libraries and modules writes to stderr.
 */
#ifndef MONOCLE_BASE_LOG_FILE_H
#define MONOCLE_BASE_LOG_FILE_H

#include <stddef.h>

#include "log-place.h"

/*
 * Writes a line of `length` bytes, with its newline. When the file that MONOCLE_LOG names cannot be written, a line
 * says why, once in each library of ours, and both go where lines go without it. A folder of a run that is gone, or not
 * to be reached, gives way to a file of the process, never to stderr; what finds no room in it is counted there. Never
 * waits for a reader of a file, raises no SIGPIPE, leaves no descriptor open. Async-safe as far as getenv () is; any
 * thread; errno is kept.
 */
void monocle__log_file_write (const monocle__log_place *place, const char *line, size_t length);

#endif

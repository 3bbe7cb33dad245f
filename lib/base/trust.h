/*
 * SPDX-License-Identifier: MIT
 *
 * trust.h - may this process run the code that is in a file?
 */
#ifndef MONOCLE_BASE_TRUST_H
#define MONOCLE_BASE_TRUST_H

#include <stddef.h>

/*
 * 0 when nobody but those who decide over this process anyway can change what is at `path`, a file or a folder; -ENOENT
 * when nothing is there, and nobody else can put something there. Otherwise -EPERM, and ret_reason is the end of a
 * sentence that names what is wrong, and how it is mended. Relative paths are taken from the current folder. Normal
 * context, any thread.
 */
int monocle__trust_path (const char *path, char *ret_reason, size_t size);
/* The same of a folder, where in addition nobody else can put a new file, even one of their own (sticky bit). */
int monocle__trust_folder (const char *path, char *ret_reason, size_t size);

#endif

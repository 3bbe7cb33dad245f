/*
 * SPDX-License-Identifier: MIT
 *
 * cmdline.h - the words that this process was started with, for libraries that never see its main ().
 */
#ifndef MONOCLE_BASE_CMDLINE_H
#define MONOCLE_BASE_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the words, each with a NUL after it, or as much of them as `size` - 1 bytes hold; the last one has its NUL in
 * any case. Answers how many bytes were read; 0: they cannot be read, and the buffer is an empty word.
 */
size_t monocle__cmdline_read (char *buffer, size_t size);

/* Is it the name of a .NET assembly, something.dll or something.exe? Case does not matter, as for `dotnet`. */
bool monocle__cmdline_is_assembly (const char *word);

#endif

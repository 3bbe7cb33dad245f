/*
 * SPDX-License-Identifier: MIT
 *
 * cmdline.h - the words that a process was started with, and what it is called after them.
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

/*
 * Words as above: the first one that is an assembly and no option, without folder and ending, else the first word
 * without folder. What no file's name should hold becomes "_". "program" where there is no word.
 */
void monocle__cmdline_program (const char *words, size_t length, char *name, size_t size);
/*
 * What files about a process are named after: the program; of the host of .NET's test platform, which is none of the
 * user's programs, the assembly that it tests.
 */
void monocle__cmdline_subject (const char *words, size_t length, char *name, size_t size);

/* Is it the name of a .NET assembly, something.dll or something.exe? Case does not matter, as for `dotnet`. */
bool monocle__cmdline_is_assembly (const char *word);

#endif

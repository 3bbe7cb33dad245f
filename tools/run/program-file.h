/*
 * SPDX-License-Identifier: MIT
 *
 * program-file.h - the file of a command, mapped, and what can be seen in it.
 */
#ifndef MONOCLE_TOOLS_PROGRAM_FILE_H
#define MONOCLE_TOOLS_PROGRAM_FILE_H

#include "process-elf.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct {
	char path[PATH_MAX]; /* absolute, without links; "": not found */
	const unsigned char *bytes;
	size_t size;
	mode_t mode;
	const Elf64_Ehdr *elf; /* NULL: not a 64-bit ELF file of this byte order */
	bool links_mono;       /* the program embeds Mono and names its library itself */
	bool is_folder;
	monocle__live_host host; /* the runtime that is a part of it */
	monocle__live_system system;
} monocle__program_file;

/* Finds it as execvp () does. What cannot be found or read has no bytes. */
void monocle__program_file_open (monocle__program_file *ret_file, const char *name);
void monocle__program_file_close (monocle__program_file *file);

bool monocle__program_file_contains (const monocle__program_file *file, const char *text);
/* Of any class and byte order. */
bool monocle__program_file_is_elf (const monocle__program_file *file);
/* Is there a dynamic linker? `elf` must not be NULL. */
bool monocle__program_file_has_interpreter (const monocle__program_file *file);

#endif

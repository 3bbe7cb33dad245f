/*
 * SPDX-License-Identifier: MIT
 *
 * elf-file.h - an ELF file of this machine's word size and byte order (System V ABI, chapters 4 and 5).
 *
 * The file is somebody else's and may be cut or damaged: nothing in it is trusted. Normal context.
 */
#ifndef MONOCLE_BASE_ELF_FILE_H
#define MONOCLE_BASE_ELF_FILE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	int fd; /* borrowed */
	ElfW (Ehdr) header;
	ElfW (Phdr) *segments; /* header.e_phnum of them */
} monocle__elf_file;

/* Reads the header and the program headers. False: it is not such a file, or out of memory. */
bool monocle__elf_file_open (monocle__elf_file *ret_file, int fd);
void monocle__elf_file_close (monocle__elf_file *file);

/* Where in the file the byte is that will be at `address`; false: nowhere. */
bool monocle__elf_file_offset (const monocle__elf_file *file, uint64_t address, uint64_t *ret_offset);

/* The dynamic linker that it asks for (PT_INTERP); "": none, or its name has no end within `size`. */
void monocle__elf_file_interpreter (const monocle__elf_file *file, char *ret_path, size_t size);

/* Is it linked with a library whose name matches the shell pattern? Only what it names itself counts (DT_NEEDED). */
bool monocle__elf_file_links (const monocle__elf_file *file, const char *pattern);

/* Is this one of the names that it shares with others, which are those of libraries and of symbols (DT_STRTAB)? */
bool monocle__elf_file_names (const monocle__elf_file *file, const char *name);

#endif

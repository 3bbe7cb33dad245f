/*
 * SPDX-License-Identifier: MIT
 *
 * native.h - functions of native code: tables from ELF files and perf maps.
 */
#ifndef MONOCLE_KIT_NATIVE_H
#define MONOCLE_KIT_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct monocle__symbol {
	uint64_t start;
	uint32_t size; /* 0: not known */
	uint32_t name; /* into texts */
};

/* Sorted by start, one per start; each name is a NUL-terminated text. */
struct monocle__symbols {
	struct monocle__symbol *symbols;
	size_t count;
	char *texts;
	size_t texts_size;
};

/* Sorts what was collected; of equal starts one stays. */
void monocle__symbols_settle (struct monocle__symbols *symbols);
/* The one that `address` lies in; NULL: none. */
const struct monocle__symbol *monocle__symbols_find (const struct monocle__symbols *symbols, uint64_t address);
void monocle__symbols_done (struct monocle__symbols *symbols);

/*
 * Functions of an ELF file for this machine's word size and byte order, by offset in the file, so that no relocation
 * matters. 0; -1: it is none, or it is damaged: nothing is in `symbols`. Nothing in the file is trusted.
 */
int monocle__elf_symbols (int fd, struct monocle__symbols *symbols);

/*
 * The same of a file whose functions are named in another one: those of `named`, which has the same code at the same
 * addresses, by offset in `fd`. That they belong together is for the caller to know.
 */
int monocle__elf_symbols_from (int fd, int named, struct monocle__symbols *symbols);
/* Has it no table of all functions? */
bool monocle__elf_symbols_are_missing (int fd);

enum { MONOCLE__BUILD_ID_MOST = 64 };
/* The number that its linker gave it, and its size in bytes; 0: it has none, or is damaged. */
size_t monocle__elf_symbols_build_id (int fd, uint8_t ret_id[MONOCLE__BUILD_ID_MOST]);

/*
 * Opens the file with the names of a stripped one (debug-file.c); -1: there is none. The caller closes. What is found
 * and cannot be used has its line.
 */
int monocle__debug_file_open (const char *path, int fd);

/* Functions of a perf map, lines "START SIZE NAME" in hexadecimal, by address. What is not so is left out. 0 or -1. */
int monocle__perf_map (int fd, struct monocle__symbols *symbols);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * native.h - functions of native code: tables from ELF files and perf maps.
 */
#ifndef MONOCLE_KIT_NATIVE_H
#define MONOCLE_KIT_NATIVE_H

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

/* Functions of a perf map, lines "START SIZE NAME" in hexadecimal, by address. What is not so is left out. 0 or -1. */
int monocle__perf_map (int fd, struct monocle__symbols *symbols);

#endif

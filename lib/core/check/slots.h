/*
 * SPDX-License-Identifier: MIT
 *
 * slots.h - the words of a loaded library that hold addresses of functions which it takes from others.
 *
 * The dynamic linker has filled them already: modules are opened with RTLD_NOW. Each relocation that stores such an
 * address (a call slot, or a pointer in the library's data) is found in its dynamic section, and the word can be made
 * to lead elsewhere. Functions that the library asks dlsym () for, and those that others call for it, are not among
 * them. Normal context.
 */
#ifndef MONOCLE_SLOTS_H
#define MONOCLE_SLOTS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>

/* Where a library says what it needs. */
typedef struct {
	const struct link_map *map;
	const ElfW (Sym) *symbols;
	const char *strings;
	const ElfW (Rela) *tables[2]; /* DT_RELA, DT_JMPREL */
	size_t counts[2];
} monocle__slots;

/* False: it cannot be read, or on this machine nothing can. */
bool monocle__slots_read (const struct link_map *map, monocle__slots *ret_slots);
/* The same of the library that holds this code. */
bool monocle__slots_read_of (const void *code, monocle__slots *ret_slots);
/* Tells of each word. The names are the library's. */
void monocle__slots_each (const monocle__slots *slots, void (*each) (void *data, const char *name, void **word),
                          void *data);
/* The page may be read-only by now (RELRO), and is writable afterwards. False: the system does not allow it. */
bool monocle__slots_write (void **word, void *value);
/* What the linker made read-only after its work is so again. */
void monocle__slots_protect (const monocle__slots *slots);

typedef struct {
	const char *function;
	void *replacement;
} monocle__slots_row;

/*
 * Words of the library that holds this code lead to the replacements. One that is NULL is a weak name that nobody has,
 * and stays so. False: the library cannot be read, or not each word be written.
 */
bool monocle__slots_replace (const void *code, const monocle__slots_row *rows, size_t count);

#endif

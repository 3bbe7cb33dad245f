/*
 * SPDX-License-Identifier: MIT
 *
 * elf.h - the symbols that a shared library needs.
 */
#ifndef MONOCLE_LOAD_ELF_H
#define MONOCLE_LOAD_ELF_H

/*
 * Calls `found` with the name of each symbol that the shared library at `path` needs from others (weak ones excepted).
 * 0, MONOCLE_E_NOT_FOUND when it cannot be read, MONOCLE_E_INVALID when it is not an intact library of this machine.
 */
int monocle__elf_each_needed (const char *path, void (*found) (const char *name, void *data), void *data);
/* The same for a file that is open, from its first byte on. */
int monocle__elf_each_needed_in (int fd, void (*found) (const char *name, void *data), void *data);

#endif

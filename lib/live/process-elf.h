/*
 * SPDX-License-Identifier: MIT
 *
 * process-elf.h - what a program's own file tells: which runtime is a part of it, and what it runs on.
 */
#ifndef MONOCLE_LIVE_PROCESS_ELF_H
#define MONOCLE_LIVE_PROCESS_ELF_H

#include <stdbool.h>

typedef enum { MONOCLE__LIVE_HOST_NONE, MONOCLE__LIVE_HOST_CORECLR, MONOCLE__LIVE_HOST_NATIVE_AOT } monocle__live_host;

/* What a program needs of the machine, where our libraries need something else. */
typedef enum {
	MONOCLE__LIVE_SYSTEM_OURS, /* or it is not known */
	MONOCLE__LIVE_SYSTEM_MUSL, /* its C library is musl */
	MONOCLE__LIVE_SYSTEM_CPU,  /* a CPU with fewer bits, or of another kind */
} monocle__live_system;

/* Reads the ELF file behind the descriptor, of which nothing is trusted. */
monocle__live_host monocle__live_process_elf_host (int fd);
monocle__live_system monocle__live_process_elf_system (int fd);
/* Is this musl, by the path of a dynamic linker or of a file that is mapped? */
bool monocle__live_process_elf_is_musl (const char *path);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * process-elf.h - which runtime is a part of a program's own file.
 */
#ifndef MONOCLE_LIVE_PROCESS_ELF_H
#define MONOCLE_LIVE_PROCESS_ELF_H

typedef enum { MONOCLE__LIVE_HOST_NONE, MONOCLE__LIVE_HOST_CORECLR, MONOCLE__LIVE_HOST_NATIVE_AOT } monocle__live_host;

/* Reads the ELF file behind the descriptor, of which nothing is trusted. */
monocle__live_host monocle__live_process_elf_host (int fd);

#endif

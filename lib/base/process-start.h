/*
 * SPDX-License-Identifier: MIT
 *
 * process-start.h - telling processes apart: a pid alone is reused.
 */
#ifndef MONOCLE_BASE_PROCESS_START_H
#define MONOCLE_BASE_PROCESS_START_H

#include <stdint.h>
#include <sys/types.h>

/* When it started, in clock ticks since boot; 0: there is no such process, or it has ended. */
uint64_t monocle__process_start (pid_t pid);
/* Of this boot, 40 bytes, padded with NULs. */
void monocle__process_start_boot_id (char *id);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * usage.h - the CPU time, memory and threads of a process, from /proc.
 */
#ifndef MONOCLE_LIVE_USAGE_H
#define MONOCLE_LIVE_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
	uint64_t cpu;      /* nanoseconds, in user and in kernel mode, to a clock tick */
	uint64_t resident; /* bytes */
	uint64_t threads;  /* 0: it has ended, and waits for its parent */
} monocle__live_usage;

/* False, and nothing is written: there is no process with this number and start. */
bool monocle__live_usage_read (pid_t pid, uint64_t start, monocle__live_usage *ret_usage);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * live-threads.h - the threads of a process, from /proc.
 */
#ifndef MONOCLE_LIVE_LIVE_THREADS_H
#define MONOCLE_LIVE_LIVE_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
	pid_t id; /* as we count */
	char name[20];
	char state;   /* R runs, S and D wait, T is stopped */
	uint64_t cpu; /* nanoseconds, to a clock tick */
} monocle__live_thread;

/* In the order of /proc. NULL: there is no such process, or no memory. The caller frees. */
monocle__live_thread *monocle__live_threads_new (pid_t pid, size_t *ret_count);

#endif

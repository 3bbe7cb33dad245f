/*
 * SPDX-License-Identifier: MIT
 *
 * threads.h - which thread a sample is of, where its labels tell.
 *
 * The label's key is "thread", its value a name or a number.
 */
#ifndef MONOCLE_REPORT_THREADS_H
#define MONOCLE_REPORT_THREADS_H

#include "profile.h"

typedef struct {
	size_t count;        /* 0: no sample has a thread */
	char **names;        /* in their order; "" for samples without a label, always first */
	uint32_t *of_sample; /* by sample: index of its thread */
} monocle__threads;

/* NULL: out of memory. */
monocle__threads *monocle__threads_new (const monocle__profile *profile);
void monocle__threads_free (monocle__threads *threads);

/*
 * A profile of its own with the samples of the threads for which `wanted` is not 0, and the functions on their stacks.
 * NULL `wanted`: all samples. NULL: out of memory.
 */
monocle__profile *monocle__threads_select (const monocle__profile *profile, const monocle__threads *threads,
                                           const uint8_t *wanted);

#endif

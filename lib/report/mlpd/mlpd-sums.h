/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-sums.h - what an mlpd file comes to once it was walked over, and the profile that is made of it.
 */
#ifndef MONOCLE_REPORT_MLPD_SUMS_H
#define MONOCLE_REPORT_MLPD_SUMS_H

#include "mlpd-decode.h"
#include "mlpd-names.h"
#include "mlpd-objects.h"
#include "mlpd-paths.h"
#include "mlpd-threads.h"

enum { MONOCLE__MLPD_HANDLE_KINDS = 4 };

/* What is no sum over stacks. */
typedef struct {
	uint64_t resizes, largest, moves; /* of the heap */
	uint64_t acquired, failed;        /* locks */
	uint64_t handles[MONOCLE__MLPD_HANDLE_KINDS], most_handles[MONOCLE__MLPD_HANDLE_KINDS];
	uint64_t collections, shots;
	uint64_t homeless; /* objects outside of a heap shot */
	uint64_t odd;      /* collections of generations that there are not */
} monocle__mlpd_facts;

typedef struct {
	monocle__profile *profile; /* what is made; its allowance is for all of this */
	monocle__mlpd_decoder decoder;
	monocle__mlpd_names names;
	monocle__mlpd_paths paths;
	monocle__mlpd_threads threads;
	monocle__mlpd_objects objects;
	monocle__mlpd_frame_kind type_kind; /* what types are: vtables, or in format 14 classes */
	monocle__mlpd_facts facts;
	uint64_t begin, end; /* by the clock of events */
} monocle__mlpd_sums;

/* Fills the profile. NULL, or what is wrong, which `buffer` may hold. */
const char *monocle__mlpd_sums_finish (monocle__mlpd_sums *sums, char *buffer, size_t size);

#endif

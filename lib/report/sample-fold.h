/*
 * SPDX-License-Identifier: MIT
 *
 * sample-fold.h - samples of a file that has more stacks than are kept: what is beyond is folded.
 *
 * As a module does it that is out of room for paths: a stack is CALLERS; [other paths]; LEAF then, below the callers
 * that are known, and equal ones are one sample. So what each function cost by itself stays exact.
 */
#ifndef MONOCLE_REPORT_SAMPLE_FOLD_H
#define MONOCLE_REPORT_SAMPLE_FOLD_H

#include "profile.h"

typedef struct {
	uint64_t *keys; /* open addressing; 0 is free */
	uint32_t *samples;
	size_t slot_count, count;
} monocle__fold_map;

typedef struct {
	size_t limit;             /* bytes of samples; SIZE_MAX: none is folded */
	size_t folded;            /* samples of the file */
	size_t function;          /* [other paths] */
	bool is_full;             /* from here on samples are folded */
	monocle__fold_map paths;  /* the callers that are known */
	monocle__fold_map stacks; /* those that were folded, and their samples */
	uint64_t *hashes;         /* scratch of one stack: of so many of its outermost frames */
	size_t hash_capacity;
} monocle__sample_fold;

/* As much as a report can have several of at a time. */
#define MONOCLE__SAMPLE_FOLD_LIMIT ((size_t) 72 << 20)

/*
 * Adds a sample whose labels have this hash; `frames` and `places` leaf first. *ret_new: the labels are to be added to
 * the newest sample; else it is one that has them. `frames` and `places` are changed. false: out of memory.
 */
bool monocle__sample_fold_add (monocle__sample_fold *fold, monocle__profile *profile, uint32_t *frames,
                               uint32_t *places, size_t depth, const int64_t *values, uint64_t labels, bool *ret_new);
/* Says in a comment what was folded. false: out of memory. */
bool monocle__sample_fold_tell (const monocle__sample_fold *fold, monocle__profile *profile);
void monocle__sample_fold_done (monocle__sample_fold *fold);

#endif

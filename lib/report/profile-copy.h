/*
 * SPDX-License-Identifier: MIT
 *
 * profile-copy.h - a profile made of another's samples, perhaps with other stacks and other names.
 */
#ifndef MONOCLE_REPORT_PROFILE_COPY_H
#define MONOCLE_REPORT_PROFILE_COPY_H

#include "profile.h"

typedef struct {
	const monocle__profile *from;
	monocle__profile *to;
	const char *const *names; /* by function of `from`: a text of `to`, NULL: as before. May be NULL */
	uint32_t *functions;      /* by function of `from`, UINT32_MAX until a stack has it */
	uint32_t *stack;          /* of the sample that is copied; room for its frames */
	size_t stack_capacity;
} monocle__profile_copy;

/* Value types, times and comments are copied. false: out of memory; _done () all the same. */
bool monocle__profile_copy_init (monocle__profile_copy *copy, const monocle__profile *from, bool with_comments);
/* Gives up what was made unless it was taken: `copy->to` is NULL then. */
void monocle__profile_copy_done (monocle__profile_copy *copy);

/* Each answers false, or SIZE_MAX, when memory is exhausted. */
size_t monocle__profile_copy_function (monocle__profile_copy *copy, uint32_t function);
/* With its values, labels and places. `frames` are some of `from`, which belong to a sample. */
bool monocle__profile_copy_sample (monocle__profile_copy *copy, size_t sample, const uint32_t *frames, size_t depth);
/* The same with functions of `to`. */
bool monocle__profile_copy_values (monocle__profile_copy *copy, size_t sample, const uint32_t *frames, size_t depth);
bool monocle__profile_copy_slow_call (monocle__profile_copy *copy, const monocle__slow_call *call);
bool monocle__profile_copy_text (monocle__profile *to, const char *text, const char **ret_text);

#endif

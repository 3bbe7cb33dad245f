/*
 * SPDX-License-Identifier: MIT
 *
 * segment.h - probes of methods that the runtime suspends (runtime-async.h): they are entered and left once for each
 * segment, which is what runs from the call, or from where they are resumed, until they return, throw or are suspended.
 */
#ifndef MONOCLE_CLR_SEGMENT_H
#define MONOCLE_CLR_SEGMENT_H

#include "rewrite.h"

/* What the probes of one such method share. Lives as long as its image's code. */
typedef struct monocle__clr_segments {
	MonoMethod *definition;
	monocle__clr_generic *generic; /* NULL: it is not, or goes by its definition */
	MonoProfilerCallInstrumentationFlags flags;
} monocle__clr_segments;

/* Makes the body one that has segments. 0 or negative. */
int monocle__segment_plan (monocle__rewriting *job);
bool monocle__segment_has_tokens (const monocle__rewriting *job);
/* Puts all its probes into the edit, but for those of clauses (clause-probe.h). 0 or negative. */
int monocle__segment_insert (monocle__rewriting *job, monocle__il_edit *edit);
/* After that edit: what an exception resumes and no handler of the body takes gets a fault block. 0 or negative. */
int monocle__segment_add_faults (monocle__rewriting *job);
/* Puts the probes of the core library's own parts into it, where it is one. 0 or negative. */
int monocle__segment_insert_part (monocle__rewriting *job, monocle__il_edit *edit, bool at_begin);

#endif

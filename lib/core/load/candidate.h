/*
 * SPDX-License-Identifier: MIT
 *
 * candidate.h - trying one module: the files it may be in, its entry point, and why it could not be started.
 *
 * Knows no host, and is compiled into the core and into Mono's umbrella. Mono tries the next candidate when one fails
 * and forgets why; here the first reason is kept, for it belongs to the place that comes first. Normal context.
 */
#ifndef MONOCLE_CANDIDATE_H
#define MONOCLE_CANDIDATE_H

#include <stdbool.h>

#define MONOCLE__ENTRY_POINT "mono_profiler_init_"

enum { MONOCLE__NAME_LIMIT = 128 };

typedef struct {
	const char *desc;    /* what the module gets, whole; borrowed */
	const char *process; /* who lacks what the module needs: "Monocle", "this Mono" */
	char name[MONOCLE__NAME_LIMIT], symbol[MONOCLE__NAME_LIMIT + sizeof MONOCLE__ENTRY_POINT];
	void *library;      /* of the module that runs; NULL: it was in the process before */
	char failure[3072]; /* "" while nothing failed but looking */
	/* Is asked about each mono_* name that a file lacks; true: it is there now. NULL: there are no more. */
	bool (*supply) (const char *name);
	/* Which library has a name that could not be supplied, as it is not there; NULL: none has. */
	const char *(*supplier) (const char *name);
	/* Is told of the entry point before it is called, and of NULL after it. NULL: nobody is. */
	void (*starting) (const void *code);
} monocle__candidate;

/* No module has a comma in its name: a comma was meant as a colon. */
bool monocle__candidate_has_comma (const char *desc);
/* `name` must be shorter than MONOCLE__NAME_LIMIT. */
void monocle__candidate_init (monocle__candidate *ret_candidate, const char *name, const char *desc,
                              const char *process);
/* Starts what is in the global scope already: a module that is linked in, or was loaded by another library. */
bool monocle__candidate_start_in_process (monocle__candidate *candidate);
/* Tries the files of `folder`; "" means wherever the dynamic linker looks. True when the module runs. */
bool monocle__candidate_start_in (monocle__candidate *candidate, const char *folder);

/* May it be looked for wherever the dynamic linker looks? Else why not is noted. */
bool monocle__candidate_linker_is_welcome (monocle__candidate *candidate);

#endif

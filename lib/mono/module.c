/*
 * SPDX-License-Identifier: MIT
 *
 * module.c - finding and starting one module. Main thread only, before the runtime starts.
 */
#include <stdio.h>
#include "load/candidate.h"
#include "umbrella.h"

bool
monocle__module_start (const places *list, const char *name, const char *desc, char *ret_failure, size_t size)
{
	monocle__candidate candidate;
	monocle__candidate_init (&candidate, name, desc, "this Mono");
	bool started = monocle__candidate_start_in_process (&candidate);
	for (size_t i = 0; i < list->count && !started; i++)
		started = monocle__candidate_start_in (&candidate, list->folders[i]);
	started = started || monocle__candidate_start_in (&candidate, "");
	snprintf (ret_failure, size, "%s", candidate.failure);
	return started;
}

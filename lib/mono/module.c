/*
 * SPDX-License-Identifier: MIT
 *
 * module.c - finding and starting one module. One thread at a time.
 */
#include <stdio.h>
#include "late-handle.h"
#include "lending.h"
#include "load/candidate.h"
#include "log.h"
#include "umbrella.h"

/* Before the module's own code runs; NULL: after it. */
static void
take_late (const void *code)
{
	if (code && !monocle__late_handle_take (code))
		monocle_log ("the module's calls cannot be led to Monocle: what it sets in Mono stays when it goes");
}

static void
take_early (const void *code)
{
	if (code)
		monocle__lending_take (code);
}

bool
monocle__module_start (const places *list, const char *name, const char *desc, monocle__late_module *late,
                       char *ret_failure, size_t size)
{
	monocle__candidate candidate;
	monocle__candidate_init (&candidate, name, desc, "this Mono");
	candidate.starting = late ? take_late : take_early;
	bool started = monocle__candidate_start_in_process (&candidate);
	for (size_t i = 0; i < list->count && !started; i++)
		started = monocle__candidate_start_in (&candidate, list->folders[i]);
	started = started || monocle__candidate_start_in (&candidate, "");
	snprintf (ret_failure, size, "%s", candidate.failure);
	if (late)
		late->library = candidate.library;
	return started;
}

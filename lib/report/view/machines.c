/*
 * SPDX-License-Identifier: MIT
 *
 * machines.c - see machines.h.
 *
 * Both kinds have a MoveNext in a class of one pattern. An async method's is called by the method of its own name when
 * it begins and by the framework's async machinery when it goes on; an iterator's by anybody else. So one stack with
 * such a caller is enough for async, else one with another caller for an iterator.
 */
#include "machines.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 2048 };

/* clang-format off */
static const char *const machinery[] = {
	"System.Runtime.CompilerServices.Async", "System.Threading.ExecutionContext:", "System.Threading.Tasks.",
	"System.Threading.ThreadPool", "System.Runtime.CompilerServices.PoolingAsync",
};
/* clang-format on */

static bool
is_machinery (const char *name)
{
	for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++) {
		if (strncmp (name, machinery[i], strlen (machinery[i])) == 0)
			return true;
	}
	return false;
}

/* Is `caller` the method in the source that the machine was made of? */
static bool
is_own_method (const char *machine, const char *caller)
{
	char own[NAME_SIZE], other[NAME_SIZE], *end;
	size_t length;
	if (!monocle__csharp_name (machine, MONOCLE__MACHINE_ASYNC, own, sizeof own) ||
	    !monocle__csharp_name (caller, MONOCLE__MACHINE_NONE, other, sizeof other) || !(end = strstr (own, " (async)")))
		return false;
	length = (size_t) (end - own);
	return strncmp (own, other, length) == 0 && (other[length] == ' ' || other[length] == '<');
}

static monocle__machine
judge_caller (const monocle__profile *profile, const monocle__machine *known, uint32_t machine, uint32_t caller)
{
	const char *name = profile->functions[caller].name;
	if (known[machine] == MONOCLE__MACHINE_ASYNC)
		return MONOCLE__MACHINE_ASYNC;
	return is_machinery (name) || is_own_method (profile->functions[machine].name, name) ? MONOCLE__MACHINE_ASYNC
	                                                                                     : MONOCLE__MACHINE_ITERATOR;
}

static void
judge (const monocle__profile *profile, const uint8_t *asked, monocle__machine *machines)
{
	for (size_t i = 0; i < profile->sample_count; i++) {
		const monocle__sample *sample = &profile->samples[i];
		const uint32_t *frames = profile->frames + sample->frames;
		for (size_t k = 0; k + 1 < sample->depth; k++) {
			if (asked[frames[k]])
				machines[frames[k]] = judge_caller (profile, machines, frames[k], frames[k + 1]);
		}
	}
}

monocle__machine *
monocle__machines_new (const monocle__profile *profile)
{
	monocle__machine *machines = calloc (profile->function_count + 1, sizeof *machines);
	uint8_t *asked = calloc (profile->function_count + 1, 1);
	for (size_t i = 0; machines && asked && i < profile->function_count; i++)
		asked[i] = monocle__csharp_name_is_machine (profile->functions[i].name);
	if (machines && asked)
		judge (profile, asked, machines);
	/* Nobody called it: it went on. */
	for (size_t i = 0; machines && asked && i < profile->function_count; i++) {
		if (asked[i] && machines[i] == MONOCLE__MACHINE_NONE)
			machines[i] = MONOCLE__MACHINE_ASYNC;
	}
	if (!asked) {
		free (machines);
		machines = NULL;
	}
	free (asked);
	return machines;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * stacks.c - see stacks.h. Threads are looked at by the sampler, once, whatever it samples; the host is asked whether
 * their stacks can be walked.
 */
#include "stacks.h"

#include <limits.h>
#include <stdio.h>
#include "control/control-stacks.h"
#include "feature.h"
#include "host.h"
#include "load/self.h"
#include "sample/sampler.h"

static mono_bool (*is_over) (void); /* of the request that is under way */

static int
look (const MonocleLook *at, uint32_t milliseconds)
{
	return monocle__sampler_look (at, milliseconds, is_over);
}

const char *
monocle__stacks_take (MonocleStacks *request)
{
	static MonoProfilerHandle handle;
	static unsigned session;
	char below[PATH_MAX];
	const char *folders[] = { monocle__self_folder (), below, MONOCLE_MODULEDIR, NULL };
	snprintf (below, sizeof below, "%s/monocle", folders[0]);
	if (!monocle__host_delivering () || !monocle__feature_walks ())
		return "its runtime shows no stacks, or not now";
	if (!handle || session != monocle__host_session ())
		handle = mono_profiler_create (NULL);
	session = monocle__host_session ();
	request->handle = handle;
	request->look = look;
	is_over = request->is_over;
	return monocle__control_stacks_take (request, folders);
}

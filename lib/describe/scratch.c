/*
 * SPDX-License-Identifier: MIT
 *
 * scratch.c - how deep a thread is in metadata, and how much it has read.
 *
 * Types nest in types, and tokens lead to types again, also in circles and in trees that double at each step. Both are
 * cut: nesting at DEPTH_MAX, and the types that one question reads, all together, at WORK_MAX.
 */
#include "describe-priv.h"
#include "invariant.h"

enum {
	DEPTH_MAX = 64,
	WORK_MAX = 1 << 20, /* a method may have 65535 parameters, each of a type with several parts */
};

monocle__describe_scratch *
monocle__describe_enter (void)
{
	monocle__describe_scratch *scratch = monocle__describe_owner_now->scratch ();
	if (!scratch || scratch->depth >= DEPTH_MAX)
		return NULL;
	if (scratch->depth && scratch->work >= WORK_MAX)
		return NULL;
	monocle__describe_scratch_deepen (scratch);
	scratch->work++;
	MONOCLE__INVARIANT (scratch->depth != 0 && scratch->depth <= DEPTH_MAX && scratch->work <= WORK_MAX);
	return scratch;
}

void
monocle__describe_leave (monocle__describe_scratch *scratch)
{
	MONOCLE__INVARIANT (scratch->depth != 0);
	scratch->depth--;
}

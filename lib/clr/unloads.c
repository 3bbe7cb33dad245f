/*
 * SPDX-License-Identifier: MIT
 *
 * unloads.c - see unloads.h. Who waits is the runtime's finalizer thread, which has time.
 */
#include "unloads.h"
#include <stdatomic.h>
#include <time.h>
#include "invariant.h"

static atomic_uint holders;

void
monocle__unloads_hold (void)
{
	atomic_fetch_add (&holders, 1);
}

void
monocle__unloads_release (void)
{
	unsigned were = atomic_fetch_sub (&holders, 1);
	MONOCLE__INVARIANT (were > 0);
}

void
monocle__unloads_await (void)
{
	while (atomic_load (&holders))
		nanosleep (&(struct timespec) { .tv_nsec = 500000 }, NULL);
}

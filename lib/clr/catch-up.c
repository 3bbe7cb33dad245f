/*
 * SPDX-License-Identifier: MIT
 *
 * catch-up.c - see catch-up.h. Who waits is the runtime's finalizer thread, which has time.
 */
#include "catch-up.h"
#include <stdatomic.h>
#include <time.h>

static atomic_bool is_on;

void
monocle__catch_up_begin (void)
{
	atomic_store (&is_on, true);
}

void
monocle__catch_up_end (void)
{
	atomic_store (&is_on, false);
}

bool
monocle__catch_up_is_on (void)
{
	return atomic_load (&is_on);
}

void
monocle__catch_up_await (void)
{
	while (atomic_load (&is_on))
		nanosleep (&(struct timespec) { .tv_nsec = 500000 }, NULL);
}

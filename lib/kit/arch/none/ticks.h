/*
 * SPDX-License-Identifier: MIT
 *
 * ticks.h - for CPUs whose counter we do not know: there are no ticks, the clock is CLOCK_MONOTONIC.
 */
#ifndef MONOCLE_KIT_TICKS_H
#define MONOCLE_KIT_TICKS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t
monocle__ticks_now (void)
{
	return 0;
}

static inline bool
monocle__ticks_are_invariant (void)
{
	return false;
}

#endif

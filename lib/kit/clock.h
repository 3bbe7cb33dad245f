/*
 * SPDX-License-Identifier: MIT
 *
 * clock.h - raw ticks for the hot path, and pairs that tie them to nanoseconds.
 */
#ifndef MONOCLE_KIT_CLOCK_H
#define MONOCLE_KIT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <ticks.h>

#include "nanoseconds.h"

/* One instant in both clocks; lies in spools. */
struct monocle__clock_pair {
	uint64_t ticks;
	uint64_t ns; /* CLOCK_MONOTONIC */
};

/* Written by monocle_kit_clock_init () only, before the first event. */
extern bool monocle__clock_uses_ticks;

/* Set by tests alone, before that: CLOCK_MONOTONIC shows what they say, and ticks cannot be given. */
extern bool monocle__clock_is_given;

static inline uint64_t
monocle__clock_now (void)
{
	return __builtin_expect (monocle__clock_uses_ticks, 1) ? monocle__ticks_now ()
	                                                       : monocle__nanoseconds (CLOCK_MONOTONIC);
}

/* What the calling thread has used of the CPU: nanoseconds of CLOCK_THREAD_CPUTIME_ID. Async-safe. */
static inline uint64_t
monocle__clock_cpu_now (void)
{
	return monocle__nanoseconds (CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Now, in both clocks, as close together as three tries allow. `ticks`: of the counter, whatever this process uses;
 * else both are CLOCK_MONOTONIC. Async-safe.
 */
struct monocle__clock_pair monocle__clock_pair_now (bool ticks);

/*
 * Nanoseconds per tick between two pairs; 0 when they do not tell (no time between them). Pairs of the plain clock give
 * 1.
 */
double monocle__clock_rate (struct monocle__clock_pair first, struct monocle__clock_pair last);

#endif

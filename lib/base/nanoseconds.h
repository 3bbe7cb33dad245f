/*
 * SPDX-License-Identifier: MIT
 *
 * nanoseconds.h - the system's clocks as one number, which is what our times are counted in. Async-safe.
 */
#ifndef MONOCLE_BASE_NANOSECONDS_H
#define MONOCLE_BASE_NANOSECONDS_H

#include <stdint.h>
#include <time.h>

#define MONOCLE__NANOSECONDS_SECOND UINT64_C (1000000000)

static inline uint64_t
monocle__nanoseconds_of (struct timespec time)
{
	return (uint64_t) time.tv_sec * MONOCLE__NANOSECONDS_SECOND + (uint64_t) time.tv_nsec;
}

/* What the clock shows now. */
static inline uint64_t
monocle__nanoseconds (clockid_t clock)
{
	struct timespec time;
	clock_gettime (clock, &time);
	return monocle__nanoseconds_of (time);
}

/* As functions want it that wait until a time. */
static inline struct timespec
monocle__nanoseconds_timespec (uint64_t nanoseconds)
{
	return (struct timespec) { .tv_sec = (time_t) (nanoseconds / MONOCLE__NANOSECONDS_SECOND),
		                       .tv_nsec = (long) (nanoseconds % MONOCLE__NANOSECONDS_SECOND) };
}

#endif

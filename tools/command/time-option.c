/*
 * SPDX-License-Identifier: MIT
 *
 * time-option.c - see time-option.h. A number without a unit is seconds.
 */
#include "time-option.h"

#include "duration.h"
#include "nanoseconds.h"

enum { LEAST = 10 };

static const uint64_t MOST = UINT64_C (1000) * 60 * 60 * 24 * 366;

bool
monocle__time_option_try_read (const char *value, void *target)
{
	uint64_t time;
	if (!monocle__duration_read (value, MONOCLE__NANOSECONDS_SECOND, &time))
		return false;
	time /= MONOCLE__NANOSECONDS_SECOND / 1000;
	if (time < LEAST || time > MOST)
		return false;
	*(size_t *) target = (size_t) time;
	return true;
}

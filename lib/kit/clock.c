/*
 * SPDX-License-Identifier: MIT
 *
 * clock.c - the choice of a clock and its calibration.
 *
 * The TSC is read where the CPU promises one rate for ever; what that rate is comes out of pairs (ticks, nanoseconds)
 * that are written down now and then and fitted when the profile is made. There is no calibration loop at start.
 */
#include "clock.h"

#include <stdlib.h>

#include <monocle/kit.h>

#include "nanoseconds.h"

bool monocle__clock_uses_ticks;
bool monocle__clock_is_given;

void
monocle_kit_clock_init (void)
{
	bool uses_ticks = monocle__ticks_are_invariant () && !monocle__clock_is_given;
	/* The answer is always the same, and threads of what was opened before may be reading it. */
	if (monocle__clock_uses_ticks != uses_ticks)
		monocle__clock_uses_ticks = uses_ticks;
}

static int
compare_costs (const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *) a, right = *(const uint64_t *) b;
	return left < right ? -1 : left > right;
}

uint32_t
monocle_kit_clock_cpu_cost (void)
{
	enum { ROUNDS = 31, READS = 16 };
	uint64_t costs[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = monocle__nanoseconds (CLOCK_MONOTONIC);
		for (int k = 0; k < READS; k++)
			monocle__clock_cpu_now ();
		costs[i] = monocle__nanoseconds (CLOCK_MONOTONIC) - before;
	}
	qsort (costs, ROUNDS, sizeof *costs, compare_costs);
	return (uint32_t) (costs[ROUNDS / 2] / READS);
}

uint64_t
monocle_kit_now (void)
{
	return monocle__nanoseconds (CLOCK_MONOTONIC);
}

bool
monocle_kit_clock_is_tsc (void)
{
	return monocle__clock_uses_ticks;
}

/* The reading of the one clock between two of the other is off by half their distance at most: keep the closest. */
struct monocle__clock_pair
monocle__clock_pair_now (bool ticks)
{
	struct monocle__clock_pair best = { 0, 0 };
	uint64_t best_gap = UINT64_MAX;
	for (int i = 0; i < 3 && ticks; i++) {
		uint64_t before = monocle__ticks_now ();
		uint64_t ns = monocle__nanoseconds (CLOCK_MONOTONIC);
		uint64_t gap = monocle__ticks_now () - before;
		if (gap < best_gap) {
			best_gap = gap;
			best = (struct monocle__clock_pair) { before + gap / 2, ns };
		}
	}
	if (!ticks)
		best.ns = best.ticks = monocle__nanoseconds (CLOCK_MONOTONIC);
	return best;
}

double
monocle__clock_rate (struct monocle__clock_pair first, struct monocle__clock_pair last)
{
	if (last.ticks <= first.ticks || last.ns <= first.ns)
		return 0;
	return (double) (last.ns - first.ns) / (double) (last.ticks - first.ticks);
}

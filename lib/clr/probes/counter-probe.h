/*
 * SPDX-License-Identifier: MIT
 *
 * counter-probe.h - coverage: counters in the IL of a method.
 */
#ifndef MONOCLE_CLR_COUNTER_PROBE_H
#define MONOCLE_CLR_COUNTER_PROBE_H

#include "coverage.h"
#include "rewrite.h"

/* What is counted in one method, on its way to a new body. */
struct monocle__counting {
	monocle__describe_coverage coverage;
	uintptr_t at; /* of its counters */
	MonocleCoverageMode mode;
};

/*
 * Asks for the counters of a method that is wanted; job->counting is NULL afterwards when there is nothing to count.
 * False: it should be counted and cannot be. `data`: the body that was read.
 */
bool monocle__counter_probe_plan (monocle__rewriting *job, const uint8_t *data);
int monocle__counter_probe_insert (monocle__rewriting *job, monocle__il_edit *edit);
void monocle__counter_probe_end (monocle__rewriting *job);

#endif

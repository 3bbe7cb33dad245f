/*
 * SPDX-License-Identifier: MIT
 *
 * plan.h - what would be counted of a method, on any runtime.
 */
#ifndef MONOCLE_MODULES_COVER_PLAN_H
#define MONOCLE_MODULES_COVER_PLAN_H

#include <stdbool.h>

#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

/* Does the host count where we say? Else it is Mono, which has counters of its own. Any context. */
bool plan_is_hosts (void);
/* Init window. */
void plan_init (MonoProfilerHandle handle);
/*
 * As monocle_coverage_plan (), of a method with a body. On Mono each point is counted on its own, there are no arms, no
 * ends of lines and no hashes of sources, and documents live for ever. Reads symbols: normal context.
 */
void plan_show (MonoMethod *method, void (*show) (void *data, const MonocleCoveragePlan *plan), void *data);
/* On Mono: adds what was counted of a compiled method to `sums`, one number for each point of the plan of `count`. */
void plan_add_counters (MonoMethod *method, const uint32_t *offsets, uint32_t *sums, uint32_t count);

#endif

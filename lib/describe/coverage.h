/*
 * SPDX-License-Identifier: MIT
 *
 * coverage.h - what is counted in a method, and where in its IL: sequence points, and the ways out of branches.
 *
 * What always runs equally often (of hits: is always hit together) shares a counter, so that a method has as few as its
 * points allow:
 *
 *   a point    and one before it from which control always comes here, and comes from nowhere else: what is between
 *              neither throws nor calls, and jumps forward only: `if (a) b = 1; c = 2;` counts a's point and b's
 *   an arm     and the point where it leads, when nothing else leads there
 *   of hits: the condition at a loop's end, and the point that leads into the loop
 *
 * Without optimisation compilers make one value of `a && b` and branch on that, so that whoever branches at `a` has
 * branched on both. There the ways of `b` are counted where it has its value, and the branch is none.
 */
#ifndef MONOCLE_DESCRIBE_COVERAGE_H
#define MONOCLE_DESCRIBE_COVERAGE_H

#include "describe.h"
#include "il.h"

/* The value on the stack in front of the instruction is this: an operand that a compiler stores before it branches. */
enum { MONOCLE__COVERAGE_ZERO = INT32_MAX - 1, MONOCLE__COVERAGE_NONZERO };

/* Where a counter is written. */
typedef struct {
	uint32_t instruction; /* in front of it; of an arm: the branch */
	uint32_t path;        /* of the arm; MONOCLE__IL_NONE: a point; MONOCLE__COVERAGE_ZERO, _NONZERO: a value */
	uint32_t counter;
} monocle__coverage_site;

typedef struct {
	MonocleCoveragePlan plan; /* its method, points and arms are filled in */
	MonocleCoveragePoint *points;
	MonocleCoverageArm *arms;
	monocle__coverage_site *sites; /* ascending by instruction, then path; a point before the arms */
	uint32_t site_count;
} monocle__describe_coverage;

/*
 * Plans a method, whose body is `body` as the image has it. 0; RANGE: there is nothing to count, no symbols as it may
 * be; MONOCLE__IL_E_NO_MEMORY. Normal context. On 0 the caller frees.
 */
int monocle__describe_coverage_plan (monocle__describe_image *image, MonoMethod *method, const monocle__il_body *body,
                                     MonocleCoverageMode mode, monocle__describe_coverage *ret_coverage);
void monocle__describe_coverage_free (monocle__describe_coverage *coverage);

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * fail-under.h - the least coverage that is good enough.
 */
#ifndef MONOCLE_TOOLS_FAIL_UNDER_H
#define MONOCLE_TOOLS_FAIL_UNDER_H

#include "coverage-measure.h"

typedef struct {
	bool is_given;
	bool is_wanted[MONOCLE__COVERAGE_MEASURES];
	uint32_t hundredths[MONOCLE__COVERAGE_MEASURES]; /* of a percent */
} monocle__fail_under;

/* Reads "80" or "80,branch=70,method=99.5" into a monocle__fail_under. */
bool monocle__fail_under_try_read (const char *value, void *target);

/*
 * MONOCLE__EXIT_OK, or MONOCLE__EXIT_BELOW after one line that says what is below. No lines at all are always too few:
 * nothing was measured then. What has no branches is not below a share of them.
 */
int monocle__fail_under_check (const monocle__fail_under *wanted, const monocle__coverage_sums *sums);

#endif

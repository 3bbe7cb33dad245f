/*
 * SPDX-License-Identifier: MIT
 *
 * patience.h - how long a command waits for another process, which a test may say in a build with invariants: for ever
 * where an answer will come, and next to no time where none will.
 */
#ifndef MONOCLE_BASE_PATIENCE_H
#define MONOCLE_BASE_PATIENCE_H

#include <stdlib.h>

#include "environment.h"

/* Milliseconds: `usual`, or what MONOCLE_TEST_PATIENCE says. */
static inline unsigned
monocle__patience (unsigned usual)
{
#ifdef MONOCLE_INVARIANTS
	const char *given = monocle__variable ("MONOCLE_TEST_PATIENCE");
	if (given)
		return (unsigned) strtoul (given, NULL, 10);
#endif
	return usual;
}

#endif

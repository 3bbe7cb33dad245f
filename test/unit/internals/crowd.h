/*
 * SPDX-License-Identifier: MIT
 *
 * crowd.h - eight threads that do the same thing at once, each with hazard slots of its own.
 *
 * Signals stop them again and again, wherever they are, so that the others get far while one stands between two steps.
 * It stands in for lib/internals/thread.c: the slots of the crowd's threads and of the one that runs them are all there
 * are. One crowd at a time.
 */
#ifndef MONOCLE_TEST_CROWD_H
#define MONOCLE_TEST_CROWD_H

#include <stdbool.h>

enum { CROWD = 8 };

typedef struct {
	int number;      /* 0 … CROWD - 1 */
	unsigned rounds; /* that it has done */
	unsigned random;
} crowd_member;

/* Runs `body` in each thread, and is back when all are. */
void crowd_run (void (*body) (crowd_member *self));

/* Another round? There are `rounds`, and more of them for as many seconds as MONOCLE_TEST_SECONDS says. */
bool crowd_goes_on (crowd_member *self, unsigned rounds);

/* Runs `body` with the hazard slots of a thread of the crowd. */
void crowd_as_another (void (*body) (void));

/* Some number below `limit`. */
unsigned crowd_random (crowd_member *self, unsigned limit);

#endif

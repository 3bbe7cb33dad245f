/*
 * SPDX-License-Identifier: MIT
 *
 * stepper.h - an operation that is interrupted between any two of its instructions, one after the other.
 *
 * The interruption is a signal's handler, or what another thread does while this one is not running: to the operation
 * that is the same. So each race with one switch to and fro is met, every time.
 */
#ifndef MONOCLE_TEST_STEPPER_H
#define MONOCLE_TEST_STEPPER_H

typedef struct {
	void (*prepare) (void);   /* before each turn */
	void (*operate) (void);   /* what is interrupted */
	void (*interrupt) (void); /* runs once in each turn, with the hazard slots of another thread */
	void (*check) (void);     /* what holds afterwards; CHECK () of child.h fails the test */
} interrupted;

/* Runs all turns in a child, which is traced. Fails the calling cmocka test; skips it where tracing is forbidden. */
void stepper_run (const interrupted *what);

#endif

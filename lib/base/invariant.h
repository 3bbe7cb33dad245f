/*
 * SPDX-License-Identifier: MIT
 *
 * invariant.h - what must hold, said where it must, and checked while we test.
 *
 * In a build with -Dinvariants=enabled a condition that does not hold is our bug: file, line and condition go to stderr
 * and the process aborts. In any other build the condition is not evaluated; its names only count as used. A profiled
 * process of a user never aborts because of us, so what users run is built without.
 *
 * It may be in signal handlers and probes: what is not broken costs the condition, and what is broken is written by one
 * write (2). So a condition there loads and compares; it calls nothing that is not async-safe and takes no lock. What
 * input from outside can break is no invariant: that is validated, and refused by name.
 */
#ifndef MONOCLE_BASE_INVARIANT_H
#define MONOCLE_BASE_INVARIANT_H

#ifdef MONOCLE_INVARIANTS

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__ ((cold, noinline, noreturn, unused)) static void
monocle__invariant_broken (const char *line, size_t size)
{
	ssize_t written = write (2, line, size);
	(void) written;
	abort ();
}

#define MONOCLE__INVARIANT_TEXT(number) #number
#define MONOCLE__INVARIANT_LINE(file, number, condition) \
	"monocle: " file ":" MONOCLE__INVARIANT_TEXT (number) ": broken invariant: " condition "\n"
#define MONOCLE__INVARIANT(condition) \
	((condition) ? (void) 0 \
	             : monocle__invariant_broken (MONOCLE__INVARIANT_LINE (__FILE__, __LINE__, #condition), \
	                                          sizeof MONOCLE__INVARIANT_LINE (__FILE__, __LINE__, #condition) - 1))

#else

#define MONOCLE__INVARIANT(condition) ((void) sizeof ((condition) ? 1 : 0))

#endif

#endif

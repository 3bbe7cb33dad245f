/*
 * SPDX-License-Identifier: MIT
 *
 * pause.h - places where a test may hold a thread, so that it sees every order in which threads can pass them.
 *
 * A pause point stands where the order of two threads matters: between a look and what is done with the answer, before
 * and after a word that others read is written. Its name is an identifier that begins with its file's noun and says
 * what has just happened or is about to: MONOCLE__PAUSE (stacks_ring_moved).
 *
 * In a build with -Dinvariants=enabled a point calls the function that a test has set, and goes on at once when there
 * is none. In any other build it is nothing. It is async-safe, and leaves errno alone. test/unit/orders drives them.
 */
#ifndef MONOCLE_BASE_PAUSE_H
#define MONOCLE_BASE_PAUSE_H

#ifdef MONOCLE_INVARIANTS

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Gets the name of a point that a thread is at; `waits`: the thread waits there for what another one does. */
typedef void (*monocle__pause_function) (const char *name, bool waits);

/* NULL but in a test. Each library that is linked with lib/base has its own. */
extern _Atomic (monocle__pause_function) monocle__pause_calls;

static inline void
monocle__pause_at (const char *name, bool waits)
{
	monocle__pause_function call = atomic_load_explicit (&monocle__pause_calls, memory_order_relaxed);
	if (call)
		call (name, waits);
}

#define MONOCLE__PAUSE(name) monocle__pause_at (#name, false)

/*
 * The same in a loop that looks again and again whether another thread has done something, be it by spinning, yielding
 * or short sleeps: a test lets the thread look again only after another thread has made a step.
 */
#define MONOCLE__PAUSE_WAITS(name) monocle__pause_at (#name, true)

#else

#define MONOCLE__PAUSE(name)       ((void) 0)
#define MONOCLE__PAUSE_WAITS(name) ((void) 0)

#endif

#endif

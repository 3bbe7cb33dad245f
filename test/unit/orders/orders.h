/*
 * SPDX-License-Identifier: MIT
 *
 * orders.h - two or three threads in every order of their pause points (lib/base/pause.h).
 *
 * One thread runs at a time. At each point, and before its first instruction, it stops, and the driver chooses which
 * thread goes on; depth first over these choices, until every order has been seen. So a race that needs one order in a
 * thousand is met each time, and a test that passes has seen them all.
 *
 *	static void prepare (void) { … }                    before each order
 *	static void put (void) { … }                        calls what has pause points
 *	static void drain (void) { MONOCLE__PAUSE (…); … }  and may have points of its own
 *	static void check (void) { CHECK (…); }             after each order
 *
 *	static void
 *	no_stack_is_lost (void **state)
 *	{
 *		orders_run (&(orders){ .name = "no_stack_is_lost", .prepare = prepare, .check = check,
 *		                       .threads = { { "put", put }, { "drain", drain } },
 *		                       .meets = "stacks_ring_moved stacks_quiet" });
 *	}
 *
 * All orders of a test run in one child process, or in one each; assertions in them are CHECK () of child.h.
 * An order fails when a CHECK () or an invariant does not hold, when it crashes, when a sanitizer reports, and when no
 * thread can go on. What it was is printed, with the line that runs it again alone: MONOCLE_ORDER='NAME: a b b a'.
 *
 * Waiting. Time does not pass by itself: a limited wait for a semaphore or a condition ends by its time only as often
 * as the row of the thread says (`timeouts`), at a moment that the driver chooses like any other. A sleep, or giving
 * the CPU away, is a look again after another thread's step (or, a few times, when no other can go on). Locks,
 * semaphores and conditions are known; what else a thread waits for in the kernel is recognised by its system call. A
 * thread that waits cannot be chosen before another one lets it go on, and all of them waiting is a failure.
 *
 * Beside sanitizers. They do not see how the driver hands over: to ThreadSanitizer threads that are ordered by nothing
 * of their own run at the same time, so that a data race is reported in whichever order it is met.
 */
#ifndef MONOCLE_TEST_ORDERS_H
#define MONOCLE_TEST_ORDERS_H

#include <stdbool.h>
#include "child.h"
#include "pause.h"

enum { ORDERS_THREADS = 4 };

/*
 * One that takes turns. With a `signal` it is no thread: the signal arrives at each of the points of the thread called
 * `interrupts`, in one order after the other, and never in some; its handler is `run`, or the program's own where `run`
 * is NULL. `send` sends it, on the thread itself (NULL: raise ()), and it comes only while `may_come` says so (NULL:
 * always). The handler may have points, where other threads get turns. With `adopts` it is a thread that the library
 * begins in prepare (): the first unknown thread at the point of that name. Such a thread, and one that `stays`, may
 * still wait when the order is over; what one that stays waits for is done in clean_up ().
 */
typedef struct {
	const char *name;
	void (*run) (void);
	int signal;
	const char *interrupts;
	const char *adopts;
	unsigned timeouts;
	bool stays;
	void (*send) (void);
	bool (*may_come) (void);
} orders_thread;

typedef struct {
	const char *name;
	void (*prepare) (void);                /* before each order */
	void (*check) (void);                  /* after each; what waits still waits */
	void (*clean_up) (void);               /* after that; what waited runs freely, and time passes */
	orders_thread threads[ORDERS_THREADS]; /* the first without a name ends them */
	const char *meets;                     /* names of points that some order must meet, with blanks between */
	unsigned at_most;                      /* more orders than that are a failure; 0: 20,000 */
	unsigned switches; /* 0, or: only the orders that take the turn from a thread that could go on so many times */
	bool fresh;        /* each order in a process of its own */
} orders;

/* Runs all orders. The first that fails fails the calling cmocka test. How many there were is printed, and returned. */
unsigned orders_run (const orders *what);

/* The same, and fails no test. False: an order fails, and is printed. */
bool orders_hold (const orders *what, unsigned *ret_count);

/* On a thread that takes turns: waits until that is true, which the driver asks after each step of another thread. */
void orders_await (bool (*is_so) (void));

/* On a thread that takes turns: runs `body` without a stop, but for what it has to wait for. */
void orders_pass (void (*body) (void));

#endif

/*
 * SPDX-License-Identifier: MIT
 *
 * given-time.h - time passes when a test says so.
 *
 * A test that links this has its own readings of clocks, and limited waits; those of each library that is linked
 * statically come by here, too (the linker's --wrap). Before given_time_begin () all is as usual. From then on clocks
 * stand still: a limited wait ends when what it waits for comes, or when given_time_pass () has passed its limit; a
 * sleep only lets others run. Ticks of the CPU cannot be given: monocle__clock_is_given keeps lib/kit from them.
 */
#ifndef MONOCLE_TEST_GIVEN_TIME_H
#define MONOCLE_TEST_GIVEN_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Every clock shows the same, and no thread has used its CPU. */
void given_time_begin (void);

/* A thread may still be in a wait that began when time was given. */
void given_time_end (void);

/* Threads whose waits are over are woken; given_time_await () says when they have done what they do then. */
void given_time_pass (uint64_t nanoseconds);

/*
 * Until so many threads are in limited waits, none of which is over. Answers how long it is until the first of them is.
 */
uint64_t given_time_await (unsigned threads);

/* The thread has used so much more of its CPU. */
void given_time_use (pid_t thread, uint64_t nanoseconds);

/* Limited waits for what is not there are over at once, and time flies until their limit. */
void given_time_flies (bool flies);

/* How many sleeps there were. */
unsigned given_time_naps (void);

#endif

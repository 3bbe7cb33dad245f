/*
 * SPDX-License-Identifier: MIT
 *
 * naps.h - a loop that naps between its looks, without the time: linked with -Wl,--wrap=nanosleep.
 *
 * A nap is over at once, and only counted. But a thread that has taken a bed sleeps in each of its naps until the test
 * wakes it: so the test knows that the thread has looked in vain, and decides when it looks again.
 */
#ifndef MONOCLE_TEST_CLR_NAPS_H
#define MONOCLE_TEST_CLR_NAPS_H

#include <stdint.h>

enum { NAPS_BEDS = 4 };

/* The calling thread's naps last until they are ended from now on. A bed belongs to one thread at a time. */
void naps_take_bed (int bed);
/* Until the thread naps there. */
void naps_await (int bed);
/* The nap that was waited for is over. */
void naps_wake (int bed);
/* So it is, and all further naps of the thread are over at once. */
void naps_free_bed (int bed);
/* How long the calling thread has napped, in nanoseconds. */
uint64_t naps_time (void);

#endif

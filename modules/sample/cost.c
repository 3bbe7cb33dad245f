/*
 * SPDX-License-Identifier: MIT
 *
 * cost.c - the weight of a sample: what its thread has used since the one before.
 *
 * With weights from the thread's own clock, totals are what the thread used, whatever rate the runtime achieves and
 * whichever threads it hits. A thread that used less than a tenth of a period is not sampled; what it used stays for
 * its next sample.
 *
 * Mono hits sleepers as often as workers, and being hit costs a sleeper some 20 us: it wakes up, handles the signal and
 * goes to sleep again. That is ours, not the program's: on such a runtime what a thread used between two hits is left
 * out when it is as little as that, and the sum is told.
 *
 * Each thread's last reading lies in a table of fixed size, found by its pthread_self (): open addressing, a place is
 * taken by compare and swap and given back when the thread ends, as a tombstone that the next thread takes. Only the
 * thread itself, or its signal handler, touches the reading. When the table is full, samples weigh one period.
 */
#include "sample.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PLACES = 1 << 14, FARTHEST = 64, CREDIBLE_NS = 50000 };

#define TOMBSTONE 1

struct place {
	_Atomic uintptr_t thread; /* 0: never taken */
	uint64_t last;            /* its thread's: the clock at its last sample */
	uint64_t hit;             /* its thread's: the clock at its last hit */
	uint64_t began;           /* its thread's: the monotonic clock then */
	uint32_t number;          /* its thread's: of the last snapshot it is in */
};

static struct place places[PLACES];
static clockid_t cost_clock;
static uint64_t cost_period, cost_least, cost_of_hit;
static _Atomic uint64_t left_out;

static uint64_t
read_clock (clockid_t clock)
{
	struct timespec time;
	clock_gettime (clock, &time);
	return (uint64_t) time.tv_sec * 1000000000u + (uint64_t) time.tv_nsec;
}

static uint64_t
now (void)
{
	return read_clock (cost_clock);
}

static uint32_t
first_place (uintptr_t thread)
{
	return (uint32_t) ((uint64_t) thread * UINT64_C (0x9e3779b97f4a7c15) >> 40);
}

static struct place *
find_place (uintptr_t thread)
{
	for (uint32_t i = first_place (thread), end = i + FARTHEST; i != end; i++) {
		struct place *place = &places[i & (PLACES - 1)];
		uintptr_t owner = place->thread;
		if (owner == thread)
			return place;
		if (!owner)
			return NULL;
	}
	return NULL;
}

/* The thread's place, taken if need be. A new one's reading is 0. NULL: no room. */
static struct place *
take_place (uintptr_t thread)
{
	struct place *found = find_place (thread);
	for (uint32_t i = first_place (thread), end = i + FARTHEST; i != end && !found; i++) {
		struct place *place = &places[i & (PLACES - 1)];
		uintptr_t owner = place->thread;
		if (owner > TOMBSTONE || !atomic_compare_exchange_strong (&place->thread, &owner, thread))
			continue;
		place->last = place->hit = 0;
		place->number = 0;
		found = place;
	}
	return found;
}

void
cost_init (enum cost_kind kind, uint64_t period, bool sleepers)
{
	enum { HIT_OF_SLEEPER = 40000 };
	cost_clock = kind == COST_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
	cost_period = period;
	cost_least = kind == COST_CPU ? period / 10 : 0;
	cost_of_hit = kind == COST_CPU && sleepers ? HIT_OF_SLEEPER : 0;
}

uint64_t
cost_left_out (void)
{
	return left_out;
}

void
cost_begin (void)
{
	struct place *place = take_place ((uintptr_t) pthread_self ());
	if (place)
		place->last = place->hit = now ();
}

/* The reading moves over what the last hit cost. */
static void
leave_out (struct place *place, uint64_t since_hit)
{
	if (since_hit >= cost_of_hit)
		return;
	place->last += since_hit;
	left_out += since_hit;
}

uint64_t
cost_take (void)
{
	struct place *place = take_place ((uintptr_t) pthread_self ());
	if (!place)
		return cost_period;
	uint64_t time = now ();
	if (!place->last || time < place->hit) /* Its beginning was not seen. */
		place->last = place->hit = time > cost_period ? time - cost_period : 0;
	leave_out (place, time - place->hit);
	place->hit = time;
	place->began = read_clock (CLOCK_MONOTONIC);
	uint64_t used = time - place->last;
	if (used < cost_least)
		return 0;
	place->last = time;
	return used ? used : 1;
}

/*
 * A thread's clock is asked by a system call, the monotonic one is not: when little time has passed, the thread has
 * used it. More means that it was interrupted.
 */
void
cost_done (void)
{
	struct place *place = cost_clock == CLOCK_THREAD_CPUTIME_ID ? find_place ((uintptr_t) pthread_self ()) : NULL;
	if (!place)
		return;
	uint64_t passed = read_clock (CLOCK_MONOTONIC) - place->began;
	place->last = place->hit = passed < CREDIBLE_NS ? place->hit + passed : now ();
}

uint64_t
cost_rest (void)
{
	struct place *place = cost_clock == CLOCK_THREAD_CPUTIME_ID ? find_place ((uintptr_t) pthread_self ()) : NULL;
	if (!place || !place->last)
		return 0;
	uint64_t time = now (), used = time - place->last;
	place->last = place->hit = time;
	return used;
}

bool
cost_is_new (uint32_t number)
{
	struct place *place = take_place ((uintptr_t) pthread_self ());
	if (!place || place->number == number)
		return false;
	place->number = number;
	return true;
}

void
cost_end (uintptr_t thread)
{
	struct place *place = find_place (thread);
	if (place)
		place->thread = TOMBSTONE;
}

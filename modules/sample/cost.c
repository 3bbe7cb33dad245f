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
 * A thread's last reading is in its place of thread.c's table. When the table is full, samples weigh one period.
 */
#include "sample.h"

#include <stdatomic.h>
#include <time.h>

enum { CREDIBLE_NS = 50000 };

static clockid_t cost_clock;
static uint64_t cost_period, cost_least, cost_of_hit;
static bool is_early, is_late;
static _Atomic uint64_t left_out;
static _Atomic uint32_t epoch; /* how often counting has begun again */
static atomic_bool is_stopped;

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

void
cost_init (enum cost_kind kind, uint64_t period, bool sleepers, bool late)
{
	enum { HIT_OF_SLEEPER = 40000, EARLY_NS = 200000000 };
	cost_clock = kind == COST_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
	cost_period = period;
	cost_least = kind == COST_CPU ? period / 10 : 0;
	cost_of_hit = kind == COST_CPU && sleepers ? HIT_OF_SLEEPER : 0;
	is_early = !late && read_clock (CLOCK_PROCESS_CPUTIME_ID) < EARLY_NS;
	is_late = late;
}

uint64_t
cost_left_out (void)
{
	return left_out;
}

void
cost_begin (void)
{
	struct thread_place *place = thread_take ();
	if (place)
		place->last = place->hit = now ();
	if (place)
		place->epoch = epoch;
}

void
cost_stop (void)
{
	is_stopped = true;
}

void
cost_start (void)
{
	epoch++;
	is_stopped = false;
}

/* What a thread used while nothing was counted is in no sample: it begins again. */
static bool
is_counting (struct thread_place *place)
{
	if (is_stopped)
		return false;
	if (place->epoch == epoch)
		return true;
	place->epoch = epoch;
	place->last = place->hit = now ();
	return false;
}

/* The reading moves over what the last hit cost. */
static void
leave_out (struct thread_place *place, uint64_t since_hit)
{
	if (since_hit >= cost_of_hit)
		return;
	place->last += since_hit;
	left_out += since_hit;
}

/*
 * What counts of a thread that is hit first and was not seen to begin, such as one of the runtime's own: all that it
 * has used, when the process began with us or nearly so, else a period; nothing where sleepers are hit as well.
 */
static uint64_t
unseen_beginning (uint64_t time)
{
	if (is_early && cost_clock == CLOCK_THREAD_CPUTIME_ID)
		return 0;
	if (is_late)
		return time;
	return time > cost_period ? time - cost_period : 0;
}

/*
 * Whether the place is that of a thread whose end nobody told: pthread_self () is given again, but the clock of the new
 * thread begins at 0. A clock that is behind by less is the same thread's: cost_done () put the reading ahead of it.
 */
static bool
is_another_thread (const struct thread_place *place, uint64_t time)
{
	return time + CREDIBLE_NS < place->hit;
}

static uint64_t
take (struct thread_place *place)
{
	if (!place)
		return is_stopped ? 0 : cost_period;
	if (!is_counting (place))
		return 0;
	uint64_t time = now ();
	if (!place->last || is_another_thread (place, time))
		place->last = place->hit = unseen_beginning (time);
	if (time < place->hit)
		return 0;
	leave_out (place, time - place->hit);
	place->hit = time;
	place->began = read_clock (CLOCK_MONOTONIC);
	uint64_t used = time - place->last;
	if (used < cost_least)
		return 0;
	place->last = time;
	return used ? used : 1;
}

uint64_t
cost_take (void)
{
	return take (thread_take ());
}

uint64_t
cost_take_asleep (uintptr_t tid)
{
	return cost_clock == CLOCK_MONOTONIC ? take (thread_take_of (tid)) : 0;
}

/*
 * A thread's clock is asked by a system call, the monotonic one is not: when little time has passed, the thread has
 * used it, or nearly: who was interrupted for a moment has used less, and the reading is ahead of the thread's clock by
 * at most CREDIBLE_NS. More means that it was interrupted for long.
 */
void
cost_done (void)
{
	struct thread_place *place = cost_clock == CLOCK_THREAD_CPUTIME_ID ? thread_find () : NULL;
	if (!place)
		return;
	uint64_t passed = read_clock (CLOCK_MONOTONIC) - place->began;
	place->last = place->hit = passed < CREDIBLE_NS ? place->hit + passed : now ();
}

uint64_t
cost_rest (void)
{
	struct thread_place *place = cost_clock == CLOCK_THREAD_CPUTIME_ID ? thread_find () : NULL;
	if (!place || !place->last || !is_counting (place))
		return 0;
	uint64_t time = now (), used = time > place->last ? time - place->last : 0;
	place->last = place->hit = time;
	return used;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * crowd.c - see crowd.h.
 */
#include "crowd.h"
#include "../../seed.h"
#include "child.h"
#include "internals.h"
#include "nanoseconds.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

enum { OUTSIDE = CROWD, BETWEEN_CLOCKS = 64, NANOSECONDS_BETWEEN = 5000 };

static MonoThreadHazardPointers slots[CROWD + 1];
static _Thread_local int row = OUTSIDE;
static pthread_barrier_t all_are_there;
static void (*task) (crowd_member *self);
static _Atomic (int) members_left;
static uint64_t end;

MonoThreadHazardPointers *
mono_hazard_pointer_get (void)
{
	return &slots[row];
}

bool
monocle__thread_holds (const void *pointer)
{
	for (int i = 0; i <= OUTSIDE; i++)
		for (int slot = 0; slot < 3; slot++)
			if (__atomic_load_n (&slots[i].hazards[slot], __ATOMIC_SEQ_CST) == pointer)
				return true;
	return false;
}

/* Lets the others go on while this one stands between any two instructions. */
static void
step_aside (int signal)
{
	int saved = errno;

	sched_yield ();
	errno = saved;
}

/* Disturbs one member after the other until all are through. */
static void
disturb (const pthread_t *threads)
{
	struct timespec pause = { .tv_nsec = NANOSECONDS_BETWEEN };

	for (unsigned i = 0; members_left; i++) {
		pthread_kill (threads[i % CROWD], SIGUSR2);
		nanosleep (&pause, NULL);
	}
}

static void *
member_main (void *data)
{
	crowd_member self = { .number = (int) (intptr_t) data, .random = (unsigned) seed_of ((uint64_t) (intptr_t) data) };

	row = self.number;
	pthread_barrier_wait (&all_are_there);
	task (&self);
	for (int slot = 0; slot < 3; slot++)
		CHECK (!slots[row].hazards[slot]);
	members_left--;
	return NULL;
}

void
crowd_run (void (*body) (crowd_member *self))
{
	const char *seconds = getenv ("MONOCLE_TEST_SECONDS");
	struct sigaction action = { .sa_handler = step_aside, .sa_flags = SA_RESTART };
	pthread_t threads[CROWD];

	CHECK (!sigaction (SIGUSR2, &action, NULL));
	task = body;
	members_left = CROWD;
	end = monocle__nanoseconds (CLOCK_MONOTONIC) +
	      (seconds ? strtoul (seconds, NULL, 10) : 0) * MONOCLE__NANOSECONDS_SECOND;
	CHECK (!pthread_barrier_init (&all_are_there, NULL, CROWD));
	for (intptr_t i = 0; i < CROWD; i++)
		CHECK (!pthread_create (&threads[i], NULL, member_main, (void *) i));
	disturb (threads);
	for (int i = 0; i < CROWD; i++)
		pthread_join (threads[i], NULL);
	pthread_barrier_destroy (&all_are_there);
}

void
crowd_as_another (void (*body) (void))
{
	int saved = row;

	row = 0;
	body ();
	row = saved;
}

bool
crowd_goes_on (crowd_member *self, unsigned rounds)
{
	unsigned done = self->rounds++;

	return done < rounds || done % BETWEEN_CLOCKS || monocle__nanoseconds (CLOCK_MONOTONIC) < end;
}

unsigned
crowd_random (crowd_member *self, unsigned limit)
{
	self->random = self->random * 1103515245 + 12345;
	return (self->random >> 16) % limit;
}

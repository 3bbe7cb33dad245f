/*
 * SPDX-License-Identifier: MIT
 *
 * service.c - a plain thread of our own that asks the runtime what other threads must not ask.
 *
 * Inside a probe, and inside callbacks that run while a thread's objects must hold still, most of ICorProfilerInfo is
 * refused, or would let the collector run. On a thread that the runtime does not know it is not, as long as nothing has
 * to be loaded. So the question is copied into a slot, the service answers it there, and the asker, who must not block
 * for long (a collection may be waiting for it), takes the answer or gives up.
 *
 *      FREE --asker--> CLAIMED --asker--> POSTED --service--> RUNNING --service--> DONE --asker--> FREE
 *                                         |    |
 *             asker does not wait --------+    +--- asker gave up --> ABANDONED --service--> FREE
 *                      v
 *                  DETACHED --service--> RUNNING --service--> FREE
 *
 * What was given up is never begun: the objects that it is about may have moved. What was begun is waited for; nothing
 * that is asked lets the collector run except the collection itself, and no thread waits for that which could be
 * stopped by it.
 *
 * While one question is overdue no asker that is in a hurry waits after it: whatever holds the service up may hold the
 * asker too. The thread is made when the profiler starts, since a signal handler may be the first to need it. It has
 * all signals blocked and ends with the process; a forked child has none.
 *
 * Whenever it is woken it also does its chore: what has piled up where any context may add to it without a slot.
 *
 * A thread that collects, suspends the runtime or begins or ends a session of events becomes one of the runtime's own,
 * and is then refused what only a thread may ask that the runtime does not know. So such work has a thread for itself,
 * and the service waits for its end. The two never run at once: both are the service to all that ask.
 */
#include "service.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "background.h"
#include "invariant.h"
#include "nanoseconds.h"
#include "pause.h"

enum { SLOTS = 32, DATA_SIZE = 320 };

typedef struct {
	_Atomic (int) state;
	void (*work) (void *data);
	_Alignas(16) uint8_t data[DATA_SIZE];
	sem_t done;
} slot;

enum { FREE, CLAIMED, POSTED, DETACHED, RUNNING, DONE, ABANDONED };

static slot slots[SLOTS];
static sem_t posted;
static pthread_t thread;
static _Atomic (pthread_t) thread_apart; /* 0: there is none */
static _Atomic (pid_t) owner;            /* the process whose thread it is; 0: there is none */
static atomic_uint overdue;              /* questions without a waiting asker, still in their slots */
static atomic_bool ended;
static atomic_bool is_leaving; /* the thread is to end */
static _Atomic (void (*) (void)) chore;

static bool
moves (slot *own, int from, int to)
{
	return atomic_compare_exchange_strong (&own->state, &from, to);
}

static void
serve (slot *own)
{
	if (moves (own, POSTED, RUNNING)) {
		MONOCLE__INVARIANT (own->work);
		own->work (own->data);
		MONOCLE__PAUSE (service_answers);
		MONOCLE__INVARIANT (atomic_load (&own->state) == RUNNING); /* what was begun is waited for */
		atomic_store (&own->state, DONE);
		sem_post (&own->done);
	} else if (moves (own, DETACHED, RUNNING)) {
		own->work (own->data);
		MONOCLE__INVARIANT (atomic_load (&own->state) == RUNNING && atomic_load (&overdue) != 0);
		atomic_fetch_sub (&overdue, 1);
		atomic_store (&own->state, FREE);
	} else if (moves (own, ABANDONED, FREE)) {
		unsigned were = atomic_fetch_sub (&overdue, 1);
		MONOCLE__INVARIANT (were != 0);
	}
}

static void *
run (void *nothing)
{
	MONOCLE__PAUSE (service_begun);
	for (;;) {
		while (sem_wait (&posted))
			;
		MONOCLE__PAUSE (service_woken);
		if (atomic_load (&is_leaving))
			return NULL;
		for (int i = 0; i < SLOTS; i++)
			serve (&slots[i]);
		void (*work) (void) = atomic_load (&chore);
		if (work)
			work ();
	}
}

void
monocle__service_begin (void)
{
	static bool has_semaphores;
	for (int i = 0; i < SLOTS && !has_semaphores; i++)
		sem_init (&slots[i].done, 0, 0);
	if (!has_semaphores)
		sem_init (&posted, 0, 0);
	has_semaphores = true;
	atomic_store (&ended, false);
	if (monocle__background_start (&thread, run, NULL, 0))
		owner = getpid ();
}

/* Who asked and waits, or asks now, is told that there is no service: an unanswered question is given up in time. */
void
monocle__service_leave (void)
{
	monocle__service_end ();
	if (owner != getpid ())
		return;
	atomic_store (&is_leaving, true);
	sem_post (&posted);
	pthread_join (thread, NULL);
	owner = 0;
	atomic_store (&is_leaving, false);
}

/* No thread asks any more. */
void
monocle__service_forget (void)
{
	for (int i = 0; i < SLOTS; i++)
		atomic_store (&slots[i].state, FREE);
	atomic_store (&overdue, 0);
	while (sem_trywait (&posted) == 0)
		;
}

static slot *
claim (void)
{
	for (int i = 0; i < SLOTS; i++)
		if (moves (&slots[i], FREE, CLAIMED))
			return &slots[i];
	return NULL;
}

/* True when the answer is there. */
static bool
wait_for (slot *own, unsigned milliseconds)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	struct timespec end = monocle__nanoseconds_timespec (now + milliseconds * UINT64_C (1000000));
	while (atomic_load (&own->state) == POSTED &&
	       (sem_clockwait (&own->done, CLOCK_MONOTONIC, &end) == 0 || errno == EINTR))
		;
	MONOCLE__PAUSE (service_is_late);
	atomic_fetch_add (&overdue, 1);
	if (moves (own, POSTED, ABANDONED))
		return false;
	atomic_fetch_sub (&overdue, 1);
	while (atomic_load (&own->state) != DONE)
		sem_wait (&own->done);
	return true;
}

/* NULL: there is no service, or no room. */
static slot *
put (void (*work) (void *data), const void *data, size_t size, bool is_awaited)
{
	slot *own = atomic_load (&ended) || size > DATA_SIZE || owner != getpid () ? NULL : claim ();
	if (!own)
		return NULL;
	while (sem_trywait (&own->done) == 0) /* what an answer that came together with the giving up left */
		;
	MONOCLE__PAUSE (service_claimed);
	MONOCLE__INVARIANT (atomic_load (&own->state) == CLAIMED);
	own->work = work;
	memcpy (own->data, data, size);
	if (!is_awaited)
		atomic_fetch_add (&overdue, 1);
	atomic_store (&own->state, is_awaited ? POSTED : DETACHED);
	sem_post (&posted);
	return own;
}

bool
monocle__service_post (void (*work) (void *data), const void *data, size_t size)
{
	return put (work, data, size, false) != NULL;
}

bool
monocle__service_run (void (*work) (void *data), void *data, size_t size, unsigned milliseconds)
{
	bool is_hurried = milliseconds && milliseconds != UINT_MAX;
	if (is_hurried && atomic_load (&overdue))
		return false;
	slot *own = put (work, data, size, milliseconds != 0);
	if (!own || !milliseconds || !wait_for (own, milliseconds))
		return false;
	MONOCLE__INVARIANT (atomic_load (&own->state) == DONE);
	memcpy (data, own->data, size);
	atomic_store (&own->state, FREE);
	return true;
}

void
monocle__service_set_chore (void (*work) (void))
{
	atomic_store (&chore, work);
}

bool
monocle__service_wake (void)
{
	if (owner != getpid () || atomic_load (&ended))
		return false;
	sem_post (&posted);
	return true;
}

bool
monocle__service_is_self (void)
{
	pthread_t self = pthread_self (), apart = atomic_load (&thread_apart);
	return owner && (pthread_equal (self, thread) || (apart && pthread_equal (self, apart)));
}

static void *
run_apart (void *work)
{
	atomic_store (&thread_apart, pthread_self ());
	(*(void (**) (void)) work) ();
	return NULL;
}

/* It is the service until it has ended, since the runtime tells on it that it does. */
void
monocle__service_run_apart (void (*work) (void))
{
	pthread_t apart;
	MONOCLE__INVARIANT (monocle__service_is_self ());
	if (!pthread_equal (pthread_self (), thread) || !monocle__background_start (&apart, run_apart, &work, 0)) {
		work ();
		return;
	}
	pthread_join (apart, NULL);
	atomic_store (&thread_apart, 0);
}

bool
monocle__service_is_over (void)
{
	return atomic_load (&ended);
}

void
monocle__service_end (void)
{
	atomic_store (&ended, true);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * given-time.c - see given-time.h.
 */
#include "given-time.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "nanoseconds.h"

enum { THREADS = 256 };

/* A limited wait, on the stack of the thread that waits; of its semaphore, or of a condition, whose mutex it has. */
typedef struct limited_wait {
	struct limited_wait *next;
	uint64_t until;
	sem_t *semaphore;
	pthread_cond_t *condition;
	pthread_mutex_t *mutex;
	atomic_bool is_over;
} limited_wait;

static struct {
	_Atomic (pid_t) thread;
	_Atomic (uint64_t) used;
} used[THREADS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static limited_wait *waits; /* under the lock */
static atomic_bool is_given, does_fly;
static _Atomic (uint64_t) now;
static atomic_uint naps;

int __real_clock_gettime (clockid_t clock, struct timespec *ret_time);
int __real_nanosleep (const struct timespec *time, struct timespec *ret_rest);
int __real_sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until);
int __real_pthread_cond_timedwait (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int __real_pthread_timedjoin_np (pthread_t thread, void **ret_value, const struct timespec *until);
int __wrap_clock_gettime (clockid_t clock, struct timespec *ret_time);
int __wrap_nanosleep (const struct timespec *time, struct timespec *ret_rest);
int __wrap_sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until);
int __wrap_pthread_cond_timedwait (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_timedjoin_np (pthread_t thread, void **ret_value, const struct timespec *until);

/* --- clocks ------------------------------------------------------------------------------------------------------- */

static _Atomic (uint64_t) *
used_by (pid_t thread)
{
	for (int i = 0; i < THREADS; i++) {
		pid_t none = 0;
		if (atomic_compare_exchange_strong (&used[i].thread, &none, thread) || none == thread)
			return &used[i].used;
	}
	return &used[0].used;
}

/* The clock of another thread has its id in the upper bits, and does not exist where the thread does not. */
int
__wrap_clock_gettime (clockid_t clock, struct timespec *ret_time)
{
	int error = __real_clock_gettime (clock, ret_time);
	if (error || !atomic_load (&is_given))
		return error;
	bool is_own = clock == CLOCK_THREAD_CPUTIME_ID;
	*ret_time = monocle__nanoseconds_timespec (is_own || clock < 0 ? *used_by (is_own ? gettid () : ~(clock >> 3))
	                                                               : atomic_load (&now));
	return 0;
}

int
__wrap_nanosleep (const struct timespec *time, struct timespec *ret_rest)
{
	if (!atomic_load (&is_given))
		return __real_nanosleep (time, ret_rest);
	atomic_fetch_add (&naps, 1);
	if (atomic_load (&does_fly))
		given_time_pass (monocle__nanoseconds_of (*time));
	return sched_yield ();
}

/* --- waits -------------------------------------------------------------------------------------------------------- */

static bool
is_past (uint64_t until)
{
	return atomic_load (&now) >= until;
}

static void
begin_wait (limited_wait *wait)
{
	pthread_mutex_lock (&lock);
	atomic_store (&wait->is_over, is_past (wait->until));
	wait->next = waits;
	waits = wait;
	pthread_mutex_unlock (&lock);
}

static void
end_wait (limited_wait *wait)
{
	pthread_mutex_lock (&lock);
	limited_wait **at = &waits;
	while (*at != wait)
		at = &(*at)->next;
	*at = wait->next;
	pthread_mutex_unlock (&lock);
}

static bool
flies_to (uint64_t until)
{
	uint64_t is = atomic_load (&now);
	if (atomic_load (&does_fly) && is < until)
		given_time_pass (until - is);
	return is_past (until);
}

int
__wrap_sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	limited_wait wait = { .until = monocle__nanoseconds_of (*until), .semaphore = semaphore };
	if (!atomic_load (&is_given))
		return __real_sem_clockwait (semaphore, clock, until);
	if (sem_trywait (semaphore) == 0)
		return 0;
	if (flies_to (wait.until)) {
		sched_yield ();
		errno = ETIMEDOUT;
		return -1;
	}
	begin_wait (&wait);
	int error = atomic_load (&wait.is_over) ? 0 : sem_wait (semaphore);
	end_wait (&wait);
	if (!atomic_load (&wait.is_over))
		return error;
	errno = ETIMEDOUT;
	return -1;
}

int
__wrap_pthread_cond_timedwait (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
	limited_wait wait = { .until = monocle__nanoseconds_of (*until), .condition = condition, .mutex = mutex };
	if (!atomic_load (&is_given))
		return __real_pthread_cond_timedwait (condition, mutex, until);
	if (atomic_load (&does_fly)) {
		pthread_mutex_unlock (mutex);
		flies_to (wait.until);
		sched_yield ();
		pthread_mutex_lock (mutex);
	} else {
		begin_wait (&wait);
		if (!atomic_load (&wait.is_over))
			pthread_cond_wait (condition, mutex);
		end_wait (&wait);
	}
	return is_past (wait.until) ? ETIMEDOUT : 0;
}

int
__wrap_pthread_timedjoin_np (pthread_t thread, void **ret_value, const struct timespec *until)
{
	int error = EBUSY;
	if (!atomic_load (&is_given))
		return __real_pthread_timedjoin_np (thread, ret_value, until);
	while (error == EBUSY && !flies_to (monocle__nanoseconds_of (*until))) {
		error = pthread_tryjoin_np (thread, ret_value);
		sched_yield ();
	}
	return error == EBUSY ? ETIMEDOUT : error;
}

/* --- the test's side ---------------------------------------------------------------------------------------------- */

void
given_time_begin (void)
{
	enum { LONG_AGO = 1000000 }; /* seconds */
	for (int i = 0; i < THREADS; i++) {
		atomic_store (&used[i].thread, 0);
		atomic_store (&used[i].used, 0);
	}
	atomic_store (&now, LONG_AGO * MONOCLE__NANOSECONDS_SECOND);
	atomic_store (&naps, 0);
	atomic_store (&does_fly, false);
	atomic_store (&is_given, true);
}

void
given_time_end (void)
{
	atomic_store (&is_given, false);
}

/* A wait that is over now, and was not said to be; its thread may go on from then on. */
static bool
end_next (limited_wait *ret_wait)
{
	pthread_mutex_lock (&lock);
	limited_wait *wait = waits;
	while (wait && (atomic_load (&wait->is_over) || !is_past (wait->until)))
		wait = wait->next;
	if (wait) {
		*ret_wait = *wait;
		atomic_store (&wait->is_over, true);
		if (wait->semaphore)
			sem_post (wait->semaphore);
	}
	pthread_mutex_unlock (&lock);
	return wait != NULL;
}

void
given_time_pass (uint64_t nanoseconds)
{
	limited_wait wait;
	atomic_fetch_add (&now, nanoseconds);
	while (end_next (&wait))
		if (wait.condition) { /* its thread has given the mutex away by waiting, not before */
			pthread_mutex_lock (wait.mutex);
			pthread_cond_broadcast (wait.condition);
			pthread_mutex_unlock (wait.mutex);
		}
}

uint64_t
given_time_await (unsigned threads)
{
	for (;;) {
		unsigned count = 0;
		uint64_t first = UINT64_MAX;
		pthread_mutex_lock (&lock);
		for (limited_wait *wait = waits; wait; wait = wait->next)
			if (!atomic_load (&wait->is_over)) {
				count++;
				first = wait->until < first ? wait->until : first;
			}
		pthread_mutex_unlock (&lock);
		if (count >= threads)
			return first - atomic_load (&now);
		sched_yield ();
	}
}

void
given_time_use (pid_t thread, uint64_t nanoseconds)
{
	atomic_fetch_add (used_by (thread), nanoseconds);
}

void
given_time_flies (bool flies)
{
	atomic_store (&does_fly, flies);
}

unsigned
given_time_naps (void)
{
	return atomic_load (&naps);
}

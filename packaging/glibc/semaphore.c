/*
 * SPDX-License-Identifier: MIT
 *
 * semaphore.c - sem_clockwait (), which glibc has since 2.30. Where it has it, it is the one that waits.
 */
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { SECOND = 1000000000 };

typedef int clock_wait (sem_t *, clockid_t, const struct timespec *);

/* Found once; this function itself stands for "glibc has none". */
static clock_wait *
glibcs_own (void)
{
	static _Atomic (clock_wait *) found;
	clock_wait *own = atomic_load_explicit (&found, memory_order_relaxed);
	if (!own) {
		own = (clock_wait *) dlsym (RTLD_DEFAULT, "sem_clockwait");
		own = own ? own : sem_clockwait;
		atomic_store_explicit (&found, own, memory_order_relaxed);
	}
	return own;
}

static bool
is_over (clockid_t clock, const struct timespec *until)
{
	struct timespec now;
	clock_gettime (clock, &now);
	return now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

/* The same moment by the clock of sem_timedwait (). */
static struct timespec
by_real_time (clockid_t clock, const struct timespec *until)
{
	struct timespec now, real;
	clock_gettime (clock, &now);
	clock_gettime (CLOCK_REALTIME, &real);
	real.tv_sec += until->tv_sec - now.tv_sec;
	real.tv_nsec += until->tv_nsec - now.tv_nsec;
	if (real.tv_nsec < 0) {
		real.tv_sec--;
		real.tv_nsec += SECOND;
	} else if (real.tv_nsec >= SECOND) {
		real.tv_sec++;
		real.tv_nsec -= SECOND;
	}
	return real;
}

/* A clock that is set forward meanwhile changes nothing; one that is set back makes this wait longer by as much. */
static int
wait_by_real_time (sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	int result;
	do {
		struct timespec real = by_real_time (clock, until);
		result = sem_timedwait (semaphore, &real);
	} while (result && errno == ETIMEDOUT && !is_over (clock, until));
	return result;
}

int
sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	clock_wait *own = glibcs_own ();
	return own == sem_clockwait ? wait_by_real_time (semaphore, clock, until) : own (semaphore, clock, until);
}

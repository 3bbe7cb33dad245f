/*
 * SPDX-License-Identifier: MIT
 *
 * forks.c - see forks.h.
 */
#include "forks.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "invariant.h"

/* Who holds reads it, who forks writes it. */
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic (pid_t) forking; /* the thread that has it for writing; 0: none */

static pid_t
self (void)
{
	return (pid_t) syscall (SYS_gettid);
}

static void
before_fork (void)
{
	enum { LOOKS = 1000, LOOK_NS = 1000000 };
	for (int i = 0; i < LOOKS; i++) {
		if (pthread_rwlock_trywrlock (&gate) == 0) {
			atomic_store (&forking, self ());
			return;
		}
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	}
}

static void
after_fork (void)
{
	if (atomic_load (&forking) != self ())
		return;
	atomic_store (&forking, 0);
	pthread_rwlock_unlock (&gate);
}

/* Who held it is not here. */
static void
after_fork_in_child (void)
{
	gate = (pthread_rwlock_t) PTHREAD_RWLOCK_INITIALIZER;
	atomic_store (&forking, 0);
}

static void
listen (void)
{
	pthread_atfork (before_fork, after_fork, after_fork_in_child);
}

void
monocle__forks_begin (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once (&once, listen);
}

void
monocle__forks_hold (void)
{
	int error = pthread_rwlock_rdlock (&gate);
	MONOCLE__INVARIANT (!error);
}

void
monocle__forks_release (void)
{
	pthread_rwlock_unlock (&gate);
}

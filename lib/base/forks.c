/*
 * SPDX-License-Identifier: MIT
 *
 * forks.c - see forks.h. Both sides say that they are there before they look for the other, so at least one of them
 * sees it; a fork that waits keeps new holders out. Neither waits for ever: a thread that forks may hold what the
 * holder needs, and the other way round.
 */
#include "forks.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "pause.h"

enum { LOOKS = 1000, LOOK_NS = 1000000 }; /* about a second */

static atomic_uint holders;
static _Atomic (pid_t) forking; /* the thread that forks, or waits until it can; 0: none */

static pid_t
self (void)
{
	return (pid_t) syscall (SYS_gettid);
}

static void
pause_ (void)
{
	nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
}

static bool
is_next_to_fork (void)
{
	pid_t who = 0;
	return atomic_compare_exchange_strong (&forking, &who, self ()) || who == self ();
}

/* A thread that was cancelled in here would keep what others hold over a fork. */
static void
before_fork (void)
{
	int cancel, i = 0;
	pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
	for (; i < LOOKS && !is_next_to_fork (); i++)
		pause_ ();
	MONOCLE__PAUSE (forks_announced);
	for (; i < LOOKS && atomic_load (&holders); i++)
		pause_ ();
	MONOCLE__PAUSE (forks_goes);
	pthread_setcancelstate (cancel, NULL);
}

static void
after_fork (void)
{
	pid_t who = self ();
	atomic_compare_exchange_strong (&forking, &who, 0);
}

/* Who held is not here. */
static void
after_fork_in_child (void)
{
	atomic_store (&holders, 0);
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

static bool
another_forks (void)
{
	pid_t who = atomic_load (&forking);
	return who && who != self ();
}

void
monocle__forks_hold (void)
{
	for (int i = 0;;) {
		atomic_fetch_add (&holders, 1);
		MONOCLE__PAUSE (forks_counted);
		if (i == LOOKS || !another_forks ())
			return;
		monocle__forks_release ();
		for (; i < LOOKS && another_forks (); i++)
			pause_ ();
	}
}

/* A child of a fork that waited too long may release what its parent held. */
void
monocle__forks_release (void)
{
	unsigned were = atomic_load (&holders);
	while (were && !atomic_compare_exchange_weak (&holders, &were, were - 1))
		;
}

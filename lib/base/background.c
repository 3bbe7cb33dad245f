/*
 * SPDX-License-Identifier: MIT
 *
 * background.c - see background.h.
 */
#include "background.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>

#include "nanoseconds.h"

bool
monocle__background_start (pthread_t *ret_thread, void *(*run) (void *data), void *data, size_t stack)
{
	size_t least = (size_t) PTHREAD_STACK_MIN;
	pthread_attr_t attributes;
	sigset_t all, before;
	if (pthread_attr_init (&attributes))
		return false;
	if (stack)
		pthread_attr_setstacksize (&attributes, stack < least ? least : stack);
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &before);
	int error = pthread_create (ret_thread, &attributes, run, data);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	pthread_attr_destroy (&attributes);
	return !error;
}

void
monocle__background_sleep (sem_t *wake, uint64_t nanoseconds)
{
	struct timespec until = monocle__nanoseconds_timespec (monocle__nanoseconds (CLOCK_MONOTONIC) + nanoseconds);
	while (sem_clockwait (wake, CLOCK_MONOTONIC, &until) && errno == EINTR)
		;
}

/*
 * SPDX-License-Identifier: MIT
 *
 * os-event.c - an event that stays set: a thread tells others that it has come to some point.
 *
 * All events share one lock, because there are few of them, and each is set once or so. Thus an event needs no memory,
 * and it may be gone as soon as a thread that waited for it is back. Not in signal handlers.
 */
#include "internals.h"
#include "nanoseconds.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

_Static_assert(sizeof (MonoOSEvent) == 16, "modules reserve that many bytes");

static const uint32_t for_ever = UINT32_MAX;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some_event_is_set; /* by the clock that nobody sets */

static void
make_condition (void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init (&attributes);
	pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
	pthread_cond_init (&some_event_is_set, &attributes);
	pthread_condattr_destroy (&attributes);
}

void
mono_os_event_init (MonoOSEvent *event, mono_bool initial)
{
	pthread_once (&once, make_condition);
	event->reserved = NULL;
	event->signalled = initial;
}

void
mono_os_event_set (MonoOSEvent *event)
{
	pthread_mutex_lock (&lock);
	event->signalled = 1;
	pthread_cond_broadcast (&some_event_is_set);
	pthread_mutex_unlock (&lock);
}

int
mono_os_event_wait_one (MonoOSEvent *event, uint32_t timeout_ms, mono_bool alertable)
{
	struct timespec end = monocle__nanoseconds_timespec (monocle__nanoseconds (CLOCK_MONOTONIC) +
	                                                     timeout_ms * (MONOCLE__NANOSECONDS_SECOND / 1000));
	int error = 0;

	pthread_mutex_lock (&lock);
	while (!event->signalled && error != ETIMEDOUT)
		error = timeout_ms == for_ever ? pthread_cond_wait (&some_event_is_set, &lock)
		                               : pthread_cond_timedwait (&some_event_is_set, &lock, &end);
	bool set = event->signalled;
	pthread_mutex_unlock (&lock);
	return set ? MONO_OS_EVENT_WAIT_RET_SUCCESS_0 : MONO_OS_EVENT_WAIT_RET_TIMEOUT;
}

void
mono_os_event_destroy (MonoOSEvent *event)
{
}

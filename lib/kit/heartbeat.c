/*
 * SPDX-License-Identifier: MIT
 *
 * heartbeat.c - a thread that writes down once a second that the process is alive.
 *
 * A thread that waits makes no events, and SIGKILL is not announced: without a heartbeat, the hour that a method slept
 * before its process was killed would be missing. It is a plain thread that the runtime does not know, with all signals
 * blocked and a small stack; it dies with fork, as all threads of a parent do in the child. When it cannot be made,
 * only that time is missing.
 */
#include "background.h"
#include "spool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped; /* by CLOCK_MONOTONIC */

static void *
beat (void *data)
{
	monocle_kit_spool *spool = data;
	struct timespec next;
	clock_gettime (CLOCK_MONOTONIC, &next);
	pthread_mutex_lock (&lock);
	while (spool->has_heart) {
		__atomic_store_n (&spool->header->heartbeat, monocle__clock_now (), __ATOMIC_RELAXED);
		monocle__spool_pair (spool, false);
		next.tv_sec++;
		pthread_cond_timedwait (&stopped, &lock, &next);
	}
	pthread_mutex_unlock (&lock);
	return NULL;
}

void
monocle__heart_start (monocle_kit_spool *spool)
{
	enum { STACK = 64 << 10 };
	pthread_condattr_t attributes;
	pthread_condattr_init (&attributes);
	pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
	pthread_cond_init (&stopped, &attributes);
	pthread_condattr_destroy (&attributes);
	pthread_mutex_lock (&lock);
	spool->has_heart = monocle__background_start (&spool->heart, beat, spool, STACK);
	pthread_mutex_unlock (&lock);
}

void
monocle__heart_stop (monocle_kit_spool *spool)
{
	pthread_mutex_lock (&lock);
	bool beats = spool->has_heart;
	spool->has_heart = false;
	pthread_cond_signal (&stopped);
	pthread_mutex_unlock (&lock);
	if (beats)
		pthread_join (spool->heart, NULL);
}

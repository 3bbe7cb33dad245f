/*
 * SPDX-License-Identifier: MIT
 *
 * fork-wait.c - a fork waits while one of our threads asks the runtime, whose locks would stay locked in the child.
 *
 * It is not a module's: a thread that forks may be in here while modules are closed.
 */
#include <monocle/kit.h>

#include <pthread.h>

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

static void
hold (void)
{
	pthread_mutex_lock (&asking);
}

static void
release (void)
{
	pthread_mutex_unlock (&asking);
}

static void
listen (void)
{
	pthread_atfork (hold, release, release);
}

void
monocle_kit_runtime_ask (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once (&once, listen);
	hold ();
}

void
monocle_kit_runtime_asked (void)
{
	release ();
}

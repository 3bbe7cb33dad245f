/*
 * SPDX-License-Identifier: MIT
 *
 * callbacks.c - a library of the usual kind: its threads call functions that it was given.
 *
 * One round: every thread calls every function several times, then all of them wait for the next round, in here, where
 * no collection may have to wait for them. The watch ends the process when one does: with 3, and a line that says so.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

enum { THREADS_MAX = 64, FUNCTIONS_MAX = 64, BLOCKED = 3 };

typedef int (*callback) (int);

EXPORT int callbacks_start (unsigned count, callback *list, unsigned list_count, long limit);
EXPORT void callbacks_settle (void);
EXPORT void callbacks_round (unsigned count);
EXPORT int callbacks_settled (void);
EXPORT void callbacks_collecting (int begins);
EXPORT unsigned long callbacks_stop (unsigned long *ret_calls);
EXPORT int callbacks_add_one (int n);
EXPORT int callbacks_call (callback function, int n);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Under the lock. */
static unsigned rounds, waiting, thread_count, calls_per_round;
static int ended;
static pthread_t threads[THREADS_MAX], watcher;

static callback functions[FUNCTIONS_MAX];
static unsigned function_count;
static atomic_ulong calls, wrong;

/* When the collection began that is going on, in ms; 0: none is. */
static atomic_long collection_began;
static atomic_int watch_ended;
static long limit_ms;

static long
now_ms (void)
{
	struct timespec now;
	clock_gettime (CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Each function answers its argument and three more. */
static void
call_all (unsigned seed)
{
	for (unsigned i = 0; i < function_count; i++) {
		int argument = (int) ((seed + i) & 0xFFFF);
		int result = functions[(seed + i) % function_count](argument);
		if (result != argument + 3)
			atomic_fetch_add (&wrong, 1);
	}
	atomic_fetch_add (&calls, function_count);
}

static void *
run (void *number)
{
	unsigned seen = 0;
	pthread_mutex_lock (&lock);
	for (;;) {
		waiting++;
		pthread_cond_broadcast (&changed);
		while (rounds == seen && !ended)
			pthread_cond_wait (&changed, &lock);
		if (ended)
			break;
		seen = rounds;
		unsigned count = calls_per_round;
		pthread_mutex_unlock (&lock);
		for (unsigned i = 0; i < count; i++)
			call_all ((unsigned) (uintptr_t) number * 7 + seen * 31 + i);
		pthread_mutex_lock (&lock);
	}
	pthread_mutex_unlock (&lock);
	return NULL;
}

static void *
watch (void *unused)
{
	while (!atomic_load (&watch_ended)) {
		long began = atomic_load (&collection_began);
		if (began && now_ms () - began > limit_ms) {
			printf ("a collection is blocked for more than %ld ms, after %lu calls\n", limit_ms, atomic_load (&calls));
			fflush (stdout);
			_exit (BLOCKED);
		}
		usleep (20000);
	}
	return NULL;
}

/* 0, or -1: a thread could not be had. */
int
callbacks_start (unsigned count, callback *list, unsigned list_count, long limit)
{
	limit_ms = limit;
	function_count = list_count < FUNCTIONS_MAX ? list_count : FUNCTIONS_MAX;
	for (unsigned i = 0; i < function_count; i++)
		functions[i] = list[i];
	if (count > THREADS_MAX || pthread_create (&watcher, NULL, watch, NULL))
		return -1;
	for (; thread_count < count; thread_count++)
		if (pthread_create (&threads[thread_count], NULL, run, (void *) (uintptr_t) thread_count))
			return -1;
	return 0;
}

/* Waits until all threads wait. */
void
callbacks_settle (void)
{
	pthread_mutex_lock (&lock);
	while (waiting < thread_count)
		pthread_cond_wait (&changed, &lock);
	pthread_mutex_unlock (&lock);
}

/* Lets them go, when all wait. */
void
callbacks_round (unsigned count)
{
	pthread_mutex_lock (&lock);
	waiting = 0;
	calls_per_round = count;
	rounds++;
	pthread_cond_broadcast (&changed);
	pthread_mutex_unlock (&lock);
}

int
callbacks_settled (void)
{
	pthread_mutex_lock (&lock);
	int settled = waiting == thread_count;
	pthread_mutex_unlock (&lock);
	return settled;
}

/* In front of a collection, and behind it. */
void
callbacks_collecting (int begins)
{
	atomic_store (&collection_began, begins ? now_ms () : 0);
}

/* Ends all threads; how many answers were wrong. */
unsigned long
callbacks_stop (unsigned long *ret_calls)
{
	pthread_mutex_lock (&lock);
	ended = 1;
	pthread_cond_broadcast (&changed);
	pthread_mutex_unlock (&lock);
	for (unsigned i = 0; i < thread_count; i++)
		pthread_join (threads[i], NULL);
	atomic_store (&watch_ended, 1);
	pthread_join (watcher, NULL);
	*ret_calls = atomic_load (&calls);
	return atomic_load (&wrong);
}

/* --- what callbacks call in their turn ---------------------------------------------------------------------------- */

int
callbacks_add_one (int n)
{
	return n + 1;
}

int
callbacks_call (callback function, int n)
{
	return function (n);
}

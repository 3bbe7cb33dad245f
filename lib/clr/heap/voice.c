/*
 * SPDX-License-Identifier: MIT
 *
 * voice.c - the one thread that reports collections where the runtime's collector has many.
 *
 * On Mono one thread reports a pause from its first event to its last, and modules take a lock in one of them that they
 * give back in another. The server collector stops and restarts the world on one of its threads, begins to collect on
 * another, and collects in the background on further ones; none of them ever waits where it could speak for the rest.
 * So they have the voice speak, and wait until it has: each event is reported when it happens, before the collector
 * goes on, and always on the same thread.
 *
 *      heap 1's thread   GCStart --+             +--> collects
 *      the voice                   +- 6 10 7 0 --+
 *
 * The thread is made when the first such collector is met, while the world still runs. It does not belong to the
 * runtime, so that no pause stops it, has all signals blocked, and ends with the process, or an attach; a forked child
 * has none. Where there is no voice, each of the collector's threads reports its own events.
 */
#include "voice.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "background.h"
#include "invariant.h"
#include "pause.h"

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER; /* held by the thread that waits for the voice */
static sem_t asked, spoken;
static void (*words) (void *data);
static void *about;
static pthread_t thread;
static _Atomic (pid_t) owner;  /* the process whose thread it is; 0: there is none */
static atomic_bool is_made;    /* or was tried to make */
static atomic_bool is_leaving; /* the thread is to end */

static void
await (sem_t *sem)
{
	while (sem_wait (sem))
		;
}

static void *
run (void *nothing)
{
	pthread_setname_np (pthread_self (), "monocle-voice");
	MONOCLE__PAUSE (voice_begins);
	for (;;) {
		await (&asked);
		MONOCLE__PAUSE (voice_asked);
		if (atomic_load (&is_leaving))
			return NULL;
		MONOCLE__INVARIANT (words != NULL);
		words (about);
		words = NULL;
		sem_post (&spoken);
	}
	return NULL;
}

static bool
make (void)
{
	sem_init (&asked, 0, 0);
	sem_init (&spoken, 0, 0);
	return monocle__background_start (&thread, run, NULL, 0);
}

void
monocle__voice_begin (void)
{
	if (!atomic_exchange (&is_made, true) && make ())
		atomic_store (&owner, getpid ());
}

void
monocle__voice_leave (void)
{
	if (atomic_load (&owner) == getpid ()) {
		atomic_store (&is_leaving, true);
		sem_post (&asked);
		pthread_join (thread, NULL);
		atomic_store (&owner, 0);
		atomic_store (&is_leaving, false);
	}
	atomic_store (&is_made, false);
}

bool
monocle__voice_is_made (void)
{
	return atomic_load_explicit (&is_made, memory_order_relaxed);
}

bool
monocle__voice_is_self (void)
{
	return atomic_load (&owner) && pthread_equal (pthread_self (), thread);
}

void
monocle__voice_say (void (*say) (void *data), void *data)
{
	if (atomic_load (&owner) != getpid () || monocle__voice_is_self ()) {
		say (data);
		return;
	}
	pthread_mutex_lock (&asking);
	MONOCLE__INVARIANT (!words); /* one at a time */
	words = say;
	about = data;
	MONOCLE__PAUSE (voice_has_words);
	sem_post (&asked);
	await (&spoken);
	pthread_mutex_unlock (&asking);
}

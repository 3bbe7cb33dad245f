/*
 * SPDX-License-Identifier: MIT
 *
 * walk.c - see walk.h. A thread of ours goes through the images that were loaded, one after the other, when the runtime
 * is up, slowly; what it has not come to at the end of the process is done then.
 */
#include "walk.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#include <mono/metadata/blob.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/tokentype.h>

#include "background.h"
#include "file.h"
#include "filter.h"
#include "plan.h"
#include "record.h"

enum { STACK = 512 << 10, BATCH = 64 };
static const uint64_t first_pause = 200000000, pause = 5000000; /* nanoseconds */

struct waiting {
	struct waiting *next;
	MonoImage *image;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_busy = PTHREAD_COND_INITIALIZER;
static MonoImage *busy;       /* is looked at, */
static pthread_t busy_thread; /* by this thread */
static struct waiting *first, **last = &first;
static uint32_t next_row = 1; /* of the first one */
static bool is_ending;
static bool is_running;
static pthread_t thread;
static sem_t wake;

void
walk_add (MonoImage *image)
{
	struct waiting *one = calloc (1, sizeof *one);
	if (!one)
		return;
	one->image = image;
	pthread_mutex_lock (&lock);
	*last = one;
	last = &one->next;
	pthread_mutex_unlock (&lock);
	if (is_running)
		sem_post (&wake);
}

/* Under the lock. */
static void
drop (struct waiting **at)
{
	struct waiting *gone = *at;
	if (at == &first)
		next_row = 1;
	if (last == &gone->next)
		last = at;
	*at = gone->next;
	free (gone);
}

void
walk_forget (MonoImage *image)
{
	pthread_mutex_lock (&lock);
	for (struct waiting **at = &first; *at;) {
		if ((*at)->image == image)
			drop (at);
		else
			at = &(*at)->next;
	}
	while (busy == image && !pthread_equal (pthread_self (), busy_thread))
		pthread_cond_wait (&not_busy, &lock);
	pthread_mutex_unlock (&lock);
}

static void
show (void *data, const MonocleCoveragePlan *plan)
{
	record_method (plan, false);
}

static void
look_at (MonoMethod *method)
{
	if (method && filter_wants (method) && !record_of (method))
		plan_show (method, show, NULL);
}

/* The next rows of the first image, which is not forgotten before end_batch (). NULL: there is nothing left. */
static MonoImage *
begin_batch (uint32_t *ret_row, uint32_t *ret_end)
{
	pthread_mutex_lock (&lock);
	MonoImage *image = busy = first ? first->image : NULL;
	busy_thread = pthread_self ();
	if (image) {
		uint32_t end = (uint32_t) mono_image_get_table_rows (image, MONO_TABLE_METHOD) + 1;
		*ret_row = next_row;
		*ret_end = next_row + BATCH < end ? next_row + BATCH : end;
		next_row = *ret_end;
		if (next_row == end)
			drop (&first);
	}
	pthread_mutex_unlock (&lock);
	return image;
}

static void
end_batch (void)
{
	pthread_mutex_lock (&lock);
	busy = NULL;
	pthread_cond_broadcast (&not_busy);
	pthread_mutex_unlock (&lock);
}

/* False: there is nothing left. No lock is held meanwhile: on Mono a method's class may load other images. */
static bool
look_at_batch (void)
{
	uint32_t row, end;
	MonoImage *image = begin_batch (&row, &end);
	if (!image)
		return false;
	while (row < end)
		look_at (mono_get_method (image, MONO_TOKEN_METHOD_DEF | row++, NULL));
	end_batch ();
	return true;
}

static void *
run (void *data)
{
	monocle__background_sleep (&wake, first_pause);
	while (!__atomic_load_n (&is_ending, __ATOMIC_ACQUIRE))
		monocle__background_sleep (&wake, look_at_batch () ? pause : UINT64_MAX / 4);
	return NULL;
}

void
walk_begin (void)
{
	sem_init (&wake, 0, 0);
	is_running = monocle__background_start (&thread, run, NULL, STACK);
}

void
walk_end (void)
{
	if (!file_is_own ())
		return;
	__atomic_store_n (&is_ending, true, __ATOMIC_RELEASE);
	if (is_running) {
		sem_post (&wake);
		pthread_join (thread, NULL);
		is_running = false;
	}
	while (look_at_batch ())
		;
}

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
#include <monocle/ext.h>

#include "background.h"
#include "file.h"
#include "filter.h"
#include "record.h"

#define TOKEN_METHOD 0x06000000u

enum { STACK = 512 << 10, BATCH = 64 };
static const uint64_t first_pause = 200000000, pause = 5000000; /* nanoseconds */

struct waiting {
	struct waiting *next;
	MonoImage *image;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while a batch is looked at: an image stays that long */
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
	if (method && filter_wants (method) && !record_has (method))
		monocle_coverage_plan (method, show, NULL);
}

/* Some methods of the first image. False: there is nothing left. */
static bool
look_at_batch (void)
{
	pthread_mutex_lock (&lock);
	if (first) {
		uint32_t rows = (uint32_t) mono_image_get_table_rows (first->image, MONO_TABLE_METHOD);
		for (uint32_t i = 0; i < BATCH && next_row <= rows; i++, next_row++)
			look_at (mono_get_method (first->image, TOKEN_METHOD | next_row, NULL));
		if (next_row > rows)
			drop (&first);
	}
	bool more = first != NULL;
	pthread_mutex_unlock (&lock);
	return more;
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

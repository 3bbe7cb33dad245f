/*
 * SPDX-License-Identifier: MIT
 *
 * poll.c - see poll.h.
 *
 *   compiled method --> entry --> the record of its definition --> counters in the file
 *
 * Mono keeps counters of each instance of a generic method; the file has one record for all of them, so they are added
 * up first. Mono looks at its symbols whenever it is asked for counters: when there is so much that a copy takes long,
 * copies are rarer, so that this thread has no more than a fifth of a CPU.
 */
#include "poll.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#include <mono/metadata/class.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/tokentype.h>
#include <monocle/ext.h>

#include "background.h"
#include "drain-thread.h"
#include "file.h"
#include "map.h"
#include "nanoseconds.h"
#include "plan.h"
#include "record.h"

enum { STACK = 512 << 10, SHARE = 5 };
/* Nanoseconds; with all delays within a second. */
static const uint64_t look = 50000000, round_pause = 800000000;

struct instance {
	struct instance *next;
	MonoMethod *method;
};

/* A definition of which instances were compiled: one is its own instance. */
struct entry {
	struct entry *next;
	MonoImage *image;
	struct monocle__cover_method *record;
	struct instance *instances;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static map by_definition;
static uint32_t forgotten; /* how often entries were taken away */
static bool is_ending, is_running;
static pthread_t thread;
static sem_t wake;

/* --- copying ------------------------------------------------------------------------------------------------------ */

static void
copy_entry (const struct entry *e)
{
	uint32_t count = e->record->point_count, *numbers = calloc (2 * (size_t) count + 1, sizeof *numbers);
	const struct monocle__cover_point *points = (const void *) (e->record + 1);
	uint32_t *counters = (uint32_t *) (void *) ((uint8_t *) e->record + e->record->counters);
	if (!numbers)
		return;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = points[i].il_offset;
	for (const struct instance *i = e->instances; i; i = i->next)
		plan_add_counters (i->method, numbers, numbers + count, count);
	for (uint32_t i = 0; i < count; i++)
		__atomic_store_n (&counters[points[i].counter], numbers[count + i], __ATOMIC_RELAXED);
	free (numbers);
}

/* The lock is given up after each, so that no compiling thread waits for long. */
static void
copy_all (void)
{
	pthread_mutex_lock (&lock);
	const uint32_t before = forgotten;
	for (const struct entry *e = entries; e; e = before == forgotten ? e->next : NULL) {
		copy_entry (e);
		pthread_mutex_unlock (&lock);
		pthread_mutex_lock (&lock);
	}
	bool again = before != forgotten;
	pthread_mutex_unlock (&lock);
	if (again)
		copy_all ();
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void
show (void *data, const MonocleCoveragePlan *plan)
{
	if (record_method (plan, true))
		*(struct monocle__cover_method **) data = record_of (plan->method);
}

/* NULL: it is not in the file. */
static struct entry *
new_entry (MonoMethod *definition)
{
	struct monocle__cover_method *record = NULL;
	plan_show (definition, show, &record);
	struct entry *e = record ? calloc (1, sizeof *e) : NULL;
	if (!e)
		return NULL;
	e->record = record;
	e->image = mono_class_get_image (mono_method_get_class (definition));
	return e;
}

/* Under the lock. */
static struct entry *
entry_of (MonoMethod *definition)
{
	uint64_t *known = map_find (&by_definition, definition);
	if (known)
		return (struct entry *) (uintptr_t) *known;
	struct entry *e = new_entry (definition);
	if (e && map_add (&by_definition, definition, (uintptr_t) e)) {
		e->next = entries;
		entries = e;
		return e;
	}
	free (e);
	return NULL;
}

/* A method may be compiled more than once. */
static void
add_instance (struct entry *e, MonoMethod *method)
{
	for (const struct instance *i = e->instances; i; i = i->next)
		if (i->method == method)
			return;
	struct instance *one = calloc (1, sizeof *one);
	if (!one)
		return;
	*one = (struct instance) { e->instances, method };
	e->instances = one;
}

void
poll_add (MonoMethod *method)
{
	uint32_t token = mono_method_get_token (method);
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	MonoMethod *definition = mono_get_method (image, token, NULL);
	pthread_mutex_lock (&lock);
	struct entry *e = definition ? entry_of (definition) : NULL;
	if (e)
		add_instance (e, method);
	pthread_mutex_unlock (&lock);
}

static void
free_entry (struct entry *e)
{
	for (struct instance *i = e->instances, *next; i; i = next) {
		next = i->next;
		free (i);
	}
	free (e);
}

static bool
keep_entry (const void *key, uint64_t value, const void *image)
{
	return ((const struct entry *) (uintptr_t) value)->image != image;
}

void
poll_forget (MonoImage *image)
{
	if (!file_is_own ())
		return;
	pthread_mutex_lock (&lock);
	forgotten++;
	map_keep (&by_definition, keep_entry, image);
	for (struct entry **at = &entries; *at;) {
		struct entry *e = *at;
		if (e->image != image) {
			at = &e->next;
			continue;
		}
		copy_entry (e);
		*at = e->next;
		free_entry (e);
	}
	pthread_mutex_unlock (&lock);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void
answer (void)
{
	struct monocle__cover_header *header = file_header ();
	uint32_t request = __atomic_load_n (&header->request, __ATOMIC_ACQUIRE);
	copy_all ();
	__atomic_store_n (&header->answer, request, __ATOMIC_RELEASE);
}

static bool
is_asked (void)
{
	const struct monocle__cover_header *header = file_header ();
	return __atomic_load_n (&header->request, __ATOMIC_RELAXED) != __atomic_load_n (&header->answer, __ATOMIC_RELAXED);
}

static void *
run (void *data)
{
	uint64_t due = monocle__nanoseconds (CLOCK_MONOTONIC) + round_pause;
	drain_thread_begin (NULL);
	while (!__atomic_load_n (&is_ending, __ATOMIC_ACQUIRE)) {
		monocle__background_sleep (&wake, look);
		uint64_t begin = monocle__nanoseconds (CLOCK_MONOTONIC);
		if (begin < due && !is_asked ())
			continue;
		answer ();
		uint64_t pause = SHARE * (monocle__nanoseconds (CLOCK_MONOTONIC) - begin);
		due = begin + (pause > round_pause ? pause : round_pause);
	}
	return NULL;
}

void
poll_begin (void)
{
	sem_init (&wake, 0, 0);
	is_running = monocle__background_start (&thread, run, NULL, STACK);
}

void
poll_end (void)
{
	if (!file_is_own ())
		return;
	__atomic_store_n (&is_ending, true, __ATOMIC_RELEASE);
	if (is_running) {
		sem_post (&wake);
		pthread_join (thread, NULL);
		is_running = false;
	}
	answer ();
}

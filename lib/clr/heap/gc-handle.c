/*
 * SPDX-License-Identifier: MIT
 *
 * handle.c - handles of the collector. Modules know a handle by 32 bits, (index << 3) | (type + 1) as on Mono; the
 * runtime by an address, which it reuses.
 *
 * A hash table of what lives, under a leaf lock: events come on any thread, also while the world is stopped, and nobody
 * calls the runtime while holding it. Kinds that Mono does not have (dependent handles and the like) are not told, nor
 * is the end of handles whose beginning was not seen. The runtime says the same thing when a handle gets another object
 * as when it is made: only the first time is told. Its own handles may go without a word; one that comes again with
 * another kind has gone in between.
 *
 * A handle's address is that of the word where the runtime keeps its object, which the runtime writes after it has told
 * of the new handle. The memory of a handle that went without a word may not be there any more.
 */
#include "gc-handle.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <monocle/host.h>
#include "code/peek.h"
#include "collector.h"
#include "invariant.h"
#include "object.h"
#include "pause.h"
#include "state.h"

/* The core numbers below it the handles that modules make, and reports them. */
enum { FIRST_INDEX = 1 << 24 };

typedef struct {
	uintptr_t handle; /* 0: free, 1: was used */
	uint32_t index, type;
} entry;

static entry *entries;
static uint32_t capacity, used; /* used: entries that are not 0 */
static uint32_t next_index = FIRST_INDEX;
static uint32_t *free_indexes, free_count, free_capacity;

/* What has the index FIRST_INDEX + i. */
typedef struct {
	uintptr_t handle;
	MonoObject *told; /* while its beginning is told, when the handle is empty still */
} holder;

static holder *holders;
static uint32_t holder_capacity;
static atomic_bool is_full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t
bucket_of (uintptr_t handle)
{
	return (uint32_t) (((uint64_t) handle * 0x9E3779B97F4A7C15u) >> 32) & (capacity - 1);
}

/* Where `handle` is, or would be. The table has room. */
static entry *
place_of (uintptr_t handle)
{
	entry *gap = NULL;
	MONOCLE__INVARIANT ((capacity & (capacity - 1)) == 0 && used < capacity); /* a search ends at a free place */
	for (uint32_t i = bucket_of (handle);; i = (i + 1) & (capacity - 1)) {
		if (entries[i].handle == handle)
			return &entries[i];
		if (entries[i].handle == 1 && !gap)
			gap = &entries[i];
		if (!entries[i].handle)
			return gap ? gap : &entries[i];
	}
}

static bool
make_room (void)
{
	if ((used + 1) * 4 < capacity * 3)
		return true;
	entry *old = entries;
	uint32_t old_capacity = capacity, live = 0;
	for (uint32_t i = 0; i < old_capacity; i++)
		live += old[i].handle > 1;
	uint32_t wanted = live * 4 > old_capacity ? old_capacity * 2 : old_capacity;
	entry *grown = calloc (wanted ? wanted : 1024, sizeof *grown);
	if (!grown)
		return false;
	entries = grown;
	capacity = wanted ? wanted : 1024;
	used = live;
	for (uint32_t i = 0; i < old_capacity; i++)
		if (old[i].handle > 1)
			*place_of (old[i].handle) = old[i];
	MONOCLE__INVARIANT (used == live && (used + 1) * 4 < capacity * 3);
	free (old);
	return true;
}

/* 0: there is no memory for one. */
static uint32_t
take_index (void)
{
	uint32_t taken = next_index - FIRST_INDEX;
	if (free_count)
		return free_indexes[--free_count];
	if (taken == holder_capacity) {
		holder *grown = realloc (holders, (holder_capacity * 2 + 256) * sizeof *grown);
		if (!grown)
			return 0;
		holders = grown;
		holder_capacity = holder_capacity * 2 + 256;
	}
	return next_index++;
}

/* An index that cannot be kept is not used again: that is all. */
static void
give_back (uint32_t index)
{
	if (free_count == free_capacity) {
		uint32_t *grown = realloc (free_indexes, (free_capacity * 2 + 256) * sizeof *grown);
		if (!grown)
			return;
		free_indexes = grown;
		free_capacity = free_capacity * 2 + 256;
	}
	MONOCLE__INVARIANT (free_count < free_capacity && index < next_index);
	free_indexes[free_count++] = index;
}

static uint32_t
number_of (uint32_t index, uint32_t type)
{
	MONOCLE__INVARIANT (index >= FIRST_INDEX && index < 1u << 29 && type <= MONO_GC_HANDLE_PINNED);
	return index << 3 | (type + 1);
}

/* Of a handle that lives. Under the lock. */
static holder *
holder_of (uint32_t number)
{
	uint32_t place = (number >> 3) - FIRST_INDEX; /* of other numbers, more than there are */
	uintptr_t handle = place < next_index - FIRST_INDEX ? holders[place].handle : 0;
	const entry *e = handle ? place_of (handle) : NULL;
	return e && e->handle == handle && number_of (e->index, e->type) == number ? &holders[place] : NULL;
}

typedef struct {
	uint32_t number;
	MonoGCHandleType type;
	MonoObject *object;
} told;

static void
tell_created (void *data)
{
	const told *t = data;
	monocle_raise_gc_handle_created (t->number, t->type, t->object);
}

static void
tell_deleted (void *data)
{
	const told *t = data;
	monocle_raise_gc_handle_deleted (t->number, t->type);
}

/* Its number; 0: it is known already, or there is no memory. Under the lock. */
static uint32_t
add (uintptr_t handle, MonoObject *object, uint32_t kind)
{
	entry *e = make_room () ? place_of (handle) : NULL;
	bool is_known = e && e->handle == handle;
	uint32_t index = 0;
	if (is_known && e->type == kind)
		return 0;
	if (e)
		index = is_known ? e->index : take_index ();
	if (!index) {
		if (!atomic_exchange (&is_full, true))
			monocle__clr_complain ("out of memory: some handles of the collector are not told");
		return 0;
	}
	MONOCLE__INVARIANT (used + 1 < capacity && (!e->handle || e->handle == 1 || is_known));
	used += !e->handle;
	*e = (entry) { handle, index, kind };
	holders[index - FIRST_INDEX] = (holder) { handle, object };
	return number_of (index, kind);
}

void
monocle__gc_handle_created (uintptr_t handle, MonoObject *object, uint32_t kind)
{
	if (kind > MONO_GC_HANDLE_PINNED || handle < 2 || monocle__clr_object_makes_handle ())
		return;
	pthread_mutex_lock (&lock);
	uint32_t number = add (handle, object, kind);
	pthread_mutex_unlock (&lock);
	if (!number)
		return;
	if (monocle__clr_listened (MONOCLE_EVENT_gc_handle_created))
		monocle__collector_say (tell_created, &(told) { number, (MonoGCHandleType) kind, object });
	pthread_mutex_lock (&lock);
	holder *own = holder_of (number);
	if (own)
		own->told = NULL;
	pthread_mutex_unlock (&lock);
}

MonoObject *
monocle__gc_handle_target (void *host, uint32_t number)
{
	MonoObject *object = NULL;
	pthread_mutex_lock (&lock);
	holder *own = holder_of (number);
	if (own && (!monocle__peek (own->handle, &object, sizeof object) || !object))
		object = own->told;
	pthread_mutex_unlock (&lock);
	return object;
}

void
monocle__gc_handle_destroyed (uintptr_t handle)
{
	entry gone = { 0, 0, 0 };
	pthread_mutex_lock (&lock);
	entry *e = capacity && handle > 1 ? place_of (handle) : NULL;
	if (e && e->handle == handle) {
		gone = *e;
		e->handle = 1;
		holders[gone.index - FIRST_INDEX].handle = 0;
	}
	pthread_mutex_unlock (&lock);
	MONOCLE__PAUSE (gc_handle_taken_out);
	if (!gone.handle)
		return;
	if (monocle__clr_listened (MONOCLE_EVENT_gc_handle_deleted))
		monocle__collector_say (tell_deleted,
		                        &(told) { number_of (gone.index, gone.type), (MonoGCHandleType) gone.type });
	MONOCLE__PAUSE (gc_handle_end_told);
	/* That the number is made again may not be reported before its end was. */
	pthread_mutex_lock (&lock);
	give_back (gone.index);
	pthread_mutex_unlock (&lock);
}

void
monocle__gc_handle_leave (void)
{
	pthread_mutex_lock (&lock);
	free (entries);
	free (free_indexes);
	free (holders);
	entries = NULL;
	free_indexes = NULL;
	holders = NULL;
	capacity = used = free_count = free_capacity = holder_capacity = 0;
	next_index = FIRST_INDEX;
	atomic_store (&is_full, false);
	pthread_mutex_unlock (&lock);
}

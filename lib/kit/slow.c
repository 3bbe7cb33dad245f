/*
 * SPDX-License-Identifier: MIT
 *
 * slow.c - see slow.h. The writer: on the thread whose call was slow, at its end.
 *
 * A spool has room for so many slow calls. When it is full, a longer call takes the place of the shortest, which a heap
 * in memory knows; one that is no longer than that is counted and not described. A record that is being replaced has
 * the length 0, so that a reader leaves out what is half written.
 *
 * The threshold is in nanoseconds, and what a tick is becomes known while the program runs. So the threads compare with
 * a number of ticks that is too low at first, and what they find is looked at again here.
 */
#include "slow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "invariant.h"

enum {
	NAME_MOST = 80, /* of a thread's name; the rest is cut */
	SIZE_PLAIN = 128,
	SIZE_DESCRIBED = 2048,
	SETTLED_NS = 100000000, /* a rate measured over so long is good */
	TICKS_PER_US_LEAST = 10,
};

_Static_assert(sizeof (struct monocle__slow_record) + NAME_MOST <= SIZE_PLAIN, "a name has room");
_Static_assert(sizeof (struct monocle__slow_record) + NAME_MOST + MONOCLE_KIT_ARGUMENTS_SIZE +
                       MONOCLE_KIT_RESULT_SIZE <=
                   SIZE_DESCRIBED,
               "all texts have room");

struct rank {
	uint64_t length;
	uint32_t place;
};

struct monocle__watch {
	uint64_t threshold_ns;
	uint64_t slow; /* ticks; relaxed */
	bool settled;  /* relaxed; `slow` is exact */
	monocle_kit_describe_call describe;
	pthread_mutex_t lock;
	bool closed;               /* under lock */
	uint32_t limit, count;     /* under lock */
	uint32_t size, per_extent; /* of a record; records */
	struct rank *heap;         /* under lock; the shortest first */
	struct monocle__extent **extents;
	uint64_t floor; /* relaxed; ticks: calls that took no more have no place */
};

/* --- the ranks ---------------------------------------------------------------------------------------------------- */

/* Under the lock. */
static void
sift_up (struct rank *heap, uint32_t at)
{
	struct rank rank = heap[at];
	for (; at && heap[(at - 1) / 2].length > rank.length; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = rank;
}

static void
sift_down (struct rank *heap, uint32_t count)
{
	struct rank rank = heap[0];
	uint32_t at = 0, child;
	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap[child + 1].length < heap[child].length)
			child++;
		if (heap[child].length >= rank.length)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = rank;
}

/* --- places in the spool ------------------------------------------------------------------------------------------ */

static struct monocle__slow_record *
record_at (const struct monocle__watch *watch, uint32_t place)
{
	uint8_t *extent = (uint8_t *) watch->extents[place / watch->per_extent];
	return (struct monocle__slow_record *) (extent + MONOCLE__EXTENT_HEADER +
	                                        (size_t) (place % watch->per_extent) * watch->size);
}

/* Under the lock: the place for a call that took so long; NULL: it has none. */
static struct monocle__slow_record *
take_place (struct monocle__watch *watch, monocle_kit_spool *spool, uint64_t length)
{
	if (watch->count == watch->limit) {
		if (length <= watch->heap[0].length)
			return NULL;
		uint32_t place = watch->heap[0].place;
		watch->heap[0].length = length;
		sift_down (watch->heap, watch->count);
		__atomic_store_n (&watch->floor, watch->heap[0].length, __ATOMIC_RELAXED);
		return record_at (watch, place);
	}
	struct monocle__extent **extent = &watch->extents[watch->count / watch->per_extent];
	if (!*extent)
		*extent = monocle__spool_extent (spool, MONOCLE__EXTENT_SLOW);
	if (!*extent) {
		monocle__spool_lose (spool, MONOCLE__LOSS_SLOW, 1);
		return NULL;
	}
	struct monocle__slow_record *record = record_at (watch, watch->count);
	watch->heap[watch->count] = (struct rank) { length, watch->count };
	sift_up (watch->heap, watch->count++);
	__atomic_store_n (&(*extent)->used, (*extent)->used + watch->size, __ATOMIC_RELEASE);
	if (watch->count == watch->limit)
		__atomic_store_n (&watch->floor, watch->heap[0].length, __ATOMIC_RELAXED);
	return record;
}

static uint32_t
put_text (struct monocle__slow_record *record, uint32_t at, const char *text, uint32_t length)
{
	memcpy (record->text + at, text, length);
	return length;
}

static void
fill_record (struct monocle__slow_record *record, const struct monocle__slow_record *head, const char *name,
             const char *arguments, const char *result)
{
	__atomic_store_n (&record->length, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence (__ATOMIC_RELEASE);
	uint64_t length = head->length;
	record->start = head->start;
	record->node = head->node;
	record->thread = head->thread;
	record->tid = head->tid;
	record->end = head->end;
	record->name_length = put_text (record, 0, name, head->name_length);
	uint32_t at = record->name_length;
	record->arguments_length = put_text (record, at, arguments, head->arguments_length);
	at += record->arguments_length;
	record->result_length = put_text (record, at, result, head->result_length);
	__atomic_store_n (&record->length, length, __ATOMIC_RELEASE);
}

/* --- a call that may be slow -------------------------------------------------------------------------------------- */

/* Was it slow? Corrects what the threads compare with, until that is known well. */
static bool
is_slow (struct monocle__call_thread *thread, uint64_t length)
{
	struct monocle__watch *watch = thread->spool->watch;
	const struct monocle__spool_header *header = thread->spool->header;
	if (!__atomic_load_n (&watch->settled, __ATOMIC_RELAXED)) {
		struct monocle__clock_pair now = monocle__clock_pair_now (header->flags & MONOCLE__SPOOL_TICKS);
		double rate = monocle__clock_rate (header->pairs[0], now);
		if (rate > 0)
			__atomic_store_n (&watch->slow, (uint64_t) ((double) watch->threshold_ns / rate), __ATOMIC_RELAXED);
		if (rate > 0 && now.ns - header->pairs[0].ns >= SETTLED_NS)
			__atomic_store_n (&watch->settled, true, __ATOMIC_RELAXED);
	}
	thread->slow = __atomic_load_n (&watch->slow, __ATOMIC_RELAXED);
	return length >= thread->slow;
}

/* The thread's name, cut at a character. */
static uint32_t
name_length_of (const struct monocle__thread_record *record)
{
	uint32_t length = __atomic_load_n (&record->name_length, __ATOMIC_ACQUIRE);
	if (length > NAME_MOST)
		length = NAME_MOST;
	while (length && length < sizeof record->name && length == NAME_MOST &&
	       ((unsigned char) record->name[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* Into the thread's own buffer: two texts with NULs. */
static void
describe (struct monocle__call_thread *thread, const uint32_t *level, monocle_kit_end end, void *context,
          char *arguments, char *result)
{
	const struct monocle__watch *watch = thread->spool->watch;
	const struct monocle__kept *kept = thread->kept ? &thread->kept[level - thread->stack] : NULL;
	monocle_kit_slow_call call = {
		.size = sizeof call,
		.end = end,
		.method = (void *) (uintptr_t) thread->nodes[*level].key,
		.kept = kept ? thread->keep + kept->at : NULL,
		.kept_size = kept ? kept->length : 0,
		.context = context,
	};
	*arguments = *result = '\0';
	if (watch->describe)
		watch->describe (&call, arguments, result);
}

static void
add (struct monocle__call_thread *thread, const struct monocle__slow_record *head, const char *name,
     const char *arguments, const char *result)
{
	struct monocle__watch *watch = thread->spool->watch;
	pthread_mutex_lock (&watch->lock);
	struct monocle__slow_record *record = watch->closed ? NULL : take_place (watch, thread->spool, head->length);
	if (record)
		fill_record (record, head, name, arguments, result);
	pthread_mutex_unlock (&watch->lock);
}

void
monocle__slow_note (struct monocle__call_thread *thread, const uint32_t *level, uint64_t now, monocle_kit_end end,
                    void *context)
{
	struct monocle__watch *watch = thread->spool->watch;
	uint64_t start = thread->starts->starts[level - thread->stack - 1], length = now - start;
	int saved_errno = errno;
	size_t size;
	MONOCLE__INVARIANT (level > thread->stack && level - thread->stack < MONOCLE__WATCHED_LEVELS);
	if ((int64_t) length <= 0 || !is_slow (thread, length)) {
		errno = saved_errno;
		return;
	}
	__atomic_fetch_add (&thread->spool->header->slow_count, 1, __ATOMIC_RELAXED);
	if (length > __atomic_load_n (&watch->floor, __ATOMIC_RELAXED)) {
		char *arguments = monocle__thread_buffer (thread, &size), *result = arguments + MONOCLE_KIT_ARGUMENTS_SIZE;
		MONOCLE__INVARIANT (size >= MONOCLE_KIT_ARGUMENTS_SIZE + MONOCLE_KIT_RESULT_SIZE);
		describe (thread, level, end, context, arguments, result);
		struct monocle__slow_record head = {
			.length = length,
			.start = start,
			.node = *level,
			.thread = thread->number,
			.tid = thread->tid,
			.end = end,
			.name_length = name_length_of (thread->record),
			.arguments_length = (uint32_t) strnlen (arguments, MONOCLE_KIT_ARGUMENTS_SIZE - 1),
			.result_length = (uint32_t) strnlen (result, MONOCLE_KIT_RESULT_SIZE - 1),
		};
		add (thread, &head, thread->record->name, arguments, result);
	}
	errno = saved_errno;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void *
take_memory (size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *memory = monocle__fails () ? MAP_FAILED : mmap (NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

bool
monocle__slow_thread_new (struct monocle__call_thread *thread)
{
	struct monocle__watch *watch = thread->spool->watch;
	if (!watch)
		return true;
	if (watch->describe) {
		thread->kept = take_memory (MONOCLE__WATCHED_LEVELS * sizeof *thread->kept);
		thread->keep = take_memory (MONOCLE__KEEP_SIZE);
		if (!thread->kept || !thread->keep)
			return false;
	}
	thread->starts = (struct monocle__starts *) monocle__spool_extent (thread->spool, MONOCLE__EXTENT_STARTS);
	return thread->starts != NULL;
}

void
monocle__slow_thread_free (struct monocle__call_thread *thread)
{
	if (thread->kept)
		munmap (thread->kept, MONOCLE__WATCHED_LEVELS * sizeof *thread->kept);
	if (thread->keep)
		munmap (thread->keep, MONOCLE__KEEP_SIZE);
}

void
monocle__slow_thread_begin (struct monocle__call_thread *thread)
{
	if (!thread->starts)
		return;
	thread->slow = __atomic_load_n (&thread->spool->watch->slow, __ATOMIC_RELAXED);
	thread->tid = (uint32_t) gettid ();
	__atomic_store_n (&thread->starts->thread, (uint64_t) thread->tid << 32 | thread->number, __ATOMIC_RELAXED);
	if (!(thread->spool->header->flags & MONOCLE__SPOOL_THREADS))
		monocle__thread_record_name (thread->record, NULL);
}

void
monocle__slow_thread_end (struct monocle__call_thread *thread, uint64_t now)
{
	if (!thread->starts)
		return;
	for (const uint32_t *level = thread->top; level > thread->stack; level--)
		if (level - thread->stack < MONOCLE__WATCHED_LEVELS)
			monocle__slow_note (thread, level, now, MONOCLE_KIT_UNFINISHED, NULL);
	__atomic_store_n (&thread->starts->thread, 0, __ATOMIC_RELAXED);
}

/* --- the spool's part --------------------------------------------------------------------------------------------- */

struct monocle__watch *
monocle__slow_new (monocle_kit_spool *spool, const monocle_kit_spool_config *config)
{
	enum { LIMIT = 1000 };
	struct monocle__watch *watch = calloc (1, sizeof *watch);
	if (!watch)
		return NULL;
	watch->threshold_ns = config->threshold;
	watch->describe = config->describe;
	watch->limit = config->slow_calls ? config->slow_calls : LIMIT;
	watch->size = config->describe ? SIZE_DESCRIBED : SIZE_PLAIN;
	watch->per_extent = (MONOCLE__EXTENT_SIZE - MONOCLE__EXTENT_HEADER) / watch->size;
	watch->slow = monocle__clock_uses_ticks ? config->threshold / 1000 * TICKS_PER_US_LEAST : config->threshold;
	watch->settled = !monocle__clock_uses_ticks;
	watch->heap = calloc (watch->limit, sizeof *watch->heap);
	watch->extents = calloc (watch->limit / watch->per_extent + 1, sizeof *watch->extents);
	pthread_mutex_init (&watch->lock, NULL);
	if (!watch->heap || !watch->extents) {
		monocle__slow_free (watch);
		return NULL;
	}
	spool->header->threshold_ns = config->threshold;
	spool->header->slow_limit = watch->limit;
	spool->header->slow_size = watch->size;
	return watch;
}

void
monocle__slow_close (struct monocle__watch *watch)
{
	if (!watch)
		return;
	pthread_mutex_lock (&watch->lock);
	watch->closed = true;
	pthread_mutex_unlock (&watch->lock);
}

void
monocle__slow_free (struct monocle__watch *watch)
{
	if (!watch)
		return;
	free (watch->heap);
	free (watch->extents);
	free (watch);
}

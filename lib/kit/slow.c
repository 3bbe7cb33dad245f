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
	enum { OPEN, CLOSING, CLOSED } phase; /* under lock; while it is closing, only the closer adds */
	pthread_t closer;
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
is_slow (const monocle_kit_spool *spool, uint64_t length)
{
	struct monocle__watch *watch = spool->watch;
	const struct monocle__spool_header *header = spool->header;
	if (!__atomic_load_n (&watch->settled, __ATOMIC_RELAXED)) {
		struct monocle__clock_pair now = monocle__clock_pair_now (header->flags & MONOCLE__SPOOL_TICKS);
		double rate = monocle__clock_rate (header->pairs[0], now);
		if (rate > 0)
			__atomic_store_n (&watch->slow, (uint64_t) ((double) watch->threshold_ns / rate), __ATOMIC_RELAXED);
		if (rate > 0 && now.ns - header->pairs[0].ns >= SETTLED_NS)
			__atomic_store_n (&watch->settled, true, __ATOMIC_RELAXED);
	}
	return length >= __atomic_load_n (&watch->slow, __ATOMIC_RELAXED);
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

static void
add (monocle_kit_spool *spool, const struct monocle__slow_record *head, const char *name, const char *arguments,
     const char *result)
{
	struct monocle__watch *watch = spool->watch;
	pthread_mutex_lock (&watch->lock);
	bool is_in_time =
	    watch->phase == OPEN || (watch->phase == CLOSING && pthread_equal (watch->closer, pthread_self ()));
	struct monocle__slow_record *record = is_in_time ? take_place (watch, spool, head->length) : NULL;
	if (record)
		fill_record (record, head, name, arguments, result);
	pthread_mutex_unlock (&watch->lock);
}

/* Counts a slow call, and lists it if it has a place. `buffer` has room for both texts. */
static void
list (const struct monocle__call_thread *thread, struct monocle__slow_record *head, const monocle_kit_slow_call *call,
      char *buffer)
{
	struct monocle__watch *watch = thread->spool->watch;
	char *arguments = buffer, *result = buffer + MONOCLE_KIT_ARGUMENTS_SIZE;
	__atomic_fetch_add (&thread->spool->header->slow_count, 1, __ATOMIC_RELAXED);
	if (head->length <= __atomic_load_n (&watch->floor, __ATOMIC_RELAXED))
		return;
	*arguments = *result = '\0';
	if (watch->describe)
		watch->describe (call, arguments, result);
	head->thread = thread->number;
	head->tid = thread->tid;
	head->end = call->end;
	head->name_length = name_length_of (thread->record);
	head->arguments_length = (uint32_t) strnlen (arguments, MONOCLE_KIT_ARGUMENTS_SIZE - 1);
	head->result_length = (uint32_t) strnlen (result, MONOCLE_KIT_RESULT_SIZE - 1);
	add (thread->spool, head, thread->record->name, arguments, result);
}

void
monocle__slow_note (struct monocle__call_thread *thread, const uint32_t *level, uint64_t now, monocle_kit_end end,
                    void *context)
{
	uint64_t start = thread->starts->starts[level - thread->stack - 1], length = now - start;
	const struct monocle__kept *kept = thread->kept ? &thread->kept[level - thread->stack] : NULL;
	int saved_errno = errno;
	size_t size;
	MONOCLE__INVARIANT (level > thread->stack && level - thread->stack < MONOCLE__WATCHED_LEVELS);
	if ((int64_t) length > 0 && is_slow (thread->spool, length)) {
		struct monocle__slow_record head = { .length = length, .start = start, .node = *level };
		monocle_kit_slow_call call = {
			.size = sizeof call,
			.end = end,
			.method = (void *) (uintptr_t) thread->nodes[*level].key,
			.kept = kept ? thread->keep + kept->at : NULL,
			.kept_size = kept ? kept->length : 0,
			.context = context,
		};
		char *buffer = monocle__thread_buffer (thread, &size);
		MONOCLE__INVARIANT (size >= MONOCLE_KIT_ARGUMENTS_SIZE + MONOCLE_KIT_RESULT_SIZE);
		list (thread, &head, &call, buffer);
	}
	thread->slow = __atomic_load_n (&thread->spool->watch->slow, __ATOMIC_RELAXED);
	errno = saved_errno;
}

/* --- calls that have not ended ------------------------------------------------------------------------------------ */

/* The node of the call that is open at this level; 0: none, or it is in a fold. */
static uint32_t
open_node (const struct monocle__call_thread *thread, uint32_t level)
{
	uint32_t index = __atomic_load_n (&thread->record->current, __ATOMIC_ACQUIRE), depth = 0;
	for (uint32_t at = index; at && thread->nodes[at].parent; at = thread->nodes[at].parent) {
		bool is_fold = thread->nodes[at].key == MONOCLE_KIT_FRAME_OTHER;
		index = is_fold ? thread->nodes[at].parent : index;
		depth = is_fold ? 0 : depth + 1;
	}
	for (; depth > level; depth--)
		index = thread->nodes[index].parent;
	return depth == level && level <= thread->spool->header->max_depth ? index : 0;
}

/* What is kept of the call, as a copy; its thread may go on, and then there is nothing in it. */
static void *
copy_kept (const struct monocle__call_thread *thread, uint32_t level, size_t *ret_size)
{
	const struct monocle__kept *of = thread->kept ? &thread->kept[level] : NULL;
	struct monocle__kept kept = of ? *of : (struct monocle__kept) { 0, 0 };
	bool is_whole = kept.length && kept.at <= MONOCLE__KEEP_SIZE && kept.length <= MONOCLE__KEEP_SIZE - kept.at;
	void *copy = is_whole ? malloc (kept.length) : NULL;
	if (copy)
		memcpy (copy, thread->keep + kept.at, kept.length);
	*ret_size = copy ? kept.length : 0;
	return copy;
}

/* One level of a thread that may go on: what was read is believed if the call is still the same after that. */
static void
list_open (const struct monocle__call_thread *thread, uint32_t level, uint32_t node, uint64_t now)
{
	const uint64_t *start = &thread->starts->starts[level - 1];
	struct monocle__slow_record head = { .start = __atomic_load_n (start, __ATOMIC_ACQUIRE), .node = node };
	char buffer[MONOCLE_KIT_ARGUMENTS_SIZE + MONOCLE_KIT_RESULT_SIZE];
	head.length = now - head.start;
	if ((int64_t) head.length <= 0 || !is_slow (thread->spool, head.length))
		return;
	monocle_kit_slow_call call = { .size = sizeof call, .end = MONOCLE_KIT_UNFINISHED };
	call.method = (void *) (uintptr_t) thread->nodes[node].key;
	void *kept = copy_kept (thread, level, &call.kept_size);
	call.kept = kept;
	__atomic_thread_fence (__ATOMIC_ACQUIRE);
	if (open_node (thread, level) == node && __atomic_load_n (start, __ATOMIC_ACQUIRE) == head.start)
		list (thread, &head, &call, buffer);
	free (kept);
}

static void
list_open_calls (struct monocle__call_thread *thread, void *data)
{
	uint32_t node, level = 1;
	if (!thread->record || !thread->starts || !__atomic_load_n (&thread->starts->thread, __ATOMIC_RELAXED) ||
	    __atomic_load_n (&thread->record->ended, __ATOMIC_ACQUIRE))
		return;
	uint64_t now = monocle__clock_now ();
	uint64_t stopped = __atomic_load_n (&thread->spool->header->stopped, __ATOMIC_RELAXED);
	if (stopped && stopped < now)
		now = stopped;
	for (; level < MONOCLE__WATCHED_LEVELS && (node = open_node (thread, level)); level++)
		list_open (thread, level, node, now);
	__atomic_store_n (&thread->starts->thread, 0, __ATOMIC_RELAXED); /* A reader need not look for them. */
}

void
monocle__slow_finish (monocle_kit_spool *spool)
{
	struct monocle__watch *watch = spool->watch;
	if (!watch)
		return;
	pthread_mutex_lock (&watch->lock);
	watch->phase = CLOSING;
	watch->closer = pthread_self ();
	pthread_mutex_unlock (&watch->lock);
	monocle__call_thread_each (list_open_calls, NULL);
	pthread_mutex_lock (&watch->lock);
	watch->phase = CLOSED;
	pthread_mutex_unlock (&watch->lock);
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
	thread->kept = NULL;
	thread->keep = NULL;
	thread->starts = NULL;
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
monocle__slow_free (struct monocle__watch *watch)
{
	if (!watch)
		return;
	free (watch->heap);
	free (watch->extents);
	free (watch);
}

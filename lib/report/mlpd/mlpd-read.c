/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-read.c - a file of Mono's log profiler as a profile.
 *
 * One walk over the events adds up what they say, by thread and path, with addresses in place of names. Names follow at
 * the end, because a file may name a method or class after it was used first. An object has the type that it was
 * allocated with, wherever collections moved it since: the runtime writes all threads' events before each of them, so
 * that allocations, moves and what is done with objects are in order in the file.
 */
#include "bytes.h"
#include "format.h"
#include "mlpd-sums.h"
#include "mlpd.h"

#include <stdio.h>

typedef struct {
	monocle__mlpd_sums sums;
	monocle__mlpd_thread *thread; /* of the event */
	const monocle__mlpd_event *event;
	bool has_begun; /* there was an event */
} reader;

/* --- paths -------------------------------------------------------------------------------------------------------- */

static uint32_t
child (reader *r, uint32_t parent, monocle__mlpd_frame_kind kind, uint64_t address)
{
	return parent ? monocle__mlpd_paths_child (&r->sums.paths, parent, kind, address) : 0;
}

/* Where the event happened: its own frames, which go outwards from the end, or else the calls that are open. */
static uint32_t
event_path (reader *r, monocle__topic topic)
{
	const monocle__mlpd_list *frames = &r->event->frames;
	uint32_t path;
	if (!r->event->has_frames)
		return monocle__mlpd_threads_stack (&r->sums.threads, r->thread, topic);
	path = monocle__mlpd_threads_root (&r->sums.threads, r->thread, topic);
	for (size_t i = 0; i < frames->count; i++)
		path = child (r, path, MONOCLE__MLPD_FRAME_METHOD, frames->items[i]);
	return path;
}

static bool
add (reader *r, uint32_t path, int64_t first, int64_t second)
{
	if (path)
		monocle__mlpd_path_add (&r->sums.paths, path, first, second);
	return path != 0;
}

static int64_t
amount (uint64_t number)
{
	return number < INT64_MAX ? (int64_t) number : INT64_MAX;
}

/* As the address of a frame: the number, and when it was. */
static uint64_t
numbered (const reader *r, uint64_t number)
{
	uint64_t most = (UINT64_C (1) << MONOCLE__MLPD_NUMBER_SHIFT) - 1, moment = 0;
	if (r->event->time > r->sums.begin)
		moment = (r->event->time - r->sums.begin) / 1000;
	return number << MONOCLE__MLPD_NUMBER_SHIFT | (moment < most ? moment : most);
}

/* --- events: false means that there is no memory ------------------------------------------------------------------ */

static bool
read_alloc (reader *r, const uint64_t *numbers)
{
	uint32_t path = event_path (r, MONOCLE__TOPIC_ALLOC);
	return monocle__mlpd_objects_set (&r->sums.objects, numbers[1], numbers[0]) &&
	       add (r, child (r, path, r->sums.type_kind, numbers[0]), 1, amount (numbers[2]));
}

static bool
read_moves (reader *r, const monocle__mlpd_list *moved)
{
	monocle__mlpd_objects *objects = &r->sums.objects;
	monocle__mlpd_objects_answer (objects);
	r->sums.facts.moves += moved->count / 2;
	for (size_t i = 0; i + 1 < moved->count; i += 2) {
		if (!monocle__mlpd_objects_set (objects, moved->items[i + 1],
		                                monocle__mlpd_objects_get (objects, moved->items[i])))
			return false;
	}
	return true;
}

static void
read_step (reader *r, uint64_t what)
{
	enum { WORLD_STOP = 1 };
	if (what == WORLD_STOP)
		monocle__mlpd_objects_answer (&r->sums.objects);
}

static bool
read_collection (reader *r, const uint64_t *numbers)
{
	enum { BEGIN = 0, END = 5, GENERATIONS = 3 };
	monocle__mlpd_thread *thread = r->thread;
	uint64_t generation = numbers[1];
	r->sums.facts.odd += generation >= GENERATIONS && numbers[0] == BEGIN;
	if (generation >= GENERATIONS || (numbers[0] != BEGIN && numbers[0] != END))
		return true;
	if (numbers[0] == END) {
		uint32_t path = thread->collection[generation];
		uint64_t begin = thread->collection_begin[generation];
		thread->collection[generation] = 0;
		return !path || add (r, path, 0, r->event->time > begin ? amount (r->event->time - begin) : 0);
	}
	uint32_t path = monocle__mlpd_threads_root (&r->sums.threads, thread, MONOCLE__TOPIC_GC);
	path = child (r, path, MONOCLE__MLPD_FRAME_GENERATION, generation);
	path = child (r, path, MONOCLE__MLPD_FRAME_COLLECTION, numbered (r, ++r->sums.facts.collections));
	thread->collection[generation] = path;
	thread->collection_begin[generation] = r->event->time;
	return add (r, path, 1, 0);
}

static bool
read_handle (reader *r, uint64_t kind, bool is_created)
{
	uint32_t path = child (r, event_path (r, MONOCLE__TOPIC_HANDLES), MONOCLE__MLPD_FRAME_HANDLE, kind);
	if (kind < MONOCLE__MLPD_HANDLE_KINDS) {
		uint64_t *live = &r->sums.facts.handles[kind], *most = &r->sums.facts.most_handles[kind];
		*live += is_created ? 1 : *live > 0 ? UINT64_MAX : 0;
		*most = *live > *most ? *live : *most;
	}
	return add (r, path, !is_created, is_created);
}

/* An exception is allocated on the thread that throws it, so that its type is known by now. */
static bool
read_throw (reader *r, uint64_t exception)
{
	uint64_t type = monocle__mlpd_objects_get (&r->sums.objects, exception);
	monocle__mlpd_frame_kind kind = type ? r->sums.type_kind : MONOCLE__MLPD_FRAME_UNKNOWN;
	return add (r, child (r, event_path (r, MONOCLE__TOPIC_EXCEPTIONS), kind, type), 0, 1);
}

static bool
read_clause (reader *r, const uint64_t *numbers)
{
	uint32_t path = monocle__mlpd_threads_root (&r->sums.threads, r->thread, MONOCLE__TOPIC_EXCEPTIONS);
	path = child (r, path, MONOCLE__MLPD_FRAME_METHOD, numbers[2]);
	return add (r, child (r, path, MONOCLE__MLPD_FRAME_CLAUSE, numbers[0]), 1, 0);
}

/* Waiting ends with the thread's next event that says that it has a lock, or gave up. */
static bool
read_lock (reader *r, const uint64_t *numbers)
{
	enum { CONTENTION = 1, ACQUIRED = 2, FAILED = 3 };
	monocle__mlpd_thread *thread = r->thread;
	uint32_t path = thread->contention;
	if (numbers[0] == CONTENTION) {
		size_t question = monocle__mlpd_objects_ask (&r->sums.objects, numbers[1]);
		if (question == SIZE_MAX)
			return false;
		path = event_path (r, MONOCLE__TOPIC_MONITOR);
		path = child (r, path, MONOCLE__MLPD_FRAME_ASKED, question);
		path = child (r, path, MONOCLE__MLPD_FRAME_LOCK, numbers[1]);
		thread->contention = path;
		thread->contention_begin = r->event->time;
		return add (r, path, 1, 0);
	}
	r->sums.facts.acquired += numbers[0] == ACQUIRED;
	r->sums.facts.failed += numbers[0] == FAILED;
	if (path && r->event->time > thread->contention_begin)
		add (r, path, 0, amount (r->event->time - thread->contention_begin));
	thread->contention = 0;
	return true;
}

static bool
begin_shot (reader *r)
{
	uint32_t path = monocle__mlpd_threads_root (&r->sums.threads, r->thread, MONOCLE__TOPIC_HEAPSHOT);
	r->thread->shot = child (r, path, MONOCLE__MLPD_FRAME_SHOT, numbered (r, ++r->sums.facts.shots));
	return r->thread->shot != 0;
}

/* What goes on with the references of an object that was told already has the size 0. */
static bool
read_heap_object (reader *r, const uint64_t *numbers)
{
	if (numbers[2] == 0)
		return true;
	if (!r->thread->shot) {
		r->sums.facts.homeless++;
		return true;
	}
	return monocle__mlpd_objects_set (&r->sums.objects, numbers[0], numbers[1]) &&
	       add (r, child (r, r->thread->shot, r->sums.type_kind, numbers[1]), 1, amount (numbers[2]));
}

/* The thread of a sample is told in it: the buffer is of a helper. */
static bool
read_hit (reader *r)
{
	const monocle__mlpd_list *frames = &r->event->frames, *addresses = &r->event->items;
	monocle__mlpd_thread *thread = monocle__mlpd_threads_get (&r->sums.threads, r->event->numbers[0]);
	uint32_t path = thread ? monocle__mlpd_threads_root (&r->sums.threads, thread, MONOCLE__TOPIC_SAMPLES) : 0;
	for (size_t i = frames->count; i > 0; i--)
		path = child (r, path, MONOCLE__MLPD_FRAME_METHOD, frames->items[i - 1]);
	for (size_t i = 0; i < addresses->count && path; i++) {
		if (!add (r, child (r, path, MONOCLE__MLPD_FRAME_CODE, addresses->items[i]), 0, 1))
			return false;
	}
	return path != 0;
}

static bool
name_thread (reader *r, const monocle__mlpd_event *event)
{
	monocle__mlpd_thread *thread = monocle__mlpd_threads_get (&r->sums.threads, event->numbers[0]);
	if (thread)
		thread->name = event->text;
	return thread != NULL;
}

static bool
read_event (reader *r)
{
	const monocle__mlpd_event *event = r->event;
	const uint64_t *numbers = event->numbers;
	switch (event->kind) {
	case MONOCLE__MLPD_ALLOC:
	case MONOCLE__MLPD_ALLOC_CLASS: return read_alloc (r, numbers);
	case MONOCLE__MLPD_GC: return read_collection (r, numbers);
	case MONOCLE__MLPD_RESIZE:
		r->sums.facts.resizes++;
		r->sums.facts.largest = numbers[0] > r->sums.facts.largest ? numbers[0] : r->sums.facts.largest;
		return true;
	case MONOCLE__MLPD_MOVE: return read_moves (r, &event->items);
	case MONOCLE__MLPD_HANDLE_CREATED: return read_handle (r, numbers[0], true);
	case MONOCLE__MLPD_HANDLE_DESTROYED: return read_handle (r, numbers[0], false);
	case MONOCLE__MLPD_THREAD_NAME: return name_thread (r, event);
	case MONOCLE__MLPD_ENTER: return monocle__mlpd_threads_enter (&r->sums.threads, r->thread, numbers[0], event->time);
	case MONOCLE__MLPD_LEAVE:
		monocle__mlpd_threads_leave (&r->sums.threads, r->thread, numbers[0], event->time);
		return true;
	case MONOCLE__MLPD_STEP: read_step (r, numbers[0]); return true;
	case MONOCLE__MLPD_THROW: return read_throw (r, numbers[0]);
	case MONOCLE__MLPD_CLAUSE: return read_clause (r, numbers);
	case MONOCLE__MLPD_MONITOR: return read_lock (r, numbers);
	case MONOCLE__MLPD_HEAP_BEGIN: return begin_shot (r);
	case MONOCLE__MLPD_HEAP_END: r->thread->shot = 0; return true;
	case MONOCLE__MLPD_HEAP_CLASS:
	case MONOCLE__MLPD_HEAP_OBJECT: return read_heap_object (r, numbers);
	case MONOCLE__MLPD_HIT: return read_hit (r);
	default: return monocle__mlpd_names_add (&r->sums.names, event);
	}
}

static bool
read_events (reader *r)
{
	while ((r->event = monocle__mlpd_decode_next (&r->sums.decoder))) {
		r->thread = monocle__mlpd_threads_get (&r->sums.threads, r->event->thread);
		if (!r->thread)
			return false;
		if (!r->has_begun)
			r->sums.begin = r->sums.end =
			    r->sums.decoder.header.start_ns ? r->sums.decoder.header.start_ns : r->event->time;
		r->has_begun = true;
		r->thread->last = r->event->time;
		if ((int64_t) (r->event->time - r->sums.end) > 0)
			r->sums.end = r->event->time;
		if (!read_event (r))
			return false;
	}
	return !r->sums.decoder.no_memory;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* NULL, or what is wrong, which `buffer` may hold. */
static const char *
read_file (reader *r, const void *bytes, size_t size, char *buffer, size_t buffer_size)
{
	monocle__mlpd_sums *sums = &r->sums;
	if (!monocle__mlpd_decode_init (&sums->decoder, bytes, size))
		return sums->decoder.problem;
	sums->type_kind = sums->decoder.header.format < 15 ? MONOCLE__MLPD_FRAME_CLASS : MONOCLE__MLPD_FRAME_VTABLE;
	if (!read_events (r))
		return monocle__profile_no_memory (sums->profile);
	if (r->has_begun || !sums->decoder.is_damaged)
		return monocle__mlpd_sums_finish (sums, buffer, buffer_size);
	snprintf (buffer, buffer_size, "damaged: %s", sums->decoder.problem);
	return buffer;
}

static void
sums_done (monocle__mlpd_sums *sums)
{
	monocle__mlpd_decode_done (&sums->decoder);
	monocle__mlpd_names_done (&sums->names);
	monocle__mlpd_threads_done (&sums->threads);
	monocle__mlpd_paths_done (&sums->paths);
	monocle__mlpd_objects_done (&sums->objects);
}

int
monocle__mlpd_parse (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile, char *error,
                     size_t error_size)
{
	monocle__profile *profile = monocle__profile_new (allowance);
	reader r = {
		.sums = { .profile = profile, .names.profile = profile, .paths.profile = profile, .objects.profile = profile }
	};
	const char *problem;
	char buffer[256];
	r.sums.threads.paths = &r.sums.paths;
	problem = profile ? read_file (&r, bytes, size, buffer, sizeof buffer) : "out of memory";
	if (problem)
		snprintf (error, error_size, "%s", problem);
	sums_done (&r.sums);
	if (problem)
		monocle__profile_free (profile);
	else
		*ret_profile = profile;
	return problem ? -1 : 0;
}

bool
monocle__mlpd_recognise (const char *bytes, size_t size)
{
	return size >= 4 && monocle__le32 ((const uint8_t *) bytes) == MONOCLE__MLPD_MAGIC;
}

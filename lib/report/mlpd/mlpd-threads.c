/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-threads.c - see mlpd-threads.h.
 *
 * Calls that are deeper than a profile goes become children of the deepest one, as in the profiles of the module
 * `calls`; so a path is never longer, however deep a file says that its calls were.
 */
#include "mlpd-threads.h"

#include "array.h"

enum { DEEPEST = 4096 }; /* MONOCLE_KIT_MAX_DEPTH of the module */

void
monocle__mlpd_threads_done (monocle__mlpd_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		free (threads->items[i].calls);
	free (threads->items);
	monocle__mlpd_map_done (&threads->by_id);
}

monocle__mlpd_thread *
monocle__mlpd_threads_get (monocle__mlpd_threads *threads, uint64_t id)
{
	monocle__profile *profile = threads->paths->profile;
	uint64_t *index = monocle__mlpd_map_at (&threads->by_id, profile, id);
	if (!index || *index)
		return index ? &threads->items[*index - 1] : NULL;
	if (threads->count >= UINT32_MAX || !monocle__profile_take (profile, sizeof *threads->items) ||
	    !MONOCLE__RESERVE (threads->items, threads->capacity, threads->count + 1))
		return NULL;
	threads->items[threads->count] = (monocle__mlpd_thread) { .id = id };
	*index = ++threads->count;
	return &threads->items[*index - 1];
}

uint32_t
monocle__mlpd_threads_root (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, monocle__topic topic)
{
	if (!thread->roots[topic])
		thread->roots[topic] =
		    monocle__mlpd_paths_child (threads->paths, (uint32_t) (thread - threads->items), MONOCLE__MLPD_ROOT, topic);
	return thread->roots[topic];
}

/* The path of the call at `level`, whose caller has one. */
static uint32_t
child_path (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, monocle__topic topic, size_t level)
{
	size_t caller = level < DEEPEST ? level : DEEPEST; /* counted from 1 */
	uint32_t parent =
	    caller ? thread->calls[caller - 1].paths[topic] : monocle__mlpd_threads_root (threads, thread, topic);
	if (!parent)
		return 0;
	return monocle__mlpd_paths_child (threads->paths, parent, MONOCLE__MLPD_FRAME_METHOD, thread->calls[level].method);
}

uint32_t
monocle__mlpd_threads_stack (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, monocle__topic topic)
{
	size_t known = thread->depth;
	while (known > 0 && !thread->calls[known - 1].paths[topic])
		known--;
	for (; known < thread->depth; known++) {
		thread->calls[known].paths[topic] = child_path (threads, thread, topic, known);
		if (!thread->calls[known].paths[topic])
			return 0;
	}
	return thread->depth ? thread->calls[thread->depth - 1].paths[topic]
	                     : monocle__mlpd_threads_root (threads, thread, topic);
}

bool
monocle__mlpd_threads_enter (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, uint64_t method,
                             uint64_t time)
{
	size_t capacity = thread->capacity;
	if (!MONOCLE__RESERVE (thread->calls, thread->capacity, thread->depth + 1) ||
	    !monocle__profile_take (threads->paths->profile, (thread->capacity - capacity) * sizeof *thread->calls))
		return false;
	thread->calls[thread->depth++] = (monocle__mlpd_call) { .method = method, .begin = time };
	return monocle__mlpd_threads_stack (threads, thread, MONOCLE__TOPIC_CALLS) != 0;
}

/* Clocks of a damaged file go backwards: what took less than nothing took none. */
static uint64_t
passed (uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

void
monocle__mlpd_threads_leave (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, uint64_t method,
                             uint64_t time)
{
	monocle__mlpd_call *call = thread->depth ? &thread->calls[thread->depth - 1] : NULL;
	uint64_t whole, own;
	if (!call || call->method != method) {
		threads->unmatched++;
		return;
	}
	whole = passed (call->begin, time);
	own = passed (call->inside, whole);
	monocle__mlpd_path_add (threads->paths, call->paths[MONOCLE__TOPIC_CALLS], 1,
	                        own < INT64_MAX ? (int64_t) own : INT64_MAX);
	if (--thread->depth)
		call[-1].inside += whole;
}

void
monocle__mlpd_threads_end (monocle__mlpd_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++) {
		monocle__mlpd_thread *thread = &threads->items[i];
		while (thread->depth)
			monocle__mlpd_threads_leave (threads, thread, thread->calls[thread->depth - 1].method, thread->last);
	}
}

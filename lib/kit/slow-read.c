/*
 * SPDX-License-Identifier: MIT
 *
 * slow-read.c - the slow calls of a spool: those that are listed in it, and those that had not ended.
 *
 * A call that had not ended is known by what its thread wrote at each enter: the node that runs, whose parents are the
 * calls around it, and when each level began. So it is there after SIGKILL, too. Where calls are folded, the levels of
 * the fold cannot be told apart and are left out. Nothing in the file is trusted.
 */
#include "slow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "invariant.h"

struct list {
	struct monocle__slow_call *calls;
	uint32_t count, room;
};

struct collector {
	const struct monocle__spool_view *view;
	const struct monocle__thread_record **threads; /* by number */
	uint32_t thread_count, thread_room;
	struct list listed, unfinished;
	bool failed;
};

/* Room for one more in a table that doubles. False: no memory. */
static bool
has_room (void **table, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return true;
	uint32_t more = *room ? *room * 2 : 64;
	void *larger = realloc (*table, more * size);
	if (!larger)
		return false;
	*table = larger;
	*room = more;
	return true;
}

static void
add (struct collector *collector, struct list *list, const struct monocle__slow_call *call)
{
	if (has_room ((void **) &list->calls, list->count, &list->room, sizeof *list->calls))
		list->calls[list->count++] = *call;
	else
		collector->failed = true;
}

/* --- those that are listed ---------------------------------------------------------------------------------------- */

static void
on_slow (void *data, const struct monocle__slow_record *record, uint32_t size)
{
	struct collector *collector = data;
	struct monocle__slow_call call = { .length = __atomic_load_n (&record->length, __ATOMIC_ACQUIRE) };
	call.start = record->start;
	call.node = record->node;
	call.tid = record->tid;
	call.end = (monocle_kit_end) record->end;
	call.name_length = record->name_length;
	call.arguments_length = record->arguments_length;
	call.result_length = record->result_length;
	uint64_t text = (uint64_t) call.name_length + call.arguments_length + call.result_length;
	if (!call.length || call.end > MONOCLE_KIT_UNFINISHED || text > size - sizeof *record || collector->failed)
		return;
	call.name = record->text;
	call.arguments = call.name + call.name_length;
	call.result = call.arguments + call.arguments_length;
	add (collector, &collector->listed, &call);
}

/* --- those that had not ended ------------------------------------------------------------------------------------- */

static void
on_thread (void *data, uint32_t number, const struct monocle__thread_record *record)
{
	struct collector *collector = data;
	if (!has_room ((void **) &collector->threads, number, &collector->thread_room, sizeof *collector->threads)) {
		collector->failed = true;
		return;
	}
	collector->threads[number] = record;
	collector->thread_count = number;
}

/* The nodes of the open calls of a thread, from the innermost on; how many. */
static uint32_t
open_nodes (const struct monocle__spool_view *view, const struct monocle__thread_record *record,
            uint32_t nodes[MONOCLE_KIT_MAX_DEPTH + 2])
{
	uint32_t count = 0, index = __atomic_load_n (&record->current, __ATOMIC_RELAXED);
	const struct monocle__node *node = monocle__spool_view_node (view, index);
	while (node && node->parent) {
		if (count == MONOCLE_KIT_MAX_DEPTH + 2)
			return 0;
		nodes[count++] = index;
		if (node->key == MONOCLE_KIT_FRAME_OTHER)
			count = 0; /* Calls in a fold cannot be told apart. */
		index = node->parent;
		node = monocle__spool_view_node (view, index);
	}
	return node ? count : 0;
}

static void
on_starts (void *data, const struct monocle__starts *starts)
{
	struct collector *collector = data;
	const struct monocle__spool_view *view = collector->view;
	uint32_t nodes[MONOCLE_KIT_MAX_DEPTH + 2];
	uint64_t thread = __atomic_load_n (&starts->thread, __ATOMIC_RELAXED);
	uint32_t number = (uint32_t) thread;
	if (collector->failed || !number || number > collector->thread_count)
		return;
	const struct monocle__thread_record *record = collector->threads[number];
	if (__atomic_load_n (&record->ended, __ATOMIC_ACQUIRE))
		return;
	struct monocle__slow_call call = { .tid = (uint32_t) (thread >> 32), .end = MONOCLE_KIT_UNFINISHED };
	call.name_length = __atomic_load_n (&record->name_length, __ATOMIC_ACQUIRE);
	call.name = record->name;
	if (call.name_length >= sizeof record->name)
		call.name_length = 0;
	uint32_t count = open_nodes (view, record, nodes);
	for (uint32_t level = 1; level <= count && level <= view->header->max_depth && !collector->failed; level++) {
		MONOCLE__INVARIANT (level < MONOCLE__WATCHED_LEVELS);
		call.start = __atomic_load_n (&starts->starts[level - 1], __ATOMIC_RELAXED);
		call.length = view->end_ticks - call.start;
		call.node = nodes[count - level];
		if (call.start && call.start < view->end_ticks &&
		    monocle__spool_view_ns (view, call.length) >= view->header->threshold_ns)
			add (collector, &collector->unfinished, &call);
	}
}

/* --- all together ------------------------------------------------------------------------------------------------- */

/* The longest first; of equal ones the earlier. */
static int
compare_calls (const void *pa, const void *pb)
{
	const struct monocle__slow_call *a = pa, *b = pb;
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static void
sort (struct list *list)
{
	if (list->count)
		qsort (list->calls, list->count, sizeof *list->calls, compare_calls);
}

int
monocle__slow_calls_init (struct monocle__slow_calls *slow, const struct monocle__spool_view *view)
{
	struct collector collector = { .view = view };
	struct monocle__spool_visitor visitor = { &collector, .thread = on_thread, .slow = on_slow, .starts = on_starts };
	memset (slow, 0, sizeof *slow);
	if (view->header->threshold_ns && view->rate > 0)
		monocle__spool_view_visit (view, &visitor);
	sort (&collector.unfinished);
	slow->unfinished = collector.unfinished.count;
	if (collector.unfinished.count > view->header->slow_limit)
		collector.unfinished.count = view->header->slow_limit;
	for (uint32_t i = 0; i < collector.unfinished.count && !collector.failed; i++)
		add (&collector, &collector.listed, &collector.unfinished.calls[i]);
	sort (&collector.listed);
	free (collector.threads);
	free (collector.unfinished.calls);
	slow->calls = collector.listed.calls;
	slow->count = collector.listed.count;
	if (collector.failed)
		monocle__slow_calls_done (slow);
	return collector.failed ? -ENOMEM : 0;
}

void
monocle__slow_calls_done (struct monocle__slow_calls *slow)
{
	free (slow->calls);
	memset (slow, 0, sizeof *slow);
}

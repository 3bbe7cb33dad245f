/*
 * SPDX-License-Identifier: MIT
 *
 * spool-read.c - reading a spool, of a dead process or of a running one.
 *
 * Nothing in the file is trusted but its counts, and those only as far as the file reaches. What is read while its
 * owner still writes is read with relaxed atomics.
 */
#include "invariant.h"
#include "spool-name.h"
#include "spool.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define load(pointer)       __atomic_load_n (pointer, __ATOMIC_RELAXED)
#define load_count(pointer) __atomic_load_n (pointer, __ATOMIC_ACQUIRE)

static const struct monocle__extent *
extent_at (const struct monocle__spool_view *view, uint32_t index)
{
	return (const struct monocle__extent *) ((const uint8_t *) view->header + (size_t) index * MONOCLE__EXTENT_SIZE);
}

/* How many bytes there are after the extent's header. */
static size_t
extent_length (const struct monocle__extent *extent)
{
	uint32_t used = load_count (&extent->used);
	if (used < MONOCLE__EXTENT_HEADER)
		return 0;
	return (used > MONOCLE__EXTENT_SIZE ? MONOCLE__EXTENT_SIZE : used) - MONOCLE__EXTENT_HEADER;
}

static const uint8_t *
extent_bytes (const struct monocle__extent *extent)
{
	return (const uint8_t *) extent + MONOCLE__EXTENT_HEADER;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

#define has_end(array) (memchr (array, '\0', sizeof array) != NULL)

static const char *
find_damage (const struct monocle__spool_header *header, size_t size)
{
	if (size < MONOCLE__EXTENT_SIZE || header->magic != MONOCLE__SPOOL_MAGIC)
		return "it is not a spool";
	if (header->version != MONOCLE__SPOOL_VERSION || header->header_size != sizeof *header)
		return "it was written by another version of Monocle";
	if (!has_end (header->boot_id) || !has_end (header->module) || !has_end (header->host) ||
	    !has_end (header->program) || !has_end (header->runtime) || !has_end (header->desc) ||
	    !has_end (header->output) || !has_end (header->run_directory) || !has_end (header->values[0].type) ||
	    !has_end (header->values[0].unit) || !has_end (header->values[1].type) || !has_end (header->values[1].unit) ||
	    header->value_count - 1 > 1 || header->period_value >= header->value_count)
		return "its header is damaged";
	return NULL;
}

uint64_t
monocle__spool_view_ns (const struct monocle__spool_view *view, uint64_t ticks)
{
	double ns = (double) ticks * view->rate + 0.5;
	return ns < (double) INT64_MAX ? (uint64_t) ns : INT64_MAX;
}

/* --- time --------------------------------------------------------------------------------------------------------- */

static bool
is_this_boot (const struct monocle__spool_header *header)
{
	char boot_id[40];
	monocle__process_start_boot_id (boot_id);
	return !strcmp (boot_id, header->boot_id); /* Where there is no /proc, both are empty. */
}

static bool
has_our_clock (const struct monocle__spool_header *header)
{
	return *header->boot_id && is_this_boot (header) && monocle__ticks_are_invariant ();
}

static double
fit_rate (const struct monocle__spool_header *header, uint32_t pair_count)
{
	if (!(header->flags & MONOCLE__SPOOL_TICKS))
		return 1;
	struct monocle__clock_pair first = header->pairs[0], last = header->pairs[pair_count - 1];
	/* A pair of now serves a process that died too early to write a second one: its counter is still the machine's. */
	if (last.ns - first.ns < 5000000u && has_our_clock (header))
		last = monocle__clock_pair_now (true);
	return monocle__clock_rate (first, last);
}

static void
see_latest (void *data, uint32_t number, const struct monocle__thread_record *record)
{
	uint64_t *latest = data, last = load (&record->last);
	(void) number;
	if (last > *latest)
		*latest = last;
}

static void
measure_time (struct monocle__spool_view *view)
{
	const struct monocle__spool_header *header = view->header;
	uint32_t pair_count = load_count (&header->pair_count);
	if (!pair_count || pair_count > MONOCLE__PAIR_COUNT)
		return;
	view->rate = fit_rate (header, pair_count);
	view->end_ticks = header->pairs[pair_count - 1].ticks;
	if (load (&header->heartbeat) > view->end_ticks)
		view->end_ticks = load (&header->heartbeat);
	struct monocle__spool_visitor visitor = { .data = &view->end_ticks, .thread = see_latest };
	if (!(header->flags & MONOCLE__SPOOL_CPU))
		monocle__spool_view_visit (view, &visitor);
	uint64_t stopped = load (&header->stopped);
	if (stopped && stopped < view->end_ticks)
		view->end_ticks = stopped;
	if (view->end_ticks > header->pairs[0].ticks)
		view->duration_ns = monocle__spool_view_ns (view, view->end_ticks - header->pairs[0].ticks);
}

int
monocle__spool_view_init (struct monocle__spool_view *view, const void *base, size_t size, const char **ret_error)
{
	const struct monocle__spool_header *header = base;
	const char *damage = find_damage (header, size);
	if (damage) {
		*ret_error = damage;
		return -1;
	}
	*view = (struct monocle__spool_view) { .header = header, .size = size };
	view->extent_count = load_count (&header->extent_count);
	if (view->extent_count > size / MONOCLE__EXTENT_SIZE)
		view->extent_count = (uint32_t) (size / MONOCLE__EXTENT_SIZE);
	MONOCLE__INVARIANT ((size_t) view->extent_count * MONOCLE__EXTENT_SIZE <= view->size);
	measure_time (view);
	return 0;
}

const struct monocle__node *
monocle__spool_view_node (const struct monocle__spool_view *view, uint32_t index)
{
	size_t at = (size_t) index * sizeof (struct monocle__node), in_extent = at % MONOCLE__EXTENT_SIZE;
	uint32_t number = (uint32_t) (at / MONOCLE__EXTENT_SIZE);
	const struct monocle__node *node = (const struct monocle__node *) view->header + index;
	if (number == 0 || number >= view->extent_count || in_extent < MONOCLE__EXTENT_HEADER)
		return NULL;
	const struct monocle__extent *extent = extent_at (view, number);
	if (extent->kind != MONOCLE__EXTENT_NODES ||
	    in_extent + sizeof *node > MONOCLE__EXTENT_HEADER + extent_length (extent) || node->parent >= index)
		return NULL;
	return node;
}

bool
monocle__spool_view_is_alive (const struct monocle__spool_view *view)
{
	const struct monocle__spool_header *header = view->header;
	if (!is_this_boot (header))
		return false;
	if (!header->process_start)
		return kill ((pid_t) header->pid, 0) == 0 || errno == EPERM;
	return monocle__process_start ((pid_t) header->pid) == header->process_start;
}

/* --- visiting ----------------------------------------------------------------------------------------------------- */

static void
visit_names (const struct monocle__extent *extent, const struct monocle__spool_visitor *visitor)
{
	const uint8_t *at = extent_bytes (extent);
	size_t left = extent_length (extent);
	while (left >= sizeof (struct monocle__name_record)) {
		const struct monocle__name_record *record = (const struct monocle__name_record *) at;
		size_t text = (size_t) record->name_length + record->image_length;
		size_t size = (sizeof *record + text + 7) & ~(size_t) 7;
		if (size > left)
			return;
		MONOCLE__INVARIANT ((const uint8_t *) (record + 1) + text <= (const uint8_t *) extent + MONOCLE__EXTENT_SIZE);
		const char *first = (const char *) (record + 1);
		const struct monocle__spool_name name = { first, first + record->name_length, record->name_length,
			                                      record->image_length, record->origin };
		visitor->name (visitor->data, record->key, &name);
		at += size;
		left -= size;
	}
}

static void
visit_threads (const struct monocle__extent *extent, const struct monocle__spool_visitor *visitor, uint32_t *number)
{
	const struct monocle__thread_record *record = (const struct monocle__thread_record *) extent_bytes (extent);
	MONOCLE__INVARIANT (extent_length (extent) <= MONOCLE__EXTENT_SIZE - MONOCLE__EXTENT_HEADER);
	for (size_t count = extent_length (extent) / sizeof *record; count; count--)
		visitor->thread (visitor->data, ++*number, record++);
}

static void
visit_nodes (const struct monocle__spool_view *view, const struct monocle__extent *extent,
             const struct monocle__spool_visitor *visitor)
{
	const struct monocle__node *first = (const struct monocle__node *) view->header;
	const struct monocle__node *node = (const struct monocle__node *) extent_bytes (extent);
	for (size_t count = extent_length (extent) / sizeof *node; count; count--, node++) {
		uint32_t index = (uint32_t) (node - first);
		if (node->parent < index)
			visitor->node (visitor->data, index, node);
	}
}

static void
visit_slow (const struct monocle__spool_view *view, const struct monocle__extent *extent,
            const struct monocle__spool_visitor *visitor)
{
	uint32_t size = view->header->slow_size;
	const uint8_t *at = extent_bytes (extent);
	if (size < sizeof (struct monocle__slow_record) || size % 8)
		return;
	for (size_t left = extent_length (extent); left >= size; left -= size, at += size)
		visitor->slow (visitor->data, (const struct monocle__slow_record *) at, size);
}

void
monocle__spool_view_visit (const struct monocle__spool_view *view, const struct monocle__spool_visitor *visitor)
{
	static const enum monocle__extent_kind order[] = { MONOCLE__EXTENT_NAMES, MONOCLE__EXTENT_THREADS,
		                                               MONOCLE__EXTENT_NODES, MONOCLE__EXTENT_SLOW,
		                                               MONOCLE__EXTENT_STARTS };
	uint32_t number = 0;
	for (size_t pass = 0; pass < sizeof order / sizeof *order; pass++)
		for (uint32_t i = 1; i < view->extent_count; i++) {
			const struct monocle__extent *extent = extent_at (view, i);
			if (extent->kind != order[pass])
				continue;
			if (extent->kind == MONOCLE__EXTENT_NAMES && visitor->name)
				visit_names (extent, visitor);
			else if (extent->kind == MONOCLE__EXTENT_THREADS && visitor->thread)
				visit_threads (extent, visitor, &number);
			else if (extent->kind == MONOCLE__EXTENT_NODES && visitor->node)
				visit_nodes (view, extent, visitor);
			else if (extent->kind == MONOCLE__EXTENT_SLOW && visitor->slow)
				visit_slow (view, extent, visitor);
			else if (extent->kind == MONOCLE__EXTENT_STARTS && visitor->starts)
				visitor->starts (visitor->data, (const struct monocle__starts *) extent);
		}
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static void
note_counted (void *data, uint32_t index, const struct monocle__node *node)
{
	bool *is_counted = data;
	*is_counted = *is_counted || node->calls || node->self;
}

bool
monocle__spool_view_is_wanted (const struct monocle__spool_view *view)
{
	bool is_counted = false;
	struct monocle__spool_visitor visitor = { .data = &is_counted, .node = note_counted };
	if (!(view->header->flags & MONOCLE__SPOOL_PIECES))
		return true;
	monocle__spool_view_visit (view, &visitor);
	return is_counted;
}

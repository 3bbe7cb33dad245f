/*
 * SPDX-License-Identifier: MIT
 *
 * figures.c - see figures.h. Events of Microsoft-Windows-DotNETRuntime are counted one by one, so that nothing is
 * missing when the program ends; what they do not tell is in the counters of System.Runtime, which come now and then.
 */
#include "figures.h"

#include "counter.h"

#include <math.h>
#include <string.h>

/* clang-format off */
const monocle__live_figure_row monocle__live_figure_rows[] = {
#define FIGURE(name, label, unit, kind, heading) { label, heading, MONOCLE__LIVE_##unit, MONOCLE__LIVE_##kind },
#include "figures.def"
};
/* clang-format on */

_Static_assert(sizeof monocle__live_figure_rows / sizeof *monocle__live_figure_rows == MONOCLE__LIVE_FIGURES,
               "a row for each");

enum { IS_UNKNOWN, IS_COUNTER, IS_OTHER, IS_NATIVE };

/* Why the runtime stands still: for a collection, or on the way to one. */
enum { SUSPENDED_FOR_GC = 1, SUSPENDED_FOR_GC_PREPARATION = 6 };

/* --- the runtime's own events ------------------------------------------------------------------------------------- */

static void
add (monocle__live_figures *self, monocle__live_figure figure, uint64_t more)
{
	monocle__live_figures_set (self, figure, self->values[figure] + more);
}

/* Only what is newer than what was told. */
static void
set_at (monocle__live_figures *self, monocle__live_figure figure, uint64_t time, uint64_t value)
{
	if (time < self->times[figure])
		return;
	self->times[figure] = time;
	monocle__live_figures_set (self, figure, value);
}

static void
gc_start (monocle__live_figures *self, const monocle__live_event *event)
{
	uint32_t generation = event->data.size >= 8 ? monocle__le32 (event->data.data + 4) : 3;
	if (generation <= 2)
		add (self, MONOCLE__LIVE_GC_0 + generation, 1);
}

static void
suspend_begin (monocle__live_figures *self, const monocle__live_event *event)
{
	uint32_t reason = event->data.size >= 4 ? monocle__le32 (event->data.data) : 0;
	if (reason == SUSPENDED_FOR_GC || reason == SUSPENDED_FOR_GC_PREPARATION)
		self->suspended_since = event->time;
}

static void
restart_end (monocle__live_figures *self, const monocle__live_event *event)
{
	uint64_t pause = event->time - self->suspended_since;
	if (!self->suspended_since || event->time < self->suspended_since)
		return;
	self->suspended_since = 0;
	add (self, MONOCLE__LIVE_GC_PAUSE, pause);
	if (pause > self->values[MONOCLE__LIVE_GC_PAUSE_MOST])
		monocle__live_figures_set (self, MONOCLE__LIVE_GC_PAUSE_MOST, pause);
}

/* Pairs of a size and of what survived: generations 0, 1 and 2, large objects; from version 2 on pinned ones at 94. */
static void
heap_stats (monocle__live_figures *self, const monocle__live_event *event)
{
	static const struct {
		monocle__live_figure figure;
		size_t offset;
	} parts[] = { { MONOCLE__LIVE_HEAP_0, 0 },
		          { MONOCLE__LIVE_HEAP_1, 16 },
		          { MONOCLE__LIVE_HEAP_2, 32 },
		          { MONOCLE__LIVE_HEAP_LARGE, 48 },
		          { MONOCLE__LIVE_HEAP_PINNED, 94 } };
	uint64_t sum = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts && event->data.size >= parts[i].offset + 8; i++) {
		uint64_t size = monocle__le64 (event->data.data + parts[i].offset);
		set_at (self, parts[i].figure, event->time, size);
		sum += size;
	}
	set_at (self, MONOCLE__LIVE_HEAP, event->time, sum);
}

/* --- allocations -------------------------------------------------------------------------------------------------- */

/*
 * A counter tells exactly what was allocated, now and then; an event for each 100 KB or so tells roughly, at once. So
 * events count from the last counter on. A piece of time is 2^24 ns (17 ms), and the ring holds eight seconds of them.
 */
enum { TICK_SHIFT = 24 };

static void
sum_allocated (monocle__live_figures *self)
{
	uint64_t sum = self->allocated;
	for (size_t i = 0; i < MONOCLE__LIVE_TICKS; i++)
		sum += self->ticks[i].time > self->allocated_time >> TICK_SHIFT ? self->ticks[i].bytes : 0;
	monocle__live_figures_set (self, MONOCLE__LIVE_ALLOCATED, sum);
}

/* u32 amount, u32 kind, u16, u64 amount. */
static void
allocation_tick (monocle__live_figures *self, const monocle__live_event *event)
{
	uint64_t time = event->time >> TICK_SHIFT;
	size_t slot = time % MONOCLE__LIVE_TICKS;
	if (event->data.size < 18 || time < self->ticks[slot].time)
		return;
	if (self->ticks[slot].time != time)
		self->ticks[slot].bytes = 0;
	self->ticks[slot].time = time;
	self->ticks[slot].bytes += monocle__le64 (event->data.data + 10);
	self->is_known[MONOCLE__LIVE_ALLOCATED] = true;
}

static void
allocation_counter (monocle__live_figures *self, uint64_t time, double increment)
{
	self->allocated += (uint64_t) increment;
	if (time > self->allocated_time)
		self->allocated_time = time;
	self->is_known[MONOCLE__LIVE_ALLOCATED] = true;
}

/* --- others ------------------------------------------------------------------------------------------------------- */

static void
exception_thrown (monocle__live_figures *self, const monocle__live_event *event)
{
	add (self, MONOCLE__LIVE_EXCEPTIONS, 1);
}

static void
contention_start (monocle__live_figures *self, const monocle__live_event *event)
{
	add (self, MONOCLE__LIVE_CONTENTIONS, 1);
}

/* u8 flags, u16, f64 nanoseconds. */
static void
contention_stop (monocle__live_figures *self, const monocle__live_event *event)
{
	double duration = 0;
	if (event->data.size >= 11) {
		uint64_t word = monocle__le64 (event->data.data + 3);
		memcpy (&duration, &word, sizeof duration);
	}
	if (duration > 0 && duration < 1e18)
		add (self, MONOCLE__LIVE_CONTENTION, (uint64_t) duration);
}

/* clang-format off */
static const struct {
	uint32_t id;
	void (*handle) (monocle__live_figures *self, const monocle__live_event *event);
} natives[] = {
	{ 1,  gc_start },
	{ 3,  restart_end },
	{ 4,  heap_stats },
	{ 9,  suspend_begin },
	{ 10, allocation_tick },
	{ 80, exception_thrown },
	{ 81, contention_start },
	{ 91, contention_stop },
};
/* clang-format on */

/* --- counters ----------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *name;
	monocle__live_figure figure;
	double scale;
} counters[] = {
	{ "threadpool-thread-count",         MONOCLE__LIVE_POOL_THREADS, 1 },
	{ "threadpool-queue-length",         MONOCLE__LIVE_POOL_QUEUE,   1 },
	{ "threadpool-completed-items-count", MONOCLE__LIVE_POOL_ITEMS,  1 },
	{ "methods-jitted-count",            MONOCLE__LIVE_METHODS,      1 },
	{ "time-in-jit",                     MONOCLE__LIVE_COMPILING,    1e6 },
	{ "gen-0-size",                      MONOCLE__LIVE_HEAP_0,       1 },
	{ "gen-1-size",                      MONOCLE__LIVE_HEAP_1,       1 },
	{ "gen-2-size",                      MONOCLE__LIVE_HEAP_2,       1 },
	{ "loh-size",                        MONOCLE__LIVE_HEAP_LARGE,   1 },
	{ "poh-size",                        MONOCLE__LIVE_HEAP_PINNED,  1 },
	{ "gc-heap-size",                    MONOCLE__LIVE_HEAP,         1e6 },
};
/* clang-format on */

static void
count (monocle__live_figures *self, uint64_t time, const monocle__live_counter *counter)
{
	if (!isfinite (counter->value) || counter->value < 0 || counter->value > 1e18)
		return;
	if (strcmp (counter->name, "alloc-rate") == 0 && counter->is_increment)
		allocation_counter (self, time, counter->value);
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		uint64_t value = (uint64_t) (counter->value * counters[i].scale);
		if (strcmp (counter->name, counters[i].name) != 0)
			continue;
		if (counter->is_increment)
			add (self, counters[i].figure, value);
		else
			set_at (self, counters[i].figure, time, value);
	}
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

void
monocle__live_figures_init (monocle__live_figures *figures)
{
	/* Events tell these, and where none comes there was none. */
	static const monocle__live_figure zeros[] = { MONOCLE__LIVE_GC_0,       MONOCLE__LIVE_GC_1,
		                                          MONOCLE__LIVE_GC_2,       MONOCLE__LIVE_GC_PAUSE,
		                                          MONOCLE__LIVE_EXCEPTIONS, MONOCLE__LIVE_CONTENTIONS };
	*figures = (monocle__live_figures) { 0 };
	for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
		monocle__live_figures_set (figures, zeros[i], 0);
}

static int
tag_of (const monocle__live_event_kind *kind)
{
	if (strcmp (kind->provider, "System.Runtime") == 0)
		return strcmp (kind->name, "EventCounters") == 0 ? IS_COUNTER : IS_OTHER;
	if (strcmp (kind->provider, "Microsoft-Windows-DotNETRuntime") != 0)
		return IS_OTHER;
	for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
		if (natives[i].id == kind->id)
			return IS_NATIVE + (int) i;
	}
	return IS_OTHER;
}

void
monocle__live_figures_event (const monocle__live_event *event, void *figures)
{
	monocle__live_counter counter;
	if (event->kind->tag == IS_UNKNOWN)
		event->kind->tag = tag_of (event->kind);
	if (event->kind->tag >= IS_NATIVE)
		natives[event->kind->tag - IS_NATIVE].handle (figures, event);
	else if (event->kind->tag == IS_COUNTER && monocle__live_counter_read (event, &counter))
		count (figures, event->time, &counter);
}

void
monocle__live_figures_settle (monocle__live_figures *figures)
{
	if (figures->is_known[MONOCLE__LIVE_ALLOCATED])
		sum_allocated (figures);
}

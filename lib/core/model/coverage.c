/*
 * SPDX-License-Identifier: MIT
 *
 * coverage.c - where the counters of a method are, and what Mono's function says of them.
 *
 *   host      filter -> monocle_coverage_counters (plan) -> IL that counts there
 *   module    mono_profiler_get_coverage_data () -> the host's plan of the method, beside its counters
 *
 * Counters belong to a method's definition, whose IL all instances share, and are never given back: code that counts
 * may be running. A module may have given a place of its own for them; else they are the core's, of executions.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "arena.h"
#include "dispatch/feature.h"
#include "dispatch/handle.h"
#include "dispatch/host.h"
#include "idmap.h"

typedef struct {
	void *at;
	uint32_t count;
} counters;

static monocle__idmap all; /* by definition */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Set once, in the init window, before anything is counted. */
static struct {
	atomic_bool taken;
	atomic_bool set;
	MonocleCoverageMode mode;
	MonocleCoverageCounters ask;
	void *data;
} place;

mono_bool
monocle_coverage_set_counters (MonocleCoverageMode mode, MonocleCoverageCounters ask, void *data)
{
	if (!ask || (mode != MONOCLE_COVERAGE_HITS && mode != MONOCLE_COVERAGE_COUNTS) || !monocle__host_window_open () ||
	    atomic_exchange (&place.taken, true))
		return 0;
	place.mode = mode;
	place.ask = ask;
	place.data = data;
	atomic_store_explicit (&place.set, true, memory_order_release);
	return 1;
}

MonocleCoverageMode
monocle_coverage_mode (void)
{
	return atomic_load_explicit (&place.set, memory_order_acquire) ? place.mode : MONOCLE_COVERAGE_COUNTS;
}

static void *
new_counters (const MonocleCoveragePlan *plan)
{
	if (atomic_load_explicit (&place.set, memory_order_acquire))
		return place.ask (place.data, plan);
	return monocle__arena_alloc (plan->counter_count * sizeof (uint32_t));
}

/* Under the lock. */
static void *
counters_of (const MonocleCoveragePlan *plan)
{
	counters *known = monocle__idmap_find (&all, (uintptr_t) plan->method);
	if (known && known->count == plan->counter_count)
		return known->at;
	counters *one = monocle__arena_alloc (sizeof *one);
	void *at = one ? new_counters (plan) : NULL;
	if (!at)
		return NULL;
	*one = (counters) { .at = at, .count = plan->counter_count };
	return monocle__idmap_bind (&all, (uintptr_t) plan->method, one) ? at : NULL;
}

void *
monocle_coverage_counters (const MonocleCoveragePlan *plan)
{
	if (!monocle__feature_granted (MONOCLE_FEATURE_COVERAGE) || !plan->counter_count)
		return NULL;
	pthread_mutex_lock (&lock);
	void *at = counters_of (plan);
	pthread_mutex_unlock (&lock);
	return at;
}

/* --- what modules ask --------------------------------------------------------------------------------------------- */

static MonoMethod *
definition_of (MonoMethod *method)
{
	MonoMethod *definition = method ? monocle_method_definition (method) : NULL;
	return definition ? definition : method;
}

mono_bool
monocle_coverage_plan (MonoMethod *method, void (*show) (void *data, const MonocleCoveragePlan *plan), void *data)
{
	const monocle_host_ops *host = monocle__host_ops ();
	return method && show && host->coverage_plan &&
	       host->coverage_plan (host->host, definition_of (method), monocle_coverage_mode (), show, data) == MONOCLE_OK;
}

typedef struct {
	MonoProfiler *prof;
	MonoMethod *method;
	MonoProfilerCoverageCallback callback;
} asking;

static uint32_t
read_counter (const counters *from, uint32_t index)
{
	if (!from || index >= from->count)
		return 0;
	return monocle_coverage_mode () == MONOCLE_COVERAGE_HITS ? ((const volatile uint8_t *) from->at)[index]
	                                                         : ((const volatile uint32_t *) from->at)[index];
}

/* As Mono does where there are no symbols: line and column 1, no file. */
static void
show_points (void *data, const MonocleCoveragePlan *plan)
{
	const asking *a = data;
	const counters *from = monocle__idmap_find (&all, (uintptr_t) plan->method);
	if (from && from->count != plan->counter_count)
		from = NULL;
	for (uint32_t i = 0; i < plan->point_count; i++) {
		const MonocleCoveragePoint *p = &plan->points[i];
		bool known = p->document != NULL;
		MonoProfilerCoverageData said = {
			.method = a->method,
			.il_offset = p->il_offset,
			.counter = read_counter (from, p->counter),
			.file_name = known ? p->document->path : NULL,
			.line = known ? p->start_line : 1,
			.column = known ? p->start_column : 1,
		};
		a->callback (a->prof, &said);
	}
}

mono_bool
mono_profiler_get_coverage_data (MonoProfilerHandle handle, MonoMethod *method, MonoProfilerCoverageCallback callback)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (!monocle__feature_granted (MONOCLE_FEATURE_COVERAGE) || !handle || !method || !callback || !host->coverage_plan)
		return 0;
	asking a = { .prof = ((monocle__handle *) handle)->desc.prof, .method = method, .callback = callback };
	return host->coverage_plan (host->host, definition_of (method), monocle_coverage_mode (), show_points, &a) !=
	       MONOCLE_E_INVALID;
}

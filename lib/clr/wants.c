/*
 * SPDX-License-Identifier: MIT
 *
 * wants.c - only what is asked for is paid for: from listeners, filters and granted features to the runtime's event
 * mask and the sessions of its event provider.
 *
 * Demands only grow: an event whose last listener left is dropped by the core, and may be wanted again. Flags are set
 * at once, by the thread that made the demand, a signal handler included (SetEventMask2 may be called anywhere).
 * Sessions may wait for the collector while they start, so the service starts them; inside Initialize there is nothing
 * to wait for.
 *
 * The runtime takes a mask as a whole or not at all. When it refuses one, events are tried one at a time, so that the
 * one which cannot be had is named, and the others are not affected.
 */
#include "wants.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <monocle/host.h>
#include "beside.h"
#include "code/codemap.h"
#include "eventpipe.h"
#include "heap/allocation.h"
#include "heap/monitor.h"
#include "log-level.h"
#include "pause.h"
#include "service.h"
#include "state.h"

enum {
	EVENTS_GC = 0x1,
	EVENTS_HANDLE = 0x2, /* the runtime heeds it together with the one before only */
	EVENTS_CONTENTION = 0x4000,
	EVENTS_HEAP_DUMP = 0x100000, /* roots and objects, in collections that a profiler asks for */
	EVENTS_MOVEMENT = 0x400000,
	LEVEL_INFORMATION = 4,
	LEVEL_VERBOSE = 5,
};

#define EVENTS_WAIT    UINT64_C (0x40000000000) /* .NET 9 */
#define EVENTS_SAMPLES UINT64_C (0x80000000000) /* .NET 10 */

typedef struct {
	DWORD low, high;
	uint64_t keywords;
	uint32_t level;
} want;

/*
 * Whatever modules ask for. BASIC_GC: counts and sizes of collections, STACK_SNAPSHOT: stacks, both of which anybody
 * may want to know. REJIT: monocle_reinstrument () may come any time; it costs nothing before.
 */
static const want least = {
	.low = COR_PRF_MONITOR_MODULE_LOADS | COR_PRF_MONITOR_ASSEMBLY_LOADS | COR_PRF_MONITOR_THREADS |
	       COR_PRF_ENABLE_STACK_SNAPSHOT | COR_PRF_ENABLE_REJIT,
	.high = COR_PRF_HIGH_BASIC_GC,
};

/* What can be asked for besides, in the words of <monocle/events.def>. */
enum {
	DEMAND_NOTHING,
	DEMAND_CALLS,
	DEMAND_LATE_CALLS, /* after an attach: all in further bodies */
	DEMAND_CODE,       /* what is compiled, and what is thrown away: the map of code (codemap.c) wants it as well */
	DEMAND_COMPILING,
	DEMAND_CLASSES,
	DEMAND_EXCEPTIONS,
	DEMAND_ALLOCATIONS,
	DEMAND_ROOTS,
	DEMAND_LATE_ROOTS,
	DEMAND_SUSPENSIONS,
	DEMAND_SEARCHES,
	DEMAND_TRANSITIONS,
	DEMAND_COLLECTOR,
	DEMAND_FINALIZERS,
	DEMAND_MOVEMENT,
	DEMAND_HANDLES,
	DEMAND_CONTENTION,
	DEMAND_WAITS, /* the same with the ends of all waits */
	DEMAND_SAMPLES,
	DEMAND_TICKS, /* the same from runtimes that do not draw samples */
};

/* clang-format off */
#define PROVIDER(keywords, level) { 0, COR_PRF_HIGH_MONITOR_EVENT_PIPE, keywords, level }

static const want demands[] = {
	/*                       flags of the mask, low, high; keywords of the event provider, their level */
	[DEMAND_CALLS]       = { COR_PRF_MONITOR_JIT_COMPILATION | COR_PRF_MONITOR_CACHE_SEARCHES |
	                         COR_PRF_MONITOR_EXCEPTIONS },
	[DEMAND_LATE_CALLS]  = { COR_PRF_MONITOR_JIT_COMPILATION | COR_PRF_MONITOR_EXCEPTIONS | COR_PRF_ENABLE_REJIT },
	[DEMAND_CODE]        = { COR_PRF_MONITOR_JIT_COMPILATION, COR_PRF_HIGH_MONITOR_DYNAMIC_FUNCTION_UNLOADS },
	[DEMAND_COMPILING]   = { COR_PRF_MONITOR_JIT_COMPILATION },
	[DEMAND_CLASSES]     = { COR_PRF_MONITOR_CLASS_LOADS },
	[DEMAND_EXCEPTIONS]  = { COR_PRF_MONITOR_EXCEPTIONS },
	[DEMAND_ALLOCATIONS] = { COR_PRF_ENABLE_OBJECT_ALLOCATED | COR_PRF_MONITOR_OBJECT_ALLOCATED },
	[DEMAND_ROOTS]       = { COR_PRF_MONITOR_GC },
	[DEMAND_LATE_ROOTS]  = PROVIDER (EVENTS_HEAP_DUMP | EVENTS_GC, LEVEL_INFORMATION),
	[DEMAND_SUSPENSIONS] = { COR_PRF_MONITOR_SUSPENDS },
	[DEMAND_SEARCHES]    = { COR_PRF_MONITOR_CACHE_SEARCHES },
	[DEMAND_TRANSITIONS] = { COR_PRF_MONITOR_CODE_TRANSITIONS },
	[DEMAND_COLLECTOR]   = PROVIDER (EVENTS_GC, LEVEL_INFORMATION),
	[DEMAND_FINALIZERS]  = PROVIDER (EVENTS_GC, LEVEL_VERBOSE),
	[DEMAND_MOVEMENT]    = PROVIDER (EVENTS_MOVEMENT | EVENTS_GC, LEVEL_INFORMATION),
	[DEMAND_HANDLES]     = PROVIDER (EVENTS_HANDLE | EVENTS_GC, LEVEL_INFORMATION),
	[DEMAND_CONTENTION]  = PROVIDER (EVENTS_CONTENTION | EVENTS_GC, LEVEL_INFORMATION),
	[DEMAND_WAITS]       = PROVIDER (EVENTS_CONTENTION | EVENTS_WAIT | EVENTS_GC, LEVEL_VERBOSE),
	[DEMAND_SAMPLES]     = PROVIDER (EVENTS_SAMPLES | EVENTS_GC, LEVEL_INFORMATION),
	[DEMAND_TICKS]       = PROVIDER (EVENTS_GC, LEVEL_VERBOSE),
};
/* clang-format on */

enum {
	EXACT = MONOCLE_SUPPORT_EXACT,
	RULE = MONOCLE_SUPPORT_RULE,
	LATER = MONOCLE_SUPPORT_NONE,
	NEVER = MONOCLE_SUPPORT_NONE,
};

static const struct {
	uint8_t support, demand;
} of_events[MONOCLE_EVENT_COUNT] = {
#define EVENT(event, place, choice, closes, support, demand, ...) \
	[MONOCLE_EVENT_##event] = { support, DEMAND_##demand },
#include <monocle/events.def>
};

/* These come of probes, whatever flags are set. */
static bool
is_call (monocle_event event)
{
	switch (event) {
	case MONOCLE_EVENT_method_enter:
	case MONOCLE_EVENT_method_leave:
	case MONOCLE_EVENT_method_tail_call:
	case MONOCLE_EVENT_method_exception_leave:
	case MONOCLE_EVENT_exception_clause: return true;
	default: return false;
	}
}

/* What is prepared before anything runs. */
static bool
is_early (monocle_event event)
{
	return is_call (event) || event == MONOCLE_EVENT_gc_allocation;
}

/* These come of probes in further bodies as well. */
static bool
is_late (monocle_event event)
{
	return is_call (event) && event != MONOCLE_EVENT_exception_clause;
}

/* What a runtime that has started cannot be asked for any more. */
static bool
attached_loses (int demand)
{
	return demand == DEMAND_CALLS || demand == DEMAND_ALLOCATIONS || demand == DEMAND_SEARCHES ||
	       demand == DEMAND_TRANSITIONS;
}

/* Probes and roots are the main profiler's. */
static bool
beside_loses (monocle_event event)
{
	return is_call (event) || event == MONOCLE_EVENT_gc_root_register || of_events[event].demand == DEMAND_CALLS ||
	       of_events[event].demand == DEMAND_ROOTS;
}

MonocleSupport
monocle__wants_support (void *host, monocle_event event)
{
	bool is_early_one = is_early (event) && !(monocle__clr_state.late && is_late (event));
	bool lost = (monocle__clr_state.beside && beside_loses (event)) ||
	            (monocle__clr_state.attached && (attached_loses (of_events[event].demand) || is_early_one));
	return lost ? MONOCLE_SUPPORT_NONE : (MonocleSupport) of_events[event].support;
}

/* Whole words: no thread reads half of what another one writes. */
static atomic_uint granted_low, granted_high; /* as the runtime last accepted them */
static atomic_uint refused_low, refused_high; /* it was told so, once */

/* False, after one line, for what only the main profiler may have. */
static bool
is_granted_beside (const char *whose, int demand, atomic_bool *told)
{
	if (demand == DEMAND_CALLS)
		monocle__beside_refuse (whose, MONOCLE__BESIDE_REWRITE, told);
	if (demand == DEMAND_ROOTS)
		monocle__beside_refuse (whose, MONOCLE__BESIDE_ROOTS, told);
	return demand != DEMAND_CALLS && demand != DEMAND_ROOTS;
}

/* False, after one line, for what cannot be had after an attach. */
static bool
is_granted_attached (const char *whose, int demand, atomic_bool *told)
{
	if (!monocle__clr_state.attached || !attached_loses (demand))
		return true;
	if (!atomic_exchange (told, true))
		monocle__clr_complain ("%s cannot be had in a program that runs already: start it with monocle run", whose);
	return false;
}

bool
monocle__wants_all_roots (void)
{
	return atomic_load (&granted_low) & COR_PRF_MONITOR_GC;
}

/*
 * The flag of roots is to be had in the init window only; after an attach it could be had, and would end concurrent
 * collections. Who asks later has the roots of those collections that a module asks for. Modules that were written for
 * Mono's internals ask when such a collection has begun already.
 */
static int
demand_of (monocle_event event)
{
	int demand = of_events[event].demand;
	bool is_late =
	    monocle__clr_state.attached || (atomic_load (&monocle__clr_state.started) && !monocle__wants_all_roots ());
	if (demand == DEMAND_SAMPLES && !monocle__allocation_is_drawn ())
		return DEMAND_TICKS;
	if (event == MONOCLE_EVENT_monitor_failed && monocle__monitor_needs_waits ())
		return DEMAND_WAITS;
	return demand == DEMAND_ROOTS && is_late && !monocle__clr_state.beside ? DEMAND_LATE_ROOTS : demand;
}

/* Shows every demand that there is and may be, with its name. */
static void
each_want (void (*visit) (const char *whose, const want *more, want *sum), want *sum)
{
	static atomic_bool told_calls, told_invokes, told_roots, told_attached[MONOCLE_EVENT_COUNT];
	bool has_coverage = monocle_coverage_filter_installed () && atomic_load (&monocle__clr_state.coverage);
	bool beside = monocle__clr_state.beside;
	int calls = monocle__clr_state.late ? DEMAND_LATE_CALLS : DEMAND_CALLS;
	if (monocle_call_filter_installed () && is_granted_attached ("calls", calls, &told_calls) &&
	    (!beside || is_granted_beside ("calls", DEMAND_CALLS, &told_calls)))
		visit ("calls", &demands[calls], sum);
	if (has_coverage) {
		visit ("coverage", &demands[DEMAND_COMPILING], sum);
		visit ("coverage", &demands[DEMAND_SEARCHES], sum);
	}
	if (monocle__codemap_wanted ())
		visit ("sampling", &demands[DEMAND_CODE], sum);
	if (atomic_load (&monocle__clr_state.allocations))
		visit ("gc_allocation", &demands[DEMAND_ALLOCATIONS], sum);
	if (monocle_host_ends_alone ())
		visit ("a heap shot of Mono's", &demands[DEMAND_LATE_ROOTS], sum);
	if (atomic_load (&monocle__clr_state.clauses))
		visit ("exception_clause", &demands[DEMAND_COMPILING], sum);
	for (int event = 0; event < MONOCLE_EVENT_COUNT; event++)
		if (monocle__clr_listened ((monocle_event) event)) {
			const char *name = monocle_event_name ((monocle_event) event);
			int demand = demand_of ((monocle_event) event);
			atomic_bool *told = demand == DEMAND_ROOTS ? &told_roots : &told_invokes;
			if (is_granted_attached (name, demand, &told_attached[event]) &&
			    (!beside || is_granted_beside (name, demand, told)))
				visit (name, &demands[demand], sum);
		}
}

static void
add (const char *whose, const want *more, want *sum)
{
	sum->low |= more->low;
	sum->high |= more->high;
	sum->keywords |= more->keywords;
	sum->level = more->level > sum->level ? more->level : sum->level;
}

static void
show (const char *whose, const want *more, want *unused)
{
	if (more->low || more->high || more->keywords)
		MONOCLE__LOG_DEBUG ("CoreCLR: %s wants the flags 0x%X/0x%X, keywords 0x%" PRIX64, whose, (unsigned) more->low,
		                    (unsigned) more->high, more->keywords);
}

/* What an attach is told to leave alone, or not to. A runtime that might be asked for further bodies lets nobody go. */
static DWORD
rejit (void)
{
	return monocle__clr_state.late ? COR_PRF_ENABLE_REJIT : 0;
}

/* A further body is the main profiler's to ask for. */
static want
wanted (void)
{
	want sum = least;
	if (monocle__clr_state.beside || monocle__clr_state.attached)
		sum.low = (sum.low & ~(DWORD) COR_PRF_ENABLE_REJIT) | rejit ();
	each_want (add, &sum);
	return sum;
}

static atomic_uint dropped_low; /* never again */

static HRESULT
try_mask (DWORD low, DWORD high)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	low &= ~atomic_load (&dropped_low);
	HRESULT hr = info->vtbl->SetEventMask2 (info, low, high);
	if (hr < 0)
		return hr;
	atomic_store (&granted_low, low);
	atomic_store (&granted_high, high);
	MONOCLE__LOG_DEBUG ("CoreCLR: the runtime grants the flags 0x%X/0x%X", (unsigned) low, (unsigned) high);
	return hr;
}

/* Adds one demand to what is granted already. */
static void
try_one (const char *whose, const want *more, want *unused)
{
	DWORD low = atomic_load (&granted_low), high = atomic_load (&granted_high);
	if (!((more->low & ~low) | (more->high & ~high)))
		return;
	HRESULT hr = try_mask (low | more->low, high | more->high);
	if (hr >= 0)
		return;
	atomic_fetch_or (&refused_low, more->low & ~low);
	atomic_fetch_or (&refused_high, more->high & ~high);
	monocle__clr_complain ("%s cannot be had any more: the runtime refuses flags 0x%X/0x%X: %s (0x%08X)", whose,
	                       (unsigned) (more->low & ~low), (unsigned) (more->high & ~high), monocle__hresult_name (hr),
	                       (unsigned) hr);
}

/* Grants what is wanted and neither granted nor refused yet; the sum of keywords and their level are the answer. */
static want
update_flags (void)
{
	want sum = wanted ();
	DWORD low = sum.low & ~atomic_load (&refused_low), high = sum.high & ~atomic_load (&refused_high);
	DWORD has_low = atomic_load (&granted_low), has_high = atomic_load (&granted_high);
	MONOCLE__PAUSE (wants_summed);
	if ((low & ~has_low) | (high & ~has_high))
		if (try_mask (has_low | low, has_high | high) < 0)
			each_want (try_one, NULL);
	return sum;
}

static void
start_sessions (void)
{
	want sum = wanted ();
	if (monocle__eventpipe_lacks (sum.keywords, sum.level))
		monocle__eventpipe_ask (sum.keywords, sum.level);
}

/* On the service thread. */
static void
start_sessions_apart (void *nothing)
{
	monocle__service_run_apart (start_sessions);
}

/*
 * A caller that arrives during an update, even from a signal handler, only counts itself; the one that is updating then
 * runs again.
 */
void
monocle__wants_update (void)
{
	static atomic_uint comers;
	unsigned seen = atomic_fetch_add (&comers, 1) + 1;
	MONOCLE__PAUSE (wants_counted);
	if (seen != 1)
		return;
	do {
		seen = atomic_load (&comers);
		want sum = update_flags ();
		if (monocle__eventpipe_lacks (sum.keywords, sum.level))
			monocle__service_run (start_sessions_apart, &(char) { 0 }, 1, 0);
		MONOCLE__PAUSE (wants_updated);
	} while (!atomic_compare_exchange_strong (&comers, &seen, 0));
}

void
monocle__wants_no_exceptions (void)
{
	atomic_store (&dropped_low, COR_PRF_MONITOR_EXCEPTIONS);
	HRESULT hr = try_mask (atomic_load (&granted_low), atomic_load (&granted_high));
	if (hr < 0)
		monocle__clr_complain_hr ("SetEventMask2", hr);
}

/*
 * After an attach: what is wanted besides comes when the images that are there are known, with the next update. Until
 * then events would be about what nobody has met.
 */
bool
monocle__wants_begin_attached (void)
{
	HRESULT hr = try_mask ((least.low & ~(DWORD) COR_PRF_ENABLE_REJIT) | rejit (), least.high);
	if (hr == CORPROF_E_REJIT_NOT_ENABLED)
		monocle__clr_complain (
		    "calls cannot be had in a program that runs already: this runtime was told to give methods "
		    "no new code (ReJIT) after an attach");
	else if (hr < 0)
		monocle__clr_complain_hr ("SetEventMask2", hr);
	return hr >= 0;
}

bool
monocle__wants_begin (void)
{
	want sum = wanted ();
	if (monocle__log_level_is (MONOCLE__LEVEL_DEBUG))
		each_want (show, NULL);
	HRESULT hr = try_mask (sum.low, sum.high);
	DWORD needed = least.low & ~(DWORD) COR_PRF_ENABLE_REJIT;
	if (hr < 0 && (hr = try_mask (needed, least.high)) >= 0)
		each_want (try_one, NULL);
	if (hr < 0)
		monocle__clr_complain_hr ("SetEventMask2", hr);
	else
		start_sessions ();
	return hr >= 0;
}

/* A runtime that is ending refuses; then there is nothing to take back. What keeps us anyway may stay asked for. */
void
monocle__wants_end (void)
{
	monocle__eventpipe_end ();
	try_mask (rejit (), 0);
	atomic_store (&refused_low, 0);
	atomic_store (&refused_high, 0);
	atomic_store (&dropped_low, 0);
}

/*
 * SPDX-License-Identifier: MIT
 *
 * check-callbacks.c - callbacks of checked modules run inside wrappers that say where the thread is. See check.h.
 *
 * A checked module's mono_profiler_create () gives the runtime a *twin* in the place of the module's `prof`; setters
 * put the module's callback into the twin and ours into the handle. So ours are found by every runtime as it finds any
 * callback, and know from their first argument which callback to call. Twins live for ever, as a callback may be
 * running while its handle ends. Setters run in any context: a callback is one word, exchanged.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>

typedef struct twin {
	struct twin *next;  /* all of them; only grows */
	MonoProfiler *prof; /* the module's */
	MonoProfilerHandle handle;
	struct twin *first; /* of this module: it counts for all of them */
	const char *module;
	void *callbacks[MONOCLE_EVENT_COUNT]; /* the module's; written by setters in any context */
	monocle__slowness slow[MONOCLE_EVENT_COUNT];
	MonoProfilerCleanupCallback cleanup; /* the same */
	MonoProfilerCoverageFilterCallback coverage_filter;
	MonoProfilerCallInstrumentationFilterCallback call_filter;
} twin;

static twin *all_twins;

/* NULL for a handle that was made without us: its callbacks are the module's own. */
static twin *
twin_of (MonoProfilerHandle handle)
{
	twin *one = __atomic_load_n (&all_twins, __ATOMIC_ACQUIRE);
	while (one && one->handle != handle)
		one = one->next;
	return one;
}

/* --- what the runtime calls --------------------------------------------------------------------------------------- */

/* Between the stop and the start of the world nothing else runs; around it the collector keeps its lock. */
static uint32_t
place_of_collection (MonoProfilerGCEvent step)
{
	switch (step) {
	case MONO_GC_EVENT_PRE_STOP_WORLD:
	case MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED:
	case MONO_GC_EVENT_POST_START_WORLD:
	case MONO_GC_EVENT_POST_START_WORLD_UNLOCKED: return IN_COLLECTOR;
	default: return IN_STOPPED;
	}
}

/* gc_event moves through several places: on_collection () enters them. */
enum { IN_NORMAL = 0, IN_BY_STEP = 0 };
enum {
#define EVENT(name, place, ...) PLACES_OF_##name = IN_##place,
#include <monocle/events.def>
};

/* The first argument after `prof`, as a word; 0: there is none. */
#define SUBJECT_OF(...)               SECOND_OF (__VA_ARGS__, 0, 0)
#define SECOND_OF(first, second, ...) ((uintptr_t) (second))

/* clang-format off */

/* A callback that a setter has just taken away is gone. */
#define MONOCLE_MONO_EVENT_ROW(name, setter, Callback, parameters, raised, arguments, ...)           \
	static void                                                                                      \
	on_##name parameters                                                                             \
	{                                                                                                \
		twin *to_ = (twin *) prof;                                                                   \
		void *callback_ = __atomic_load_n (&to_->callbacks[MONOCLE_EVENT_##name], __ATOMIC_ACQUIRE); \
		monocle__stay stay_;                                                                         \
		monocle__watch watch_;                                                                       \
                                                                                                     \
		if (!callback_)                                                                              \
			return;                                                                                  \
		prof = to_->prof;                                                                            \
		monocle__check_enter (&stay_, #name, PLACES_OF_##name);                                      \
		monocle__check_watch_begin (&watch_, &stay_);                                                \
		((Callback) callback_) arguments;                                                            \
		monocle__check_watch_end (&watch_, &to_->first->slow[MONOCLE_EVENT_##name], SUBJECT_OF arguments); \
		monocle__check_leave (&stay_);                                                               \
	}
#include <monocle/event-rows.h>

/* clang-format on */

static void
on_collection (MonoProfiler *prof, MonoProfilerGCEvent step, uint32_t generation, mono_bool is_serial)
{
	monocle__stay stay;
	monocle__check_enter (&stay, "gc_event", place_of_collection (step));
	on_gc_event (prof, step, generation, is_serial);
	monocle__check_leave (&stay);
}

static void
on_cleanup (MonoProfiler *prof)
{
	twin *to = (twin *) prof;
	MonoProfilerCleanupCallback callback = __atomic_load_n (&to->cleanup, __ATOMIC_ACQUIRE);
	monocle__stay stay;
	if (!callback)
		return;
	monocle__check_enter (&stay, NULL, IN_ENDED);
	callback (to->prof);
	monocle__check_leave (&stay);
}

/* Filters run where code is compiled: a normal context. */
static mono_bool
on_coverage_filter (MonoProfiler *prof, MonoMethod *method)
{
	twin *to = (twin *) prof;
	MonoProfilerCoverageFilterCallback callback = __atomic_load_n (&to->coverage_filter, __ATOMIC_ACQUIRE);
	monocle__stay stay;
	if (!callback)
		return 0;
	monocle__check_enter (&stay, NULL, 0);
	mono_bool answer = callback (to->prof, method);
	monocle__check_leave (&stay);
	return answer;
}

static MonoProfilerCallInstrumentationFlags
on_call_filter (MonoProfiler *prof, MonoMethod *method)
{
	twin *to = (twin *) prof;
	MonoProfilerCallInstrumentationFilterCallback callback = __atomic_load_n (&to->call_filter, __ATOMIC_ACQUIRE);
	monocle__stay stay;
	if (!callback)
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	monocle__check_enter (&stay, NULL, 0);
	MonoProfilerCallInstrumentationFlags answer = callback (to->prof, method);
	monocle__check_leave (&stay);
	return answer;
}

/* The runtime passes the handle's `prof` here too, and nothing else of ours: the callback is in the stay. */
static void
on_coverage (MonoProfiler *prof, const MonoProfilerCoverageData *data)
{
	monocle__stay *stay = monocle__check_stay ();
	while (stay && !stay->callback)
		stay = stay->below;
	if (stay)
		((MonoProfilerCoverageCallback) stay->callback) (((twin *) prof)->prof, data);
}

/* --- what the module calls: the sixth argument is the import, whose target is the runtime's function -------------- */

#define TARGET(type, import) ((type) (import)->target)
#define UNUSED_3             uintptr_t c_, uintptr_t d_, uintptr_t e_
#define UNUSED_4             uintptr_t b_, UNUSED_3

static void
describe (twin *made, const char *module)
{
	static const char *const events[MONOCLE_EVENT_COUNT] = {
#define MONOCLE_MONO_EVENT_ROW(name, ...) [MONOCLE_EVENT_##name] = #name,
#include <monocle/event-rows.h>
	};
	made->module = module;
	made->first = made;
	for (twin *one = __atomic_load_n (&all_twins, __ATOMIC_ACQUIRE); one; one = one->next)
		if (!strcmp (one->module, module))
			made->first = one->first;
	for (size_t i = 0; i < MONOCLE_EVENT_COUNT; i++) {
		made->slow[i].module = module;
		made->slow[i].event = events[i];
	}
}

static MonoProfilerHandle
create (MonoProfiler *prof, UNUSED_4, monocle__import *import)
{
	twin *made = calloc (1, sizeof *made);
	if (!made)
		return NULL;
	made->prof = prof;
	describe (made, import->module);
	made->handle = TARGET (MonoProfilerHandle (*) (MonoProfiler *), import) ((MonoProfiler *) made);
	if (!made->handle) {
		free (made);
		return NULL;
	}
	made->next = __atomic_load_n (&all_twins, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n (&all_twins, &made->next, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return made->handle;
}

typedef void (*setter) (MonoProfilerHandle handle, void *callback);

static void
set (monocle__import *import, MonoProfilerHandle handle, void **slot, void *callback, void *wrapper)
{
	if (slot)
		__atomic_store_n (slot, callback, __ATOMIC_RELEASE);
	TARGET (setter, import) (handle, slot && callback ? wrapper : callback);
}

/* clang-format off */

#define SETTER(name, slot, wrapper)                                                                \
	static void                                                                                    \
	set_##name (MonoProfilerHandle handle, void *callback, UNUSED_3, monocle__import *import)      \
	{                                                                                              \
		twin *to = twin_of (handle);                                                               \
                                                                                                   \
		set (import, handle, to ? (void **) &to->slot : NULL, callback, (void *) wrapper);         \
	}

#define WRAPPER_OF(name) \
	(MONOCLE_EVENT_##name == MONOCLE_EVENT_gc_event ? (void *) on_collection : (void *) on_##name)
#define MONOCLE_MONO_EVENT_ROW(name, ...) SETTER (name, callbacks[MONOCLE_EVENT_##name], WRAPPER_OF (name))
#include <monocle/event-rows.h>

/* clang-format on */

SETTER (cleanup, cleanup, on_cleanup)
SETTER (coverage_filter, coverage_filter, on_coverage_filter)
SETTER (call_filter, call_filter, on_call_filter)

typedef mono_bool (*coverage_getter) (MonoProfilerHandle handle, MonoMethod *method, MonoProfilerCoverageCallback cb);

static mono_bool
get_coverage (MonoProfilerHandle handle, MonoMethod *method, MonoProfilerCoverageCallback callback, uintptr_t d_,
              uintptr_t e_, monocle__import *import)
{
	monocle__stay stay = { .callback = NULL };
	if (!callback || !twin_of (handle))
		return TARGET (coverage_getter, import) (handle, method, callback);
	monocle__check_enter (&stay, NULL, 0);
	stay.callback = (void *) callback;
	mono_bool answer = TARGET (coverage_getter, import) (handle, method, on_coverage);
	monocle__check_leave (&stay);
	return answer;
}

static const struct {
	const char *function;
	void *replacement;
} replacements[] = {
	{ "mono_profiler_create", (void *) create },
	{ "mono_profiler_set_cleanup_callback", (void *) set_cleanup },
	{ "mono_profiler_set_coverage_filter_callback", (void *) set_coverage_filter },
	{ "mono_profiler_set_call_instrumentation_filter_callback", (void *) set_call_filter },
	{ "mono_profiler_get_coverage_data", (void *) get_coverage },
#define MONOCLE_MONO_EVENT_ROW(name, setter, ...) { #setter, (void *) set_##name },
#include <monocle/event-rows.h>
};

void *
monocle__check_callback_replacement (const char *function)
{
	for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++)
		if (!strcmp (replacements[i].function, function))
			return replacements[i].replacement;
	return NULL;
}

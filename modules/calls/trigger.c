/*
 * SPDX-License-Identifier: MIT
 *
 * trigger.c - see trigger.h.
 *
 *     WAITING --a call of the method begins, or an exception is thrown--> COUNTING --that very call ends--> ENDED
 *
 * Calls of all threads are counted while the state is COUNTING; in another state an event is a load and a branch. While
 * a method is waited for, each method that is entered is asked for its names once. The thread that begins the counting
 * writes the fields below before it stores COUNTING. After that `depth` is its own.
 */
#include "trigger.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/object.h>
#include <mono/utils/mono-publib.h>

#include "method-filter.h"

#define unlikely(condition) __builtin_expect (!!(condition), 0)

enum { WAITING, COUNTING, ENDED };
enum { OTHER_SLOTS = 1 << 14, TEXT_SIZE = 180 };

static _Atomic (uint32_t) state;
static MonoMethod *begun_by; /* NULL: by an exception */
static struct call_events count;

static pthread_t begun_on;
static uint32_t depth; /* calls of begun_by that are open on begun_on */
static char begun_text[TEXT_SIZE];
static atomic_flag is_begun = ATOMIC_FLAG_INIT;

static const char *wanted; /* the option; NULL: none */
static monocle_kit_callspec *methods, *exceptions;
static monocle_kit_spool *the_spool;
static MonoProfilerHandle the_handle;
static uint64_t start_time;

/* Methods that do not begin the counting, by address: each in one place, where another one may take it. */
static _Atomic (MonoMethod *) others[OTHER_SLOTS];

static double
seconds (void)
{
	return (double) (monocle_kit_now () - start_time) / 1e9;
}

/* --- the option --------------------------------------------------------------------------------------------------- */

bool
trigger_init (const char *option)
{
	static const char exception[] = "exception:";
	char spec[512];
	const char *error = "M:Type:Method or exception:TYPE is wanted";
	wanted = option;
	if (!option)
		return true;
	if (!strncmp (option, "M:", 2)) {
		methods = monocle_kit_callspec_new (option, &error);
	} else if (!strncmp (option, exception, sizeof exception - 1) && strlen (option) < sizeof spec) {
		snprintf (spec, sizeof spec, "T:%s", option + sizeof exception - 1);
		exceptions = monocle_kit_callspec_new (spec, &error);
	}
	if (!methods && !exceptions)
		monocle_kit_log_failure ("calls", "option trigger=%s: %s", option, error);
	return methods || exceptions;
}

bool
trigger_wants (MonoMethod *method)
{
	return methods && method_filter_matches (methods, method);
}

void
trigger_leave (void)
{
	monocle_kit_callspec_free (methods);
	monocle_kit_callspec_free (exceptions);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

/* What the profile says of itself. */
static void
note (const char *end)
{
	char text[TEXT_SIZE + 60];
	snprintf (text, sizeof text, "%s to %s", begun_text, end);
	monocle_kit_spool_note (the_spool, "counted", text);
}

/* One thread gets here. `name` is freed. */
static void
begin (MonoMethod *method, const char *what, char *name)
{
	snprintf (begun_text, sizeof begun_text, "from %s %.120s at %.6f s", what, name ? name : "?", seconds ());
	mono_free (name);
	begun_by = method;
	begun_on = pthread_self ();
	note ("the end of the program");
	atomic_store_explicit (&state, COUNTING, memory_order_release);
}

static void
end (const char *what)
{
	char text[50];
	atomic_store_explicit (&state, ENDED, memory_order_release);
	monocle_kit_spool_stop (the_spool);
	snprintf (text, sizeof text, "%s at %.6f s", what, seconds ());
	note (text);
}

/* Not counting: does this call begin it? */
static __attribute__ ((noinline)) bool
begins (MonoMethod *method)
{
	_Atomic (MonoMethod *) *slot = &others[((uintptr_t) method * 0x9e3779b97f4a7c15u >> 40) % OTHER_SLOTS];
	if (!methods || atomic_load_explicit (&state, memory_order_acquire) != WAITING ||
	    atomic_load_explicit (slot, memory_order_relaxed) == method)
		return false;
	if (!trigger_wants (method)) {
		atomic_store_explicit (slot, method, memory_order_relaxed);
		return false;
	}
	if (atomic_flag_test_and_set (&is_begun))
		return false;
	begin (method, "the first call of", mono_method_full_name (method, 1));
	return true;
}

static void
exception_throw (MonoProfiler *profiler, MonoObject *exception)
{
	MonoClass *klass = mono_object_get_class (exception);
	if (atomic_load_explicit (&state, memory_order_acquire) != WAITING ||
	    !method_filter_matches_class (exceptions, klass) || atomic_flag_test_and_set (&is_begun))
		return;
	begin (NULL, "the throw of", mono_type_get_name (mono_class_get_type (klass)));
	mono_profiler_set_exception_throw_callback (the_handle, NULL);
}

void
trigger_thread_exited (void)
{
	if (wanted && atomic_load_explicit (&state, memory_order_acquire) == COUNTING && begun_by &&
	    pthread_equal (begun_on, pthread_self ()))
		end ("the end of its thread");
}

void
trigger_image_unloading (void)
{
	for (size_t i = 0; methods && i < OTHER_SLOTS; i++)
		atomic_store_explicit (&others[i], NULL, memory_order_relaxed);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static inline bool
is_counting (void)
{
	return atomic_load_explicit (&state, memory_order_acquire) == COUNTING;
}

static void
on_enter (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (unlikely (!is_counting ()) && !begins (method))
		return;
	if (unlikely (method == begun_by) && pthread_equal (begun_on, pthread_self ()))
		depth++;
	count.enter (profiler, method, context);
}

/* After the call has been counted. */
static inline void
see_end (MonoMethod *method)
{
	if (unlikely (method == begun_by) && pthread_equal (begun_on, pthread_self ()) && --depth == 0)
		end ("its end");
}

static void
on_leave (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (unlikely (!is_counting ()))
		return;
	count.leave (profiler, method, context);
	see_end (method);
}

static void
on_tail_call (MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	if (unlikely (!is_counting ()))
		return;
	count.tail_call (profiler, method, target);
	see_end (method);
}

static void
on_exception_leave (MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	if (unlikely (!is_counting ()))
		return;
	count.exception_leave (profiler, method, exception);
	see_end (method);
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *profiler, MonoMethod *method)
{
	if (trigger_wants (method))
		return (MonoProfilerCallInstrumentationFlags) METHOD_FILTER_EVENTS;
	return method_filter (profiler, method);
}

void
trigger_set_callbacks (MonoProfilerHandle handle, const struct call_events *events)
{
	mono_profiler_set_method_enter_callback (handle, events->enter);
	mono_profiler_set_method_leave_callback (handle, events->leave);
	mono_profiler_set_method_tail_call_callback (handle, events->tail_call);
	mono_profiler_set_method_exception_leave_callback (handle, events->exception_leave);
}

void
trigger_set_events (MonoProfilerHandle handle, monocle_kit_spool *spool, const struct call_events *events)
{
	static const struct call_events ours = { on_enter, on_leave, on_tail_call, on_exception_leave };
	count = *events;
	the_spool = spool;
	the_handle = handle;
	start_time = monocle_kit_now ();
	if (wanted) {
		char text[TEXT_SIZE];
		snprintf (text, sizeof text, "nothing: the trigger %.120s never happened", wanted);
		monocle_kit_spool_note (spool, "counted", text);
		events = &ours;
	}
	mono_profiler_set_call_instrumentation_filter_callback (handle, wanted ? filter : method_filter);
	trigger_set_callbacks (handle, events);
	if (exceptions)
		mono_profiler_set_exception_throw_callback (handle, exception_throw);
}

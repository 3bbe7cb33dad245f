/*
 * SPDX-License-Identifier: MIT
 *
 * calls.c - profiler module: how often each method was called, along which paths, and how long it took.
 *
 *   mono --profile=calls app.exe          every method of the program's own images, wall time
 *   mono --profile=calls:help
 *
 * The call tree, the file and the clock are the kit's; the choice of methods is method-filter.c's. What is here ties
 * them to the events.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>
#include <mono/utils/mono-publib.h>
#include <monocle/kit.h>

#include "describe.h"
#include "method-filter.h"
#include "method-near.h"
#include "name-text.h"
#include "trigger.h"
#include "value.h"
#include "written-name.h"

MONOCLE_KIT_SUMMARY ("counts and times every call");
MONOCLE_KIT_WHEN_EMPTY ("nothing happened that the module was asked for (calls shows the program's own methods; "
                        "--profile=calls:callspec=all shows all)");

enum time_choice { TIME_WALL, TIME_CPU, TIME_NONE };

static const char *option_callspec = "program";
static uint32_t option_time; /* time_choice */
static uint64_t option_calldepth = 128;
static bool option_threads;
static uint64_t option_threshold;
static uint64_t option_slowcalls = 1000;
static bool option_args, option_result;
static uint64_t option_strings = 64;
static const char *option_trigger;
static uint64_t option_paths;
static const char *option_output;

/* clang-format off */
static const monocle_kit_option options[] = {
	/* key         kind                        value             choices      help */
	{ "callspec",  MONOCLE_KIT_OPTION_LIST,   &option_callspec,  "SPEC",
	  "methods: all none program wrapper ASSEMBLY M:Type:Method N:Namespace T:Type, -SPEC; * and ? in names" },
	{ "include",   MONOCLE_KIT_OPTION_LIST,   &option_callspec,  "SPEC",      "the same" },
	{ "exclude",   MONOCLE_KIT_OPTION_WITHOUT, &option_callspec, "SPEC",      "the same with a - before each" },
	{ "time",      MONOCLE_KIT_OPTION_CHOICE, &option_time,      "wall|cpu|none",
	  "what is measured besides calls; cpu: where reading it costs less than 30 ns" },
	{ "calldepth", MONOCLE_KIT_OPTION_U64,    &option_calldepth, NULL,        "fold deeper calls; 0: as deep as can be",
	  0, MONOCLE_KIT_MAX_DEPTH },
	{ "threads",   MONOCLE_KIT_OPTION_FLAG,   &option_threads,   NULL,        "keep threads apart" },
	{ "threshold", MONOCLE_KIT_OPTION_TIME,   &option_threshold, NULL,
	  "list calls that take as long (5ms; ns us ms s), for monocle report --slow; 0: none" },
	{ "slowcalls", MONOCLE_KIT_OPTION_U64,    &option_slowcalls, NULL,        "list so many of them, the longest",
	  1, 100000 },
	{ "args",      MONOCLE_KIT_OPTION_FLAG,   &option_args,      NULL,        "with the arguments of these calls" },
	{ "result",    MONOCLE_KIT_OPTION_FLAG,   &option_result,    NULL,        "with their results" },
	{ "strings",   MONOCLE_KIT_OPTION_U64,    &option_strings,   NULL,        "of a string so many characters",
	  0, STRING_MOST },
	{ "trigger",   MONOCLE_KIT_OPTION_STRING, &option_trigger,   "EVENT",
	  "count from the first call of M:Type:Method to its end, or from the throw of an exception:TYPE on" },
	{ "paths",     MONOCLE_KIT_OPTION_U64,    &option_paths,     "SIZE",
	  "memory for call paths, what is beyond is folded; 0: 64m, or less where there is little" },
	{ "output",    MONOCLE_KIT_OPTION_STRING, &option_output,    "FILE",
	  "where the profile goes, else %e_%t_%p.calls.pb.gz: %p process, %t time, %e program, +FILE, |COMMAND, #FD" },
	{ NULL },
};
/* clang-format on */

/* --- names -------------------------------------------------------------------------------------------------------- */

static size_t
name_method (void *method, char *buffer, size_t size)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	const char *file = mono_image_get_filename (image);
	char *name = method_filter_wants (method) || trigger_wants (method) ? mono_method_full_name (method, 1) : NULL;
	char *written = name ? written_name (method, name) : NULL;
	char origin[MONOCLE_KIT_ORIGIN_SIZE];
	name_text_origin (method, UINT32_MAX, origin);
	size_t length = name_text_put (written ? written : name, file, origin, buffer, size);
	mono_free (name);
	free (written);
	return length;
}

/* --- events: the profiler's handle is the spool ------------------------------------------------------------------- */

static void
method_enter (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle_kit_calls_enter ((monocle_kit_spool *) profiler, method);
}

static void
method_leave (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle_kit_calls_leave ((monocle_kit_spool *) profiler, method);
}

/* The caller ends before its target begins: the target replaces it on the machine's stack too. */
static void
method_tail_call (MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	monocle_kit_calls_leave ((monocle_kit_spool *) profiler, method);
}

static void
method_exception_leave (MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	monocle_kit_calls_leave ((monocle_kit_spool *) profiler, method);
}

static const struct call_events counted = { method_enter, method_leave, method_tail_call, method_exception_leave };

/* --- with a threshold --------------------------------------------------------------------------------------------- */

static void
watched_enter (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle_kit_calls_enter_watched ((monocle_kit_spool *) profiler, method);
}

static void
described_enter (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle_kit_calls_enter_watched ((monocle_kit_spool *) profiler, method);
	describe_enter ((monocle_kit_spool *) profiler, method, context);
}

static void
watched_leave (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	monocle_kit_calls_leave_watched ((monocle_kit_spool *) profiler, method, MONOCLE_KIT_RETURNED, context);
}

static void
watched_tail_call (MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	monocle_kit_calls_leave_watched ((monocle_kit_spool *) profiler, method, MONOCLE_KIT_TAIL_CALLED, NULL);
}

static void
watched_exception_leave (MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	monocle_kit_calls_leave_watched ((monocle_kit_spool *) profiler, method, MONOCLE_KIT_THREW, NULL);
}

static const struct call_events watched = { watched_enter, watched_leave, watched_tail_call, watched_exception_leave };
static const struct call_events described_events = { described_enter, watched_leave, watched_tail_call,
	                                                 watched_exception_leave };

static MonoProfilerCallInstrumentationFlags
described_filter (MonoProfiler *profiler, MonoMethod *method)
{
	int flags = trigger_wants (method) ? METHOD_FILTER_EVENTS : (int) method_filter (profiler, method);
	return (MonoProfilerCallInstrumentationFlags) (flags ? flags | describe_flags (method) : flags);
}

static void
described_jit_begin (MonoProfiler *profiler, MonoMethod *method)
{
	if (method_filter_wants (method) || trigger_wants (method))
		describe_prepare (method);
}

/* --- control ------------------------------------------------------------------------------------------------------ */

static MonoProfilerHandle the_handle;
static monocle_kit_spool *the_spool;
static const struct call_events *the_events;
static bool is_silent;

static void
silent_enter (MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
}

static void
silent_tail_call (MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
}

static void
silent_exception_leave (MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
}

/* Probes stay where they are, so that methods that are compiled meanwhile have theirs. */
static const struct call_events silent = { silent_enter, silent_enter, silent_tail_call, silent_exception_leave };

static bool
start (void *data)
{
	monocle_kit_calls_resume (the_spool);
	trigger_set_callbacks (the_handle, the_events);
	is_silent = false;
	return true;
}

static bool
stop (void *data)
{
	trigger_set_callbacks (the_handle, &silent);
	monocle_kit_calls_pause (the_spool);
	is_silent = true;
	return true;
}

static bool
reset (void *data)
{
	if (is_silent)
		return monocle_kit_calls_reset (the_spool);
	stop (NULL);
	bool is_reset = monocle_kit_calls_reset (the_spool);
	start (NULL);
	return is_reset;
}

static bool
show (void *data, char *ret_path, size_t size)
{
	snprintf (ret_path, size, "%s", monocle_kit_spool_file (the_spool));
	return true;
}

/* A trigger decides itself when calls are counted; slow calls have begun at a time that is known. */
static void
register_control (MonoProfilerHandle handle, monocle_kit_spool *spool, const struct call_events *events)
{
	bool is_free = !option_trigger && !option_threshold;
	monocle_kit_control control = { .size = sizeof control, .module = "calls", .snapshot = show };
	the_handle = handle;
	the_spool = spool;
	the_events = events;
	if (is_free) {
		control.start = start;
		control.stop = stop;
		control.reset = reset;
	}
	monocle_kit_control_register (&control);
}

/* --- threads and the end ------------------------------------------------------------------------------------------ */

static void
thread_exited (MonoProfiler *profiler, uintptr_t tid)
{
	if (tid != (uintptr_t) pthread_self ())
		return;
	trigger_thread_exited ();
	monocle_kit_calls_thread_end ((monocle_kit_spool *) profiler);
}

static void
thread_name (MonoProfiler *profiler, uintptr_t tid, const char *name)
{
	monocle_kit_calls_thread_name ((monocle_kit_spool *) profiler, tid, name);
}

static void
image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	method_filter_image_unloading (profiler, image);
	trigger_image_unloading ();
	describe_image_unloading (image);
}

/* The profile will be empty. */
static void
note_near (monocle_kit_spool *spool)
{
	char near[128], note[256];
	if (!method_near_find (near, sizeof near))
		return;
	snprintf (note, sizeof note, "nothing: no method matches callspec=%.40s; did you mean %s?", option_callspec, near);
	monocle_kit_spool_note (spool, "counted", note);
}

static void
runtime_shutdown_end (MonoProfiler *profiler)
{
	note_near ((monocle_kit_spool *) profiler);
	monocle_kit_spool_close ((monocle_kit_spool *) profiler);
}

/* --- the end of an attach ----------------------------------------------------------------------------------------- */

__attribute__ ((visibility ("default"))) void monocle_profiler_leave_calls (void);

/* No thread is in here any more, nor will be: what is left is given back, and the library closed. */
void
monocle_profiler_leave_calls (void)
{
	monocle_kit_control_forget ("calls");
	monocle_kit_spool_free (the_spool);
	method_filter_leave ();
	trigger_leave ();
}

/* --- start -------------------------------------------------------------------------------------------------------- */

/* A call is measured by two readings: where they are dear, they are what is measured. */
static bool
can_read_cpu (void)
{
	enum { COST_MOST = 30 };
	uint32_t cost = monocle_kit_clock_cpu_cost ();
	if (cost >= COST_MOST)
		monocle_kit_log_failure ("calls",
		                         "time=cpu: reading a thread's CPU time costs %u ns here, and a call needs two; it is "
		                         "for less than %d ns. --profile=sample shows where CPU time goes",
		                         cost, COST_MOST);
	return cost < COST_MOST;
}

static bool
read_options (const char *desc)
{
	int result = monocle_kit_options_parse ("calls", desc, options);
	if (result > 0)
		_exit (0); /* The user asked for help, not for a program. */
	if (result == 0 && option_threshold && option_time != TIME_WALL) {
		monocle_kit_log_failure ("calls", "option threshold needs times: leave out time=%s",
		                         option_time == TIME_CPU ? "cpu" : "none");
		return false;
	}
	if (result == 0 && !option_threshold && (option_args || option_result)) {
		monocle_kit_log_failure ("calls", "option %s is about slow calls: it needs threshold=TIME",
		                         option_args ? "args" : "result");
		return false;
	}
	method_near_init (option_callspec);
	return result == 0 && method_filter_init ("calls", option_callspec) && trigger_init (option_trigger) &&
	       (option_time != TIME_CPU || can_read_cpu ());
}

static monocle_kit_spool *
open_spool (const char *desc, bool described)
{
	char *runtime = mono_get_runtime_build_info ();
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "calls",
		.output = option_output,
		.desc = desc,
		.runtime = runtime,
		.name_method = name_method,
		.times = option_time != TIME_NONE,
		.cpu = option_time == TIME_CPU,
		.threads = option_threads,
		.max_depth = (uint32_t) option_calldepth,
		.threshold = option_threshold,
		.slow_calls = (uint32_t) option_slowcalls,
		.describe = described ? describe_call : NULL,
		.late = option_trigger != NULL,
		.paths = option_paths,
	};
	monocle_kit_spool *spool = monocle_kit_spool_open (&config);
	mono_free (runtime);
	return spool;
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_calls (const char *desc);

void
mono_profiler_init_calls (const char *desc)
{
	if (!read_options (desc))
		return;
	bool described = (option_args || option_result) &&
	                 describe_init ("calls", option_args, option_result, (uint32_t) option_strings);
	monocle_kit_spool *spool = open_spool (desc, described);
	if (!spool)
		return;
	MonoProfilerHandle handle = mono_profiler_create ((MonoProfiler *) spool);
	const struct call_events *events = described ? &described_events : option_threshold ? &watched : &counted;
	trigger_set_events (handle, spool, events);
	register_control (handle, spool, events);
	if (described) {
		mono_profiler_set_call_instrumentation_filter_callback (handle, described_filter);
		mono_profiler_set_jit_begin_callback (handle, described_jit_begin);
	}
	mono_profiler_set_thread_exited_callback (handle, thread_exited);
	mono_profiler_set_thread_name_callback (handle, thread_name);
	mono_profiler_set_image_unloading_callback (handle, image_unloading);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}

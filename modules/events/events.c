/*
 * SPDX-License-Identifier: MIT
 *
 * events.c - profiler module: every event as a line of text, as it happens.
 *
 *   mono --profile=events app.exe                    what happens seldom enough to be read
 *   mono --profile=events:only=gc+monitor app.exe    collections and contended monitors
 *   mono --profile=events:calls app.exe              calls of the program's own methods as well
 *   mono --profile=events:help
 *
 * The choice of events is choice.c's, the lines are tap.c's and show.c's, the file is the kit's.
 */
#include "events.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>

#include "method-filter.h"
#include "show.h"

MONOCLE_KIT_SUMMARY ("every event as a line of text");

static const char *option_only, *option_also, *option_without, *option_output, *option_callspec = "program";
static bool option_calls, option_threads, option_indent = true;
static uint32_t option_time;
static uint64_t option_buffer = 1 << 20, option_limit = 1 << 30;

/* clang-format off */
static const monocle_kit_option options[] = {
	/* key        kind                        value            choices        help */
	{ "only",     MONOCLE_KIT_OPTION_STRING, &option_only,     "PREFIX+...",
	  "these events, else the usual ones, by how their names begin: gc+monitor" },
	{ "also",     MONOCLE_KIT_OPTION_STRING, &option_also,     "PREFIX+...", "these as well as the usual ones" },
	{ "without",  MONOCLE_KIT_OPTION_STRING, &option_without,  "PREFIX+...", "but not these" },
	{ "calls",    MONOCLE_KIT_OPTION_FLAG,   &option_calls,    NULL,         "calls of methods as well" },
	{ "callspec", MONOCLE_KIT_OPTION_LIST,   &option_callspec, "SPEC",
	  "whose calls: all none program wrapper ASSEMBLY M:Type:Method N:Namespace T:Type, -SPEC; * and ? in names" },
	{ "threads",  MONOCLE_KIT_OPTION_FLAG,   &option_threads,  NULL,         "a file per thread" },
	{ "indent",   MONOCLE_KIT_OPTION_FLAG,   &option_indent,   NULL,         "indent by what is open on the thread" },
	{ "time",     MONOCLE_KIT_OPTION_CHOICE, &option_time,     "since|clock",
	  "seconds since the start, or time of day" },
	{ "buffer",   MONOCLE_KIT_OPTION_U64,    &option_buffer,   "BYTES",
	  "per thread, while lines wait to be written", 1 << 17, 1 << 30 },
	{ "limit",    MONOCLE_KIT_OPTION_U64,    &option_limit,    "BYTES",      "the log ends there; 0: nowhere" },
	{ "output",   MONOCLE_KIT_OPTION_STRING, &option_output,   "FILE",
	  "where the log goes, else %e_%t_%p.%m.log: %p process, %t time, %e program, %m module, +FILE, |COMMAND, #FD" },
	{ NULL },
};
/* clang-format on */

static monocle_kit_text *the_log;

static bool
read_options (const char *desc)
{
	int result = monocle_kit_options_parse ("events", desc, options);
	if (result > 0)
		_exit (0); /* Somebody asked for help, not for a program. */
	if (result < 0 || !method_filter_init ("events", option_callspec))
		return false;
	if (!choose_events (option_only, option_also, option_without))
		return false;
	if (option_calls)
		choose_calls ();
	return true;
}

static monocle_kit_text *
open_log (const char *desc)
{
	char head[512];
	char *runtime = mono_get_runtime_build_info ();
	snprintf (head, sizeof head, "# %.380s on %.80s\n# time thread event\n", desc, runtime ? runtime : "?");
	mono_free (runtime);
	monocle_kit_text_config config = {
		.size = sizeof config,
		.module = "events",
		.output = option_output,
		.head = head,
		.threads = option_threads,
		.buffer = option_buffer,
		.limit = option_limit,
	};
	return monocle_kit_text_open (&config);
}

/* A second handle, made before the tap's, so that its callbacks run after the lines were written. */
static void
shutdown_end (MonoProfiler *profiler)
{
	monocle_kit_text_close (the_log);
}

static void
image_unloaded (MonoProfiler *profiler, MonoImage *image)
{
	show_forget_methods ();
}

static void
method_free (MonoProfiler *profiler, MonoMethod *method)
{
	show_forget_method (method);
}

static void
install_own (void)
{
	MonoProfilerHandle own = mono_profiler_create (NULL);
	mono_profiler_set_runtime_shutdown_end_callback (own, shutdown_end);
	mono_profiler_set_image_unloading_callback (own, method_filter_image_unloading);
	mono_profiler_set_image_unloaded_callback (own, image_unloaded);
	mono_profiler_set_method_free_callback (own, method_free);
}

/* What events need besides a callback. */
static void
enable (MonoProfilerHandle handle)
{
	if (is_chosen ("gc_allocation") && !mono_profiler_enable_allocations ())
		monocle_kit_log ("events", "this runtime tells of no allocations");
	/* Of CoreCLR the choice has said it. */
	if (is_chosen ("exception_clause") && !mono_profiler_enable_clauses () && !monocle_event_support)
		monocle_kit_log ("events", "this runtime tells of no exception clauses");
	if (is_chosen ("method_enter") || is_chosen ("method_leave") || is_chosen ("method_exception_leave") ||
	    is_chosen ("method_tail_call"))
		mono_profiler_set_call_instrumentation_filter_callback (handle, method_filter);
}

/* --- control ------------------------------------------------------------------------------------------------------ */

static bool
start (void *data)
{
	tap_silence (false);
	return true;
}

static bool
stop (void *data)
{
	tap_silence (true);
	return true;
}

static bool
show_file (void *data, char *ret_path, size_t size)
{
	enum { CONTROL_MS = 2000 };
	snprintf (ret_path, size, "%s", monocle_kit_text_file (the_log));
	return monocle_kit_text_sync (the_log, CONTROL_MS);
}

/* A file for each thread is no one file. What is written stays written. */
static void
register_control (void)
{
	monocle_kit_control control = { .size = sizeof control, .module = "events", .start = start, .stop = stop };
	if (!option_threads)
		control.snapshot = show_file;
	monocle_kit_control_register (&control);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_events (const char *desc);

void
mono_profiler_init_events (const char *desc)
{
	if (!read_options (desc) || !(the_log = open_log (desc)))
		return;
	install_own ();
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	enable (handle);
	if (tap_install (handle, the_log, option_indent, option_time == 1))
		register_control ();
	else
		monocle_kit_text_close (the_log);
}

/* --- the end of an attach ----------------------------------------------------------------------------------------- */

__attribute__ ((visibility ("default"))) void monocle_profiler_leave_events (void);

/* No thread is in here any more, nor will be: what is left is given back, and the library closed. */
void
monocle_profiler_leave_events (void)
{
	monocle_kit_control_forget ("events");
	tap_leave ();
	method_filter_leave ();
}

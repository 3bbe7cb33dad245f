/*
 * SPDX-License-Identifier: MIT
 *
 * exceptions.c - profiler module: which exceptions are thrown, and where.
 *
 *   mono --profile=exceptions app.exe          a profile: how often, by stack and type
 *   mono --profile=exceptions:text app.exe     the same as text, with messages
 *   mono --profile=exceptions:log app.exe      each exception on its way from throw to catch
 *   mono --profile=exceptions:help
 *
 * The stack is walked when an exception is thrown, on the thread that throws it; it is counted by the kit or by
 * table.c. The innermost frame is the exception's type.
 */
#include "exceptions.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <mono/jit/jit.h>
#include <mono/metadata/class.h>
#include <mono/metadata/loader.h>
#include <mono/utils/mono-publib.h>

#include "drain-thread.h"
#include "name-text.h"

MONOCLE_KIT_SUMMARY ("what is thrown, and where");
MONOCLE_KIT_WHEN_EMPTY ("no exception was thrown");

static bool option_text, option_log, option_threads;
static uint64_t option_depth = 64, option_buffer = 1 << 20, option_paths;
static const char *option_filter, *option_output;

/* clang-format off */
static const monocle_kit_option options[] = {
	/* key       kind                        value            choices     help */
	{ "text",    MONOCLE_KIT_OPTION_FLAG,   &option_text,    NULL,
	  "a table as text, with the first message of each stack" },
	{ "log",     MONOCLE_KIT_OPTION_FLAG,   &option_log,     NULL,       "each exception on its way, as text" },
	{ "depth",   MONOCLE_KIT_OPTION_U64,    &option_depth,   NULL,       "frames kept of a stack, innermost first",
	  1, 1000 },
	{ "filter",  MONOCLE_KIT_OPTION_STRING, &option_filter,  "TYPE+...",
	  "types to look at, else all, as globs: System.IO.*+*.Oops" },
	{ "threads", MONOCLE_KIT_OPTION_FLAG,   &option_threads, NULL,       "keep threads apart" },
	{ "buffer",  MONOCLE_KIT_OPTION_U64,    &option_buffer,  "BYTES",    "for what waits to be counted or written",
	  1 << 17, 1 << 30 },
	{ "paths",   MONOCLE_KIT_OPTION_U64,    &option_paths,   "SIZE",
	  "memory for stacks, what is beyond is folded; 0: 64m, or less where there is little" },
	{ "output",  MONOCLE_KIT_OPTION_STRING, &option_output,  "FILE",
	  "where it goes, else %e_%t_%p.exceptions.pb.gz or .log: %p process, %t time, %e program, +FILE, |COMMAND, #FD" },
	{ NULL },
};
/* clang-format on */

static monocle_kit_stacks *the_stacks; /* NULL: what comes out is text */
static monocle_kit_text *the_text;

static atomic_bool is_stopped; /* what is thrown is not looked at */

/* Keys of types, among those of methods, are odd. */
enum { TYPE_KEY = 1 };

/* --- a throw ------------------------------------------------------------------------------------------------------ */

struct walk {
	MonoMethod **methods;
	uint32_t count, room;
	bool is_cut;
};

/* Mono's glue has frames too: CoreCLR's has none, and it is not in anyone's source. */
static mono_bool
see_frame (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed, void *data)
{
	struct walk *walk = data;
	if (!managed)
		return 0;
	if (walk->count == walk->room) {
		walk->is_cut = true;
		return 1;
	}
	walk->methods[walk->count++] = method;
	return 0;
}

static void
add_to_profile (struct type *type, const struct walk *walk, bool again)
{
	monocle_kit_frame frames[walk->count + 2];
	uint32_t count = 0;
	uint64_t values[2] = { again, !again };
	frames[count++] = (monocle_kit_frame) { (void *) ((uintptr_t) type | TYPE_KEY), 0 };
	for (uint32_t i = 0; i < walk->count; i++)
		frames[count++] = (monocle_kit_frame) { walk->methods[i], 0 };
	if (walk->is_cut)
		frames[count++] = (monocle_kit_frame) { (void *) MONOCLE_KIT_FRAME_TRUNCATED, 0 };
	else if (!walk->count)
		frames[count++] = (monocle_kit_frame) { (void *) MONOCLE_KIT_FRAME_NATIVE, 0 };
	monocle_kit_stacks_add (the_stacks, frames, count, (uint64_t) pthread_self (), values);
}

static void
see_throw (struct type *type, MonoObject *exception)
{
	MonoMethod *methods[option_depth];
	struct walk walk = { .methods = methods, .room = (uint32_t) option_depth };
	bool again = type_is_again (exception);
	type_count (type, exception, again);
	if (option_log)
		log_throw (type, exception, again);
	if (!the_stacks && !option_text)
		return;
	mono_stack_walk_no_il (see_frame, &walk);
	if (the_stacks)
		add_to_profile (type, &walk, again);
	else
		table_add (type, exception, again, methods, walk.count, walk.is_cut);
}

static void
exception_throw (MonoProfiler *profiler, MonoObject *exception)
{
	int saved_errno = errno;
	struct type *type = atomic_load_explicit (&is_stopped, memory_order_relaxed) ? NULL : type_of (exception);
	if (type && type->is_wanted)
		see_throw (type, exception);
	errno = saved_errno;
}

/* --- names, on the drain thread ----------------------------------------------------------------------------------- */

static size_t
name_of (void *key, char *buffer, size_t size)
{
	if (!((uintptr_t) key & TYPE_KEY)) {
		monocle_kit_runtime_ask ();
		size_t length = drain_thread_name (key, buffer, size);
		monocle_kit_runtime_asked ();
		return length;
	}
	const struct type *type = (const struct type *) ((uintptr_t) key & ~(uintptr_t) TYPE_KEY);
	return name_text_put (type->name, type->image, NULL, buffer, size);
}

static void
beat (void *data)
{
	if (the_stacks)
		type_note (the_stacks);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* What goes away must have its name before. */
static void
image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	type_image_unloading (profiler, image);
	if (the_stacks)
		monocle_kit_stacks_sync (the_stacks, 200);
}

static void
thread_name (MonoProfiler *profiler, uintptr_t tid, const char *name)
{
	monocle_kit_stacks_thread_name (the_stacks, tid, name);
}

static void
thread_exited (MonoProfiler *profiler, uintptr_t tid)
{
	monocle_kit_stacks_thread_end (the_stacks, tid);
}

static void
runtime_shutdown_begin (MonoProfiler *profiler)
{
	if (the_stacks)
		monocle_kit_stacks_close (the_stacks);
	if (the_text && option_text)
		table_write (the_text);
	if (the_text)
		monocle_kit_text_close (the_text);
}

/* --- control ------------------------------------------------------------------------------------------------------ */

enum { CONTROL_MS = 2000 };

static bool
start (void *data)
{
	is_stopped = false;
	return true;
}

static bool
stop (void *data)
{
	is_stopped = true;
	return true;
}

static bool
reset (void *data)
{
	return monocle_kit_stacks_reset (the_stacks, CONTROL_MS);
}

static bool
show (void *data, char *ret_path, size_t size)
{
	snprintf (ret_path, size, "%s",
	          the_stacks ? monocle_kit_stacks_file (the_stacks) : monocle_kit_text_file (the_text));
	return the_stacks ? monocle_kit_stacks_sync (the_stacks, CONTROL_MS) : monocle_kit_text_sync (the_text, CONTROL_MS);
}

/* The table as text is written at the end; lines of a log stay written, and follow each exception to its catch. */
static void
register_control (void)
{
	monocle_kit_control control = { .size = sizeof control, .module = "exceptions" };
	if (!option_log) {
		control.start = start;
		control.stop = stop;
	}
	if (the_stacks)
		control.reset = reset;
	if (the_stacks || !option_text)
		control.snapshot = show;
	monocle_kit_control_register (&control);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static bool
open_stacks (const char *desc, const char *runtime)
{
	monocle_kit_stacks_config config = {
		.size = sizeof config,
		.module = "exceptions",
		.output = option_output,
		.desc = desc,
		.runtime = runtime,
		.values = { { "rethrown", "count" }, { "exceptions", "count" } },
		.threads = option_threads,
		.buffer = option_buffer,
		.paths = option_paths,
		.name = name_of,
		.begin = drain_thread_begin,
		.beat = beat,
	};
	return (the_stacks = monocle_kit_stacks_open (&config)) != NULL;
}

static bool
open_text (const char *desc, const char *runtime)
{
	char head[512];
	int length = snprintf (head, sizeof head, "# %.300s on %.100s\n", desc, runtime ? runtime : "?");
	if (option_log && length > 0)
		snprintf (head + length, sizeof head - (size_t) length, "# time thread what\n");
	monocle_kit_text_config config = {
		.size = sizeof config,
		.module = "exceptions",
		.output = option_output,
		.head = head,
		.threads = option_threads && option_log && !option_text,
		.buffer = option_buffer,
	};
	return (the_text = monocle_kit_text_open (&config)) != NULL;
}

static bool
open_output (const char *desc)
{
	char *runtime = mono_get_runtime_build_info ();
	bool is_open = option_text || option_log ? open_text (desc, runtime) : open_stacks (desc, runtime);
	mono_free (runtime);
	return is_open;
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_exceptions (const char *desc);

void
mono_profiler_init_exceptions (const char *desc)
{
	int result = monocle_kit_options_parse ("exceptions", desc, options);
	if (result > 0)
		_exit (0); /* The user asked for help, not for a program. */
	if (result < 0 || !open_output (desc))
		return;
	type_init (option_filter);
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	if (option_log)
		log_install (handle, the_text);
	mono_profiler_set_exception_throw_callback (handle, exception_throw);
	mono_profiler_set_image_unloading_callback (handle, image_unloading);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, runtime_shutdown_begin);
	register_control ();
	if (the_stacks && option_threads) {
		mono_profiler_set_thread_name_callback (handle, thread_name);
		mono_profiler_set_thread_exited_callback (handle, thread_exited);
	}
}

/* --- the end of an attach ----------------------------------------------------------------------------------------- */

__attribute__ ((visibility ("default"))) void monocle_profiler_leave_exceptions (void);

/* No thread is in here any more, nor will be: what is left is given back, and the library closed. */
void
monocle_profiler_leave_exceptions (void)
{
	monocle_kit_control_forget ("exceptions");
	if (the_text && option_log)
		log_leave ();
	else
		monocle_kit_text_free (the_text);
	monocle_kit_stacks_free (the_stacks);
	drain_thread_leave ();
	table_free ();
	type_free ();
}

/*
 * SPDX-License-Identifier: MIT
 *
 * calls.c - profiler module: how often each method was called, along which paths, and how long it took.
 *
 *   mono --profile=calls app.exe          every method of the program's own images, wall time
 *   mono --profile=calls:help
 *
 * The call tree, the file and the clock are the kit's. What is here is the choice of methods: a filter that answers
 * most methods by their image alone, because a runtime asks it for each method that it compiles, again when it inlines
 * and (Mono) for each frame that an exception unwinds.
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

static const char *option_callspec = "program";
static uint32_t option_time;
static uint64_t option_calldepth = 128;
static bool option_threads;
static const char *option_output;

/* clang-format off */
static const monocle_kit_option options[] = {
	/* key         kind                        value             choices      help */
	{ "callspec",  MONOCLE_KIT_OPTION_STRING, &option_callspec,  "SPEC",
	  "methods: all none program wrapper ASSEMBLY M:Type:Method N:Namespace T:Type, -SPEC" },
	{ "time",      MONOCLE_KIT_OPTION_CHOICE, &option_time,      "wall|none", "what is measured besides calls" },
	{ "calldepth", MONOCLE_KIT_OPTION_U64,    &option_calldepth, NULL,        "fold deeper calls; 0: as deep as can be",
	  0, MONOCLE_KIT_MAX_DEPTH },
	{ "threads",   MONOCLE_KIT_OPTION_FLAG,   &option_threads,   NULL,        "keep threads apart" },
	{ "output",    MONOCLE_KIT_OPTION_STRING, &option_output,    "FILE",
	  "where the profile goes: %p %t %e %m %n, +FILE, |COMMAND, #FD" },
	{ NULL },
};
/* clang-format on */

enum { ALL_EVENTS = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	                MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE };

static monocle_kit_callspec *callspec;

/* --- which methods ------------------------------------------------------------------------------------------------ */

/*
 * What monocle_kit_callspec_match_image () said of each image: the image's address, with its answer + 2 (1, 2 or 3) in
 * the two low bits. Lock-free; slots are taken by compare-and-swap, and an image that goes away leaves a tombstone.
 * When it is full, answers are made anew each time.
 */
enum { IMAGE_SLOTS = 1024 };
static uintptr_t image_answers[IMAGE_SLOTS];
#define TOMBSTONE ((uintptr_t) 1)

static uintptr_t
hash_image (const MonoImage *image)
{
	return (uintptr_t) image * (uintptr_t) 0x9e3779b97f4a7c15u >> 40;
}

static int
ask_spec (MonoImage *image)
{
	const char *name = mono_image_get_name (image);
	bool is_own = monocle_kit_image_is_own (mono_image_get_filename (image));
	return monocle_kit_callspec_match_image (callspec, name ? name : "", is_own);
}

static int
match_image (MonoImage *image)
{
	uintptr_t key = (uintptr_t) image;
	for (uintptr_t i = 0; i < IMAGE_SLOTS; i++) {
		uintptr_t *slot = &image_answers[(hash_image (image) + i) % IMAGE_SLOTS];
		uintptr_t seen = __atomic_load_n (slot, __ATOMIC_RELAXED);
		if ((seen & ~(uintptr_t) 3) == key)
			return (int) (seen & 3) - 2;
		if (seen == 0) {
			int answer = ask_spec (image);
			__atomic_compare_exchange_n (slot, &seen, key | (uintptr_t) (answer + 2), false, __ATOMIC_RELAXED,
			                             __ATOMIC_RELAXED);
			return answer;
		}
	}
	return ask_spec (image);
}

static void
image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	for (uintptr_t i = 0; i < IMAGE_SLOTS; i++) {
		uintptr_t *slot = &image_answers[(hash_image (image) + i) % IMAGE_SLOTS];
		uintptr_t seen = __atomic_load_n (slot, __ATOMIC_RELAXED);
		if (seen == 0)
			return;
		if ((seen & ~(uintptr_t) 3) == (uintptr_t) image)
			__atomic_store_n (slot, TOMBSTONE, __ATOMIC_RELAXED);
	}
}

/* Wrappers have no row in a method table; Mono's name of one says what it is. */
static bool
is_wrapper (MonoMethod *method)
{
	static const char mark[] = "(wrapper ";
	if (mono_method_get_token (method) & 0xffffff)
		return false;
	char *name = mono_method_full_name (method, 0);
	bool wrapper = name && !strncmp (name, mark, sizeof mark - 1);
	mono_free (name);
	return wrapper;
}

/* "Outer/Inner"; the namespace is the outermost class's. */
static void
name_type (MonoClass *klass, char *buffer, size_t size, const char **ret_namespace)
{
	MonoClass *outer = mono_class_get_nesting_type (klass);
	size_t length = 0;
	if (outer) {
		name_type (outer, buffer, size, ret_namespace);
		length = strlen (buffer);
	} else {
		*ret_namespace = mono_class_get_namespace (klass);
	}
	snprintf (buffer + length, size - length, "%s%s", outer ? "/" : "", mono_class_get_name (klass));
}

static bool
match_method (MonoMethod *method, MonoClass *klass, MonoImage *image, bool wrapper)
{
	char type[1024];
	monocle_kit_callspec_names names = { .assembly = mono_image_get_name (image), .is_wrapper = wrapper };
	names.is_own = monocle_kit_image_is_own (mono_image_get_filename (image));
	name_type (klass, type, sizeof type, &names.name_space);
	names.type = type;
	names.method = mono_method_get_name (method);
	names.assembly = names.assembly ? names.assembly : "";
	names.name_space = names.name_space ? names.name_space : "";
	return monocle_kit_callspec_match (callspec, &names);
}

static bool
is_wanted (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = mono_class_get_image (klass);
	int answer = match_image (image);
	bool wrapper = is_wrapper (method);
	if (answer < 0 || wrapper)
		return match_method (method, klass, image, wrapper);
	return answer > 0;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *profiler, MonoMethod *method)
{
	return is_wanted (method) ? (MonoProfilerCallInstrumentationFlags) ALL_EVENTS
	                          : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static size_t
name_method (void *method, char *buffer, size_t size)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	const char *file = mono_image_get_filename (image);
	char *name = is_wanted (method) ? mono_method_full_name (method, 1) : NULL;
	size_t name_size = name ? strlen (name) + 1 : 1, file_size = file ? strlen (file) + 1 : 1;
	if (name_size + file_size <= size) {
		memcpy (buffer, name ? name : "", name_size);
		memcpy (buffer + name_size, file ? file : "", file_size);
	}
	mono_free (name);
	return name_size + file_size;
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

static void
thread_exited (MonoProfiler *profiler, uintptr_t tid)
{
	if (tid == (uintptr_t) pthread_self ())
		monocle_kit_calls_thread_end ((monocle_kit_spool *) profiler);
}

static void
thread_name (MonoProfiler *profiler, uintptr_t tid, const char *name)
{
	monocle_kit_calls_thread_name ((monocle_kit_spool *) profiler, tid, name);
}

static void
runtime_shutdown_end (MonoProfiler *profiler)
{
	monocle_kit_spool_close ((monocle_kit_spool *) profiler);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static bool
read_options (const char *desc)
{
	const char *error;
	int result = monocle_kit_options_parse ("calls", desc, options);
	if (result > 0)
		_exit (0); /* Somebody asked for help, not for a program. */
	if (result < 0)
		return false;
	callspec = monocle_kit_callspec_new (option_callspec, &error);
	if (!callspec)
		monocle_kit_log ("calls", "option callspec=%s: %s", option_callspec, error);
	return callspec != NULL;
}

static monocle_kit_spool *
open_spool (const char *desc)
{
	char *runtime = mono_get_runtime_build_info ();
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "calls",
		.output = option_output,
		.desc = desc,
		.runtime = runtime,
		.name_method = name_method,
		.times = option_time == 0,
		.threads = option_threads,
		.max_depth = (uint32_t) option_calldepth,
	};
	monocle_kit_spool *spool = monocle_kit_spool_open (&config);
	mono_free (runtime);
	return spool;
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_calls (const char *desc);

void
mono_profiler_init_calls (const char *desc)
{
	monocle_kit_spool *spool = read_options (desc) ? open_spool (desc) : NULL;
	if (!spool)
		return;
	MonoProfilerHandle handle = mono_profiler_create ((MonoProfiler *) spool);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_tail_call_callback (handle, method_tail_call);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
	mono_profiler_set_thread_exited_callback (handle, thread_exited);
	mono_profiler_set_thread_name_callback (handle, thread_name);
	mono_profiler_set_image_unloading_callback (handle, image_unloading);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}

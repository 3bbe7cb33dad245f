/*
 * SPDX-License-Identifier: MIT
 *
 * log.c - each exception on its way, line by line: thrown, looked for, unwound, caught.
 *
 * CoreCLR reports both passes, frame by frame (exception_phase). Mono reports which blocks run (exception_clause) and
 * which of the program's methods are left. An exception that is thrown while another one is on its way, in a filter or
 * a finally block, is indented further.
 *
 *     seconds since the start   thread   throw TYPE: message
 *                                          search | found | unwind | finally | catch ... METHOD
 */
#include "exceptions.h"

#include <stdatomic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/metadata.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>

enum { LEVELS = 16, LINE_SIZE = 2048 };

/* What a thread has under way. */
struct way {
	struct way *next;     /* in the list of all */
	atomic_bool is_taken; /* by a thread that has not ended */
	_Atomic (pid_t) tid;
	unsigned count;       /* throws; what is nested deeper is not indented more */
	uintptr_t sp[LEVELS]; /* of each, outermost first */
};

static _Atomic (struct way *) ways;
static monocle_kit_text *the_log;
static uint64_t start;
/*
 * A thread's way is the value of a key: a library that is opened while a program runs does no good with thread-local
 * variables (lib/base/thread-word.h). Without a key it is looked for by its thread's number.
 */
static pthread_key_t way_key;
static bool has_key;

/* Of a thread that ends; the next one takes it. */
static void
give_way_back (void *data)
{
	struct way *way = data;
	way->count = 0;
	atomic_store (&way->is_taken, false);
}

static struct way *
take_way (void)
{
	struct way *way = atomic_load (&ways);
	for (bool is_taken = false; way; way = way->next, is_taken = false)
		if (atomic_compare_exchange_strong (&way->is_taken, &is_taken, true))
			return way;
	way = calloc (1, sizeof *way);
	if (!way)
		return NULL;
	atomic_init (&way->is_taken, true);
	way->next = atomic_load (&ways);
	while (!atomic_compare_exchange_weak (&ways, &way->next, way))
		;
	return way;
}

/* NULL: the calling thread has none yet. */
static struct way *
own_way (pid_t tid)
{
	if (has_key)
		return pthread_getspecific (way_key);
	struct way *way = atomic_load (&ways);
	while (way && !(way->tid == tid && atomic_load (&way->is_taken)))
		way = way->next;
	return way;
}

static struct way *
get_way (void)
{
	pid_t tid = has_key ? 0 : (pid_t) syscall (SYS_gettid);
	struct way *way = own_way (tid);
	if (way || !(way = take_way ()))
		return way;
	way->tid = tid ? tid : (pid_t) syscall (SYS_gettid);
	if (!has_key || pthread_setspecific (way_key, way) == 0)
		return way;
	give_way_back (way);
	return NULL;
}

/*
 * Throws are on their way until they are caught. One that never is (a finally block threw, native code took it) is over
 * when something is thrown from no deeper in the stack.
 */
static void
forget_deeper (struct way *way, uintptr_t sp)
{
	while (way->count && way->sp[way->count - 1] <= sp)
		way->count--;
}

static void
write_line (const struct way *way, unsigned level, const char *what, const char *detail)
{
	char line[LINE_SIZE];
	uint64_t now = monocle_kit_now (), since = (now - start) / 1000;
	int length =
	    snprintf (line, sizeof line, "%6u.%06u %7d %*s%s%s%s", (unsigned) (since / 1000000),
	              (unsigned) (since % 1000000), (int) way->tid, (int) level * 2, "", what, *detail ? " " : "", detail);
	if (length > 0)
		monocle_kit_text_line (the_log, now, line, (size_t) length < sizeof line ? (size_t) length : sizeof line - 1);
}

static void
write_method (const char *what, MonoMethod *method, bool is_end)
{
	struct way *way = get_way ();
	char *name = method ? mono_method_full_name (method, 1) : NULL;
	if (way)
		write_line (way, way->count ? way->count : 1, what, name ? name : "");
	if (way && is_end && way->count)
		way->count--;
	mono_free (name);
}

void
log_throw (struct type *type, MonoObject *exception, bool again)
{
	char text[LINE_SIZE / 2], message[LINE_SIZE / 4];
	struct way *way = get_way ();
	uintptr_t sp = (uintptr_t) __builtin_frame_address (0);
	if (!way)
		return;
	type_message (exception, message, sizeof message);
	snprintf (text, sizeof text, "%s%s%s", type->name, *message ? ": " : "", message);
	forget_deeper (way, sp);
	write_line (way, way->count, again ? "rethrow" : "throw", text);
	if (way->count < LEVELS)
		way->sp[way->count++] = sp;
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void
on_phase (MonoProfiler *profiler, MonocleExceptionPhase phase, MonoMethod *method, MonoObject *exception)
{
	static const char *const words[] = {
		[MONOCLE_EXCEPTION_SEARCH_ENTER] = "search",   [MONOCLE_EXCEPTION_FILTER_ENTER] = "filter",
		[MONOCLE_EXCEPTION_CATCHER_FOUND] = "found",   [MONOCLE_EXCEPTION_UNWIND_ENTER] = "unwind",
		[MONOCLE_EXCEPTION_FINALLY_ENTER] = "finally", [MONOCLE_EXCEPTION_CATCHER_ENTER] = "catch",
	};
	if ((size_t) phase < sizeof words / sizeof *words && words[phase])
		write_method (words[phase], method, phase == MONOCLE_EXCEPTION_CATCHER_ENTER);
}

/* The ends of searches and blocks say nothing that the next line does not; a finally on the normal path is not news. */
static void
on_clause (MonoProfiler *profiler, MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	char what[32];
	const char *word = type == MONO_EXCEPTION_CLAUSE_FILTER  ? "filter"
	                 : type == MONO_EXCEPTION_CLAUSE_FINALLY ? "finally"
	                 : type == MONO_EXCEPTION_CLAUSE_FAULT   ? "fault"
	                                                         : "catch";
	if (!exception)
		return;
	snprintf (what, sizeof what, "%s #%u", word, index);
	write_method (what, method, type == MONO_EXCEPTION_CLAUSE_NONE);
}

static void
on_leave (MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	write_method ("leave", method, false);
}

/* Mono asks again for each frame that it unwinds, and compiles nothing into methods for it. */
static MonoProfilerCallInstrumentationFlags
wants_leave (MonoProfiler *profiler, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *file = klass ? mono_image_get_filename (mono_class_get_image (klass)) : NULL;
	bool is_own = file && monocle_kit_image_is_own (file);
	return is_own ? MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

void
log_install (MonoProfilerHandle handle, monocle_kit_text *text)
{
	the_log = text;
	start = monocle_kit_now ();
	has_key = pthread_key_create (&way_key, give_way_back) == 0;
	if (monocle_profiler_set_exception_phase_callback) {
		monocle_profiler_set_exception_phase_callback (handle, on_phase);
		return;
	}
	if (mono_profiler_enable_clauses ())
		mono_profiler_set_exception_clause_callback (handle, on_clause);
	mono_profiler_set_call_instrumentation_filter_callback (handle, wants_leave);
	mono_profiler_set_method_exception_leave_callback (handle, on_leave);
}

void
log_leave (void)
{
	if (has_key)
		pthread_key_delete (way_key);
	monocle_kit_text_free (the_log); /* after a moment, in which a thread that ends gives its way back */
	for (struct way *way = atomic_exchange (&ways, NULL), *next; way; way = next) {
		next = way->next;
		free (way);
	}
}

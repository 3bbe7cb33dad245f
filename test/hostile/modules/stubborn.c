/* SPDX-License-Identifier: MIT */
/*
 * stubborn.c - `stubborn:HABIT[+HABIT...],FILE[,ANYTHING]`: a module with habits that no module should have.
 *
 * Whatever the habits do, one handle counts in peace: throws, and calls of Leaf. At the end FILE gets both numbers and
 * how often each habit was followed. The habits are the rows of a table, and each has a handle of its own.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/profiler.h>

#define TOGGLERS 4
#define HANDLES  1000

struct _MonoProfiler {
	_Atomic uint64_t throws, enters, habit;
	MonoProfilerHandle other; /* the habit's own */
	pthread_t togglers[TOGGLERS];
	atomic_bool stop;
	char output[4096];
};

struct habit {
	const char *name;
	void (*begin) (MonoProfiler *prof);
	void (*end) (MonoProfiler *prof);  /* before FILE is written */
	void (*last) (MonoProfiler *prof); /* after */
};

static struct _MonoProfiler stubborn;

static void
pause_ms (long milliseconds)
{
	nanosleep (&(struct timespec) { .tv_nsec = milliseconds * 1000000 }, NULL);
}

/* --- what is counted in peace ------------------------------------------------------------------------------------- */

static mono_bool
is_leaf (MonoMethod *method)
{
	return strcmp (mono_method_get_name (method), "Leaf") == 0;
}

static MonoProfilerCallInstrumentationFlags
only_leaf (MonoProfiler *prof, MonoMethod *method)
{
	return is_leaf (method) ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static void
count_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	prof->enters += is_leaf (method);
}

static void
count_throw (MonoProfiler *prof, MonoObject *exception)
{
	prof->throws += strcmp (mono_class_get_name (mono_object_get_class (exception)), "Boom") == 0;
}

static void
count (MonoProfilerHandle handle)
{
	mono_profiler_set_call_instrumentation_filter_callback (handle, only_leaf);
	mono_profiler_set_method_enter_callback (handle, count_enter);
	mono_profiler_set_exception_throw_callback (handle, count_throw);
}

/* --- slow: every callback takes 10 ms ----------------------------------------------------------------------------- */

static void
slow_thread (MonoProfiler *prof, uintptr_t tid)
{
	pause_ms (10);
	prof->habit++;
}

static void
slow_image (MonoProfiler *prof, MonoImage *image)
{
	pause_ms (10);
	prof->habit++;
}

static void
slow_collection (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	pause_ms (10);
	prof->habit++;
}

static void
slow_begin (MonoProfiler *prof)
{
	mono_profiler_set_thread_started_callback (prof->other, slow_thread);
	mono_profiler_set_thread_stopped_callback (prof->other, slow_thread);
	mono_profiler_set_image_loaded_callback (prof->other, slow_image);
	mono_profiler_set_gc_event_callback (prof->other, slow_collection);
}

/* --- inside: callbacks that unsubscribe themselves and subscribe again -------------------------------------------- */

static void
inside_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	mono_profiler_set_method_enter_callback (prof->other, NULL);
	prof->habit++;
	mono_profiler_set_method_enter_callback (prof->other, inside_enter);
}

static void
inside_throw (MonoProfiler *prof, MonoObject *exception)
{
	mono_profiler_set_exception_throw_callback (prof->other, NULL);
	prof->habit++;
	mono_profiler_set_exception_throw_callback (prof->other, inside_throw);
}

static void
inside_collection (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	mono_profiler_set_gc_event_callback (prof->other, NULL);
	prof->habit++;
	mono_profiler_set_gc_event_callback (prof->other, inside_collection);
}

static void
inside_begin (MonoProfiler *prof)
{
	mono_profiler_set_call_instrumentation_filter_callback (prof->other, only_leaf);
	mono_profiler_set_method_enter_callback (prof->other, inside_enter);
	mono_profiler_set_exception_throw_callback (prof->other, inside_throw);
	mono_profiler_set_gc_event_callback (prof->other, inside_collection);
}

/* --- outside: the same by four threads of the module's own -------------------------------------------------------- */

static void
outside_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
}

static void
outside_throw (MonoProfiler *prof, MonoObject *exception)
{
}

static void
outside_thread (MonoProfiler *prof, uintptr_t tid)
{
}

static void
outside_collection (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
}

static void *
toggle (void *data)
{
	MonoProfiler *prof = data;
	for (int on = 1; !prof->stop; on = !on) {
		mono_profiler_set_method_enter_callback (prof->other, on ? outside_enter : NULL);
		mono_profiler_set_exception_throw_callback (prof->other, on ? outside_throw : NULL);
		mono_profiler_set_thread_started_callback (prof->other, on ? outside_thread : NULL);
		mono_profiler_set_gc_event_callback (prof->other, on ? outside_collection : NULL);
		prof->habit++;
	}
	return NULL;
}

static void
outside_begin (MonoProfiler *prof)
{
	for (int i = 0; i < TOGGLERS; i++)
		pthread_create (&prof->togglers[i], NULL, toggle, prof);
}

static void
outside_end (MonoProfiler *prof)
{
	while (prof->habit < 100)
		pause_ms (1);
	prof->stop = 1;
	for (int i = 0; i < TOGGLERS; i++)
		pthread_join (prof->togglers[i], NULL);
}

/* --- handles: a thousand, each of which counts -------------------------------------------------------------------- */

static struct _MonoProfiler thousand[HANDLES];

static void
handles_begin (MonoProfiler *prof)
{
	for (int i = 0; i < HANDLES; i++)
		count (mono_profiler_create (&thousand[i]));
}

/* The habit was followed as often as a handle counted what the first one counted. */
static void
handles_end (MonoProfiler *prof)
{
	for (int i = 0; i < HANDLES; i++)
		prof->habit += thousand[i].throws == stubborn.throws && thousand[i].enters == stubborn.enters;
}

/* --- sample: a hit that locks, sleeps and, in managed code, allocates --------------------------------------------- */

static pthread_mutex_t hit_lock = PTHREAD_MUTEX_INITIALIZER;

static void
sample_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	pthread_mutex_lock (&hit_lock);
	nanosleep (&(struct timespec) { .tv_nsec = 50000 }, NULL);
	pthread_mutex_unlock (&hit_lock);
	/* Who is in managed code is not in malloc (). */
	if (mono_jit_info_table_find (mono_get_root_domain (), (char *) ip))
		free (malloc (1000));
	prof->habit++;
}

static void
sample_begin (MonoProfiler *prof)
{
	if (!mono_profiler_enable_sampling (prof->other))
		return;
	mono_profiler_set_sample_mode (prof->other, MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	mono_profiler_set_sample_hit_callback (prof->other, sample_hit);
}

/* --- collect: a collection at the end of each collection, for a while --------------------------------------------- */

static void
collect_again (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event == MONO_GC_EVENT_POST_START_WORLD && prof->habit++ < 10)
		mono_gc_collect (0);
}

static void
collect_begin (MonoProfiler *prof)
{
	mono_profiler_set_gc_event_callback (prof->other, collect_again);
}

/* --- null: NULL wherever a callback may stand --------------------------------------------------------------------- */

static void
null_begin (MonoProfiler *prof)
{
#define MONO_PROFILER_EVENT_0(name, type)      mono_profiler_set_##name##_callback (prof->other, NULL);
#define MONO_PROFILER_EVENT_1(name, type, ...) MONO_PROFILER_EVENT_0 (name, type)
#define MONO_PROFILER_EVENT_2(name, type, ...) MONO_PROFILER_EVENT_0 (name, type)
#define MONO_PROFILER_EVENT_3(name, type, ...) MONO_PROFILER_EVENT_0 (name, type)
#define MONO_PROFILER_EVENT_4(name, type, ...) MONO_PROFILER_EVENT_0 (name, type)
#define MONO_PROFILER_EVENT_5(name, type, ...) MONO_PROFILER_EVENT_0 (name, type)
#include <mono/metadata/profiler-events.h>
	mono_profiler_set_call_instrumentation_filter_callback (prof->other, NULL);
	mono_profiler_set_cleanup_callback (prof->other, NULL);
	mono_profiler_create (NULL);
	count (prof->other);
	mono_profiler_set_method_enter_callback (prof->other, NULL);
	mono_profiler_set_exception_throw_callback (prof->other, NULL);
}

/* --- exit: the module, not the program, ends the process ---------------------------------------------------------- */

static void
exit_last (MonoProfiler *prof)
{
	exit (5);
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

/* clang-format off */
static const struct habit habits[] = {
	{ "none",    NULL,          NULL,        NULL },
	{ "slow",    slow_begin,    NULL,        NULL },
	{ "inside",  inside_begin,  NULL,        NULL },
	{ "outside", outside_begin, outside_end, NULL },
	{ "handles", handles_begin, handles_end, NULL },
	{ "sample",  sample_begin,  NULL,        NULL },
	{ "collect", collect_begin, NULL,        NULL },
	{ "null",    null_begin,    NULL,        NULL },
	{ "exit",    NULL,          NULL,        exit_last },
};
/* clang-format on */

enum { HABITS = sizeof habits / sizeof *habits };
static struct _MonoProfiler followed[HABITS]; /* what those that are followed count, in the order of their names */
static const struct habit *the_habits[HABITS];
static int habit_count;

static void
runtime_shutdown_end (MonoProfiler *prof)
{
	for (int i = 0; i < habit_count; i++)
		if (the_habits[i]->end)
			the_habits[i]->end (&followed[i]);
	FILE *file = fopen (prof->output, "w");
	if (file)
		fprintf (file, "%" PRIu64 " %" PRIu64, prof->throws, prof->enters);
	for (int i = 0; i < habit_count && file; i++)
		fprintf (file, " %" PRIu64, followed[i].habit);
	if (file)
		fclose (file);
	for (int i = 0; i < habit_count; i++)
		if (the_habits[i]->last)
			the_habits[i]->last (prof);
}

static void
take_habit (const char *name, size_t length)
{
	for (int i = 0; i < HABITS && habit_count < HABITS; i++)
		if (strlen (habits[i].name) == length && strncmp (habits[i].name, name, length) == 0)
			the_habits[habit_count++] = &habits[i];
}

static void
take_words (const char *desc)
{
	const char *word = strchr (desc, ':'), *comma = word ? strchr (word, ',') : NULL;
	while (comma && *word != ',') {
		size_t length = strcspn (word + 1, "+,");
		take_habit (word + 1, length);
		word += length + 1;
	}
	if (comma)
		snprintf (stubborn.output, sizeof stubborn.output, "%.*s", (int) strcspn (comma + 1, ","), comma + 1);
}

MONO_API void mono_profiler_init_stubborn (const char *desc);

MONO_API void
mono_profiler_init_stubborn (const char *desc)
{
	habit_count = 0;
	take_words (desc);
	if (!habit_count)
		return;
	MonoProfilerHandle handle = mono_profiler_create (&stubborn);
	count (handle);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
	for (int i = 0; i < habit_count; i++) {
		followed[i].other = mono_profiler_create (&followed[i]);
		if (the_habits[i]->begin)
			the_habits[i]->begin (&followed[i]);
	}
}

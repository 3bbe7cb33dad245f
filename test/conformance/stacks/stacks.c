/*
 * SPDX-License-Identifier: MIT
 *
 * stacks.c - a module that walks the stack in every event where that is allowed, and writes down what it saw.
 *
 *   stacks:image=NAME,output=FILE[,events=WORDS]
 *
 * One line per stack: event, what it is about, then the frames of the image NAME, innermost first, as METHOD@IL:LINE;
 * each "*" between them stands for frames of other images, "(NAME)" for a dynamic method. A second walk, without IL,
 * must show the same methods and native offsets; a third stops at its first frame. What does not is a line "bad".
 *
 * With the word "dump" the stacks of all threads are asked for at the first throw, which waits until they are there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/threads.h>

enum { FRAMES_MAX = 512, TEXT_MAX = 1 << 16 };

struct _MonoProfiler {
	char image[256], output[1024], events[256];
	FILE *file;
	pthread_mutex_t lock;
	unsigned entered, outer; /* methods; of these, walks that began further out */
} profiler = { .lock = PTHREAD_MUTEX_INITIALIZER };

typedef struct {
	MonoMethod *method;
	int32_t native, il;
	mono_bool managed;
} frame;

typedef struct {
	frame frames[FRAMES_MAX];
	int count, stop_at;
} stack;

static mono_bool
take_frame (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed, void *data)
{
	stack *s = data;
	if (s->count < FRAMES_MAX)
		s->frames[s->count] = (frame) { method, native_offset, il_offset, managed };
	return ++s->count == s->stop_at;
}

static int
is_own (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *name = klass ? mono_image_get_name (mono_class_get_image (klass)) : NULL;
	return name && strcmp (name, prof->image) == 0;
}

/* The three walks agree. */
static const char *
compare (const stack *full, const stack *quick, const stack *first)
{
	if (quick->count != full->count || first->count != (full->count > 0))
		return "counts";
	for (int i = 0; i < full->count && i < FRAMES_MAX; i++) {
		const frame *a = &full->frames[i], *b = &quick->frames[i];
		if (a->method != b->method || a->managed != b->managed || b->il != -1)
			return "frames";
		/* The innermost frame called us from two places. */
		if (a->native != b->native && i)
			return "native offsets";
	}
	return NULL;
}

static unsigned
line_of (const frame *f)
{
	MonoDebugMethodInfo *info = f->il >= 0 ? mono_debug_lookup_method (f->method) : NULL;
	MonoDebugSourceLocation *location = info ? mono_debug_method_lookup_location (info, f->il) : NULL;
	unsigned line = location ? location->row : 0;
	mono_debug_free_source_location (location);
	return line;
}

/* One frame of our own, or a dynamic method. 0: another one. */
static int
write_frame (MonoProfiler *prof, const frame *f, char *text, size_t size)
{
	static const char dynamic[] = "(wrapper dynamic-method)";
	char *name = mono_method_full_name (f->method, 1);
	int length = 0;
	if (f->managed && strncmp (name, dynamic, sizeof dynamic - 1) == 0)
		length = snprintf (text, size, "\t(%s)", mono_method_get_name (f->method));
	else if (f->managed && is_own (prof, f->method))
		length = snprintf (text, size, "\t%.500s@%d:%u", name, f->il, line_of (f));
	mono_free (name);
	return length;
}

static size_t
write_frames (MonoProfiler *prof, const stack *s, char *text, size_t size)
{
	size_t length = 0;
	int others = 0;
	for (int i = 0; i < s->count && i < FRAMES_MAX && length < size - 600; i++) {
		int own = write_frame (prof, &s->frames[i], text + length, size - length);
		if (!own && !others)
			length += (size_t) snprintf (text + length, size - length, "\t*");
		length += (size_t) own;
		others = !own;
	}
	text[length] = 0;
	return length;
}

static void
tell (MonoProfiler *prof, const char *event, const char *subject)
{
	stack full = { .count = 0 }, quick = { .count = 0 }, first = { .count = 0, .stop_at = 1 };
	mono_stack_walk (take_frame, &full);
	mono_stack_walk_no_il (take_frame, &quick);
	mono_stack_walk_no_il (take_frame, &first);
	const char *bad = compare (&full, &quick, &first);
	char *text = malloc (TEXT_MAX);
	write_frames (prof, &full, text, TEXT_MAX);
	pthread_mutex_lock (&prof->lock);
	if (prof->file) {
		fprintf (prof->file, "%s\t%s%s\n", event, subject, text);
		if (bad)
			fprintf (prof->file, "bad\t%s\t%s %s\n", bad, event, subject);
		fflush (prof->file);
	}
	pthread_mutex_unlock (&prof->lock);
	free (text);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/*
 * Until the log has the outermost frame of the main thread; a minute at most. The world can be stopped while a method
 * is about to be compiled, and not while an exception is being thrown.
 */
static void
wait_for_dump (const char *path)
{
	static char text[TEXT_MAX];
	for (int tries = 0; tries < 60000; tries++) {
		FILE *log = fopen (path, "r");
		size_t length = log ? fread (text, 1, sizeof text - 1, log) : 0;
		if (log)
			fclose (log);
		text[length] = 0;
		if (strstr (text, ".Main ("))
			return;
		usleep (1000);
	}
}

static void
on_throw (MonoProfiler *prof, MonoObject *object)
{
	tell (prof, "throw", mono_class_get_name (mono_object_get_class (object)));
}

static void
on_allocation (MonoProfiler *prof, MonoObject *object)
{
	const char *name = mono_class_get_name (mono_object_get_class (object));
	if (strncmp (name, "Mark", 4) == 0)
		tell (prof, "new", name);
}

static void
on_jit_begin (MonoProfiler *prof, MonoMethod *method)
{
	if (!is_own (prof, method))
		return;
	char *name = mono_method_full_name (method, 1);
	tell (prof, "jit", name);
	if (strstr (prof->events, "dump") && strncmp (name, "Stacks:Throw ", strlen ("Stacks:Throw ")) == 0) {
		mono_threads_request_thread_dump ();
		wait_for_dump (getenv ("MONOCLE_LOG"));
	}
	mono_free (name);
}

static void
on_jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *code)
{
	if (!is_own (prof, method))
		return;
	char *name = mono_method_full_name (method, 1);
	tell (prof, "jitted", name);
	mono_free (name);
}

static void
on_class (MonoProfiler *prof, MonoClass *klass)
{
	const char *name = mono_image_get_name (mono_class_get_image (klass));
	if (name && strcmp (name, prof->image) == 0)
		tell (prof, "class", mono_class_get_name (klass));
}

/* Not a place to walk from everywhere: whatever is shown must begin with the method that was entered. */
static void
on_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	stack s = { .count = 0, .stop_at = 1 };
	mono_stack_walk_no_il (take_frame, &s);
	if (s.count && s.frames[0].method != method && strchr (mono_method_get_name (method), '.') == NULL)
		__atomic_fetch_add (&prof->outer, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add (&prof->entered, 1, __ATOMIC_RELAXED);
}

static void
tell_of (MonoProfiler *prof, const char *event, MonoMethod *method)
{
	char *name = is_own (prof, method) ? mono_method_full_name (method, 1) : NULL;
	if (name)
		tell (prof, event, name);
	mono_free (name);
}

/* Mono shows nothing in a catch block. */
static void
on_clause (MonoProfiler *prof, MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	if (type == MONO_EXCEPTION_CLAUSE_FINALLY || type == MONO_EXCEPTION_CLAUSE_FAULT)
		tell_of (prof, "finally", method);
}

static void
on_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	tell_of (prof, "left", method);
}

static MonoProfilerCallInstrumentationFlags
leave_filter (MonoProfiler *prof, MonoMethod *method)
{
	return is_own (prof, method) ? MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE
	                             : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	return is_own (prof, method) ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static void
shutdown (MonoProfiler *prof)
{
	pthread_mutex_lock (&prof->lock);
	fprintf (prof->file, "entered\t%u\t%u\nend\n", prof->entered, prof->outer);
	fclose (prof->file);
	prof->file = NULL;
	pthread_mutex_unlock (&prof->lock);
}

static void
read_options (char *text)
{
	for (char *word = strtok (text, ","); word; word = strtok (NULL, ","))
		if (sscanf (word, "image=%255s", profiler.image) != 1 && sscanf (word, "output=%1023s", profiler.output) != 1)
			sscanf (word, "events=%255s", profiler.events);
}

static int
wants (const char *event)
{
	return !profiler.events[0] || strstr (profiler.events, event);
}

MONO_API void mono_profiler_init_stacks (const char *desc);

void
mono_profiler_init_stacks (const char *desc)
{
	const char *colon = strchr (desc, ':');
	char *text = strdup (colon ? colon + 1 : "");
	read_options (text);
	free (text);
	if (!mono_debug_enabled ())
		mono_debug_init (MONO_DEBUG_FORMAT_MONO);
	profiler.file = fopen (profiler.output, "w");
	if (!profiler.file)
		return;
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, shutdown);
	if (wants ("throw"))
		mono_profiler_set_exception_throw_callback (handle, on_throw);
	if (wants ("jit")) {
		mono_profiler_set_jit_begin_callback (handle, on_jit_begin);
		mono_profiler_set_jit_done_callback (handle, on_jit_done);
	}
	if (wants ("class"))
		mono_profiler_set_class_loaded_callback (handle, on_class);
	if (strstr (profiler.events, "enter")) {
		mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
		mono_profiler_set_method_enter_callback (handle, on_enter);
	}
	if (strstr (profiler.events, "handlers") && mono_profiler_enable_clauses ()) {
		mono_profiler_set_call_instrumentation_filter_callback (handle, leave_filter);
		mono_profiler_set_exception_clause_callback (handle, on_clause);
		mono_profiler_set_method_exception_leave_callback (handle, on_exception_leave);
	}
	if (wants ("new") && mono_profiler_enable_allocations ())
		mono_profiler_set_gc_allocation_callback (handle, on_allocation);
}

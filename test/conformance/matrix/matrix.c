/*
 * SPDX-License-Identifier: MIT
 *
 * matrix.c - calls every introspection function in every context, and writes what it answers.
 *
 * One line per cell: CONTEXT <tab> FUNCTION <tab> ANSWER. The first two are written before the call, so that a call
 * that kills the process or never returns can be seen by its unfinished line. Contexts come one after another (the
 * program matrix.cs sees to it), each is run once: nothing here needs a lock.
 *
 * Options: `output=FILE`, and `skip=CONTEXT/FUNCTION` for each cell that is known to kill the runtime (real Mono
 * asserts in places); it is answered "dies" without a call.
 * `foreign` visits a thread of our own also before it is attached: real Mono dies there of nearly everything.
 * `everywhere` calls everything in each context, allowed or not.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "calls.h"

struct _MonoProfiler {
	int file;
	char *desc;
	subject known;
	sem_t thread_go, thread_done;
	_Atomic int thread_armed, gc_armed;
};

static struct _MonoProfiler profiler = { .file = -1 };

MONO_API void mono_profiler_init_matrix (const char *desc);

/* --- the answers -------------------------------------------------------------------------------------------------- */

static void
put (const char *text)
{
	if (write (profiler.file, text, strlen (text)) < 0)
		_exit (120);
}

static void
answer_TEXT (const char *text)
{
	put (text ? "\"" : "");
	put (text ? text : "null");
	put (text ? "\"" : "");
}

static void
answer_OWNED (char *text)
{
	answer_TEXT (text);
	free (text);
}

static void
answer_COUNT (int64_t count)
{
	char text[32];

	snprintf (text, sizeof (text), "%lld", (long long) count);
	put (text);
}

static void
answer_SIZE (int64_t size)
{
	put (size ? "yes" : "zero");
}

static void
answer_REF (const void *pointer)
{
	put (pointer ? "ref" : "null");
}

static void
answer_same (const void *pointer, const void *known)
{
	put (!pointer ? "null" : pointer == known ? "same" : "other");
}

#define answer_IS(pair) answer_same pair

/* --- the table: one function per row ------------------------------------------------------------------------------ */

#define WITHOUT(function, why)
#define LIMIT(where, needs, kind, function, call) ROW (needs, kind, function, call)
#define ROW(needs, kind, function, call) \
	static void call_##function (const subject *s) \
	{ \
		void *iter = NULL; \
		uint32_t u = 0; \
		int align = 0; \
		(void) iter, (void) u, (void) align; \
		answer_##kind (call); \
	}
#include "matrix.def"

/* A stopped world may hold malloc's lock: there, only what neither allocates nor locks. */
enum {
	ANY,
	MEMORY,
	NORMAL,
	ELSEWHERE,
	STACK = ELSEWHERE,
	WINDOW = ELSEWHERE,
	SETTER = ELSEWHERE,
	ATTACH = ELSEWHERE,
	CALL = ELSEWHERE,
	SAMPLE = ELSEWHERE,
	WALK = ELSEWHERE
};
enum {
	NOTHING,
	DOMAIN,
	IMAGE,
	ASSEMBLY,
	CLASS,
	NULLABLE,
	METHOD,
	SIGNATURE,
	HEADER,
	FIELD,
	PROPERTY,
	EVENT,
	JIT,
	OBJECT,
	TEXTUAL
};

static const struct {
	const char *function;
	int where;
} contracts[] = {
#define CONTRACT(need, thread, function, failure) { #function, need },
#include "check/contracts.def"
};

static const struct {
	int limit, needs;
	const char *name;
	void (*call) (const subject *s);
} rows[] = {
#define WITHOUT(function, why)
#define ROW(needs, kind, function, call)          { ANY, needs, #function, call_##function },
#define LIMIT(where, needs, kind, function, call) { where, needs, #function, call_##function },
#include "matrix.def"
};

/* Where the row may be called: what its function's contract says, or less. */
static int
where_of (size_t row)
{
	for (size_t i = 0; i < sizeof (contracts) / sizeof (contracts[0]); i++)
		if (strcmp (contracts[i].function, rows[row].name) == 0)
			return contracts[i].where > rows[row].limit ? contracts[i].where : rows[row].limit;
	return ELSEWHERE;
}

static int
has (const subject *s, int need)
{
	switch (need) {
	case DOMAIN: return s->domain != NULL;
	case IMAGE: return s->image != NULL;
	case ASSEMBLY: return s->assembly != NULL;
	case CLASS: return s->klass != NULL;
	case METHOD: return s->method != NULL;
	case NULLABLE: return s->nullable != NULL;
	case SIGNATURE: return s->signature != NULL;
	case HEADER: return s->header != NULL;
	case FIELD: return s->field != NULL && s->static_field != NULL;
	case PROPERTY: return s->property != NULL;
	case EVENT: return s->event != NULL;
	case JIT: return s->ji != NULL;
	case OBJECT: return s->object != NULL;
	case TEXTUAL: return s->text != NULL && s->numbers != NULL && s->boxed != NULL;
	default: return 1;
	}
}

static int
is_deadly (const char *context, const char *function)
{
	char cell[128];

	snprintf (cell, sizeof (cell), "skip=%s/%s,", context, function);
	return strstr (profiler.desc, cell) != NULL;
}

static void
run_cell (const char *context, size_t row, const subject *s)
{
	put (context);
	put ("\t");
	put (rows[row].name);
	put ("\t");
	if (is_deadly (context, rows[row].name))
		put ("dies");
	else
		rows[row].call (s);
	put ("\n");
}

static void
run_context (const char *context, const subject *s, int where)
{
	if (strstr (profiler.desc, "everywhere,"))
		where = NORMAL;
	for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
		if (where_of (i) <= where && has (s, rows[i].needs))
			run_cell (context, i, s);
	}
}

/* --- the contexts ------------------------------------------------------------------------------------------------- */

static int
is_named (const char *name, const char *wanted)
{
	return name && strcmp (name, wanted) == 0;
}

static void
runtime_initialized (MonoProfiler *prof)
{
	prof->known.domain = mono_get_root_domain ();
	run_context ("runtime_initialized", &prof->known, NORMAL);
}

static void
image_loaded (MonoProfiler *prof, MonoImage *image)
{
	subject s = prof->known;

	if (!is_named (mono_image_get_name (image), "matrix"))
		return;
	prof->known.image = s.image = image;
	run_context ("image_loaded", &s, MEMORY);
}

static void
assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	if (!is_named (mono_image_get_name (mono_assembly_get_image (assembly)), "matrix"))
		return;
	prof->known.assembly = assembly;
	run_context ("assembly_loaded", &prof->known, NORMAL);
}

static void
class_loaded (MonoProfiler *prof, MonoClass *klass)
{
	if (prof->known.klass || !is_named (mono_class_get_name (klass), "Subject"))
		return;
	prof->known.klass = klass;
	run_context ("class_loaded", &prof->known, MEMORY);
}

static int
is_subject (MonoMethod *method)
{
	return is_named (mono_method_get_name (method), "Method") &&
	       is_named (mono_class_get_name (mono_method_get_class (method)), "Subject");
}

/* Members of the subject, for the contexts in which they can be looked at but not looked up. */
static void
look_up_members (subject *s)
{
	void *iter = NULL;
	MonoClassField *maybe = mono_class_get_field_from_name (s->klass, "Maybe");

	s->nullable = maybe ? mono_class_from_mono_type (mono_field_get_type (maybe)) : NULL;
	s->field = mono_class_get_field_from_name (s->klass, "Field");
	s->static_field = mono_class_get_field_from_name (s->klass, "Shared");
	s->property = mono_class_get_property_from_name (s->klass, "Property");
	s->event = mono_class_get_events (s->klass, &iter);
	s->header = mono_method_get_header (s->method);
}

static void
jit_begin (MonoProfiler *prof, MonoMethod *method)
{
	if (prof->known.method || !is_subject (method))
		return;
	prof->known.method = method;
	prof->known.klass = mono_method_get_class (method);
	look_up_members (&prof->known);
	run_context ("jit_begin", &prof->known, NORMAL);
}

static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *ji)
{
	if (prof->known.ji || !ji || !is_subject (method))
		return;
	prof->known.method = method;
	prof->known.klass = mono_method_get_class (method);
	prof->known.ji = ji;
	prof->known.signature = mono_method_signature (method);
	run_context ("jit_done", &prof->known, NORMAL);
}

static void
on_signal (int number)
{
	run_context ("signal", &profiler.known, MEMORY);
}

static void *
own_thread (void *unused)
{
	while (sem_wait (&profiler.thread_go) != 0)
		;
	if (strstr (profiler.desc, "foreign,"))
		run_context ("foreign_thread", &profiler.known, MEMORY);
	MonoThread *thread = mono_thread_attach (mono_get_root_domain ());
	run_context ("own_thread", &profiler.known, MEMORY);
	if (thread)
		mono_thread_detach (thread);
	sem_post (&profiler.thread_done);
	return NULL;
}

static void
visit_own_thread (MonoProfiler *prof)
{
	pthread_t thread;

	if (pthread_create (&thread, NULL, own_thread, NULL) != 0)
		return;
	pthread_detach (thread);
	sem_post (&prof->thread_go);
	while (sem_wait (&prof->thread_done) != 0)
		;
}

static void
visit_signal (void)
{
	struct sigaction action = { .sa_handler = on_signal }, old;

	sigaction (SIGUSR1, &action, &old);
	raise (SIGUSR1);
	sigaction (SIGUSR1, &old, NULL);
}

/* matrix.cs calls methods of these names, one after another, to lead us through the contexts. */
static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	const char *name = mono_method_get_name (method);

	if (is_subject (method))
		run_context ("method_enter", &prof->known, MEMORY);
	else if (is_named (name, "VisitSignal"))
		visit_signal ();
	else if (is_named (name, "VisitOwnThread"))
		visit_own_thread (prof);
	else if (is_named (name, "ArmThread"))
		prof->thread_armed = 1;
	else if (is_named (name, "ArmCollection"))
		prof->gc_armed = 1;
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (is_subject (method))
		run_context ("method_leave", &prof->known, MEMORY);
}

static void
method_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	if (is_named (mono_method_get_name (method), "Throws"))
		run_context ("method_exception_leave", &prof->known, MEMORY);
}

static void
exception_throw (MonoProfiler *prof, MonoObject *exception)
{
	static _Atomic int seen;
	subject s = prof->known;

	if (!s.ji || seen++)
		return;
	s.object = exception;
	s.text = (MonoString *) read_reference (exception, "Text");
	s.numbers = (MonoArray *) read_reference (exception, "Numbers");
	s.boxed = read_reference (exception, "Boxed");
	run_context ("exception_throw", &s, NORMAL);
}

static void
gc_allocation (MonoProfiler *prof, MonoObject *object)
{
	static _Atomic int seen;
	subject s = prof->known;

	if (!s.ji || seen || mono_object_get_class (object) != s.klass || seen++)
		return;
	s.object = object;
	run_context ("gc_allocation", &s, MEMORY);
}

static void
gc_event (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event != MONO_GC_EVENT_POST_STOP_WORLD || !atomic_exchange (&prof->gc_armed, 0))
		return;
	run_context ("gc_stopped", &prof->known, ANY);
}

static void
thread_started (MonoProfiler *prof, uintptr_t tid)
{
	if (atomic_exchange (&prof->thread_armed, 0))
		run_context ("thread_started", &prof->known, NORMAL);
}

static void
shutdown_begin (MonoProfiler *prof)
{
	run_context ("shutdown_begin", &prof->known, NORMAL);
}

static void
shutdown_end (MonoProfiler *prof)
{
	run_context ("shutdown_end", &prof->known, MEMORY);
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);

	if (!is_named (mono_image_get_name (mono_class_get_image (klass)), "matrix"))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	       MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static void
subscribe (MonoProfilerHandle handle)
{
	mono_profiler_set_runtime_initialized_callback (handle, runtime_initialized);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, shutdown_begin);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	mono_profiler_set_image_loaded_callback (handle, image_loaded);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_profiler_set_class_loaded_callback (handle, class_loaded);
	mono_profiler_set_jit_begin_callback (handle, jit_begin);
	mono_profiler_set_jit_done_callback (handle, jit_done);
	mono_profiler_set_exception_throw_callback (handle, exception_throw);
	mono_profiler_set_gc_event_callback (handle, gc_event);
	mono_profiler_set_thread_started_callback (handle, thread_started);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
}

static void
open_output (const char *option)
{
	char *path = strdup (option ? option + strlen ("output=") : "matrix.tsv");

	path[strcspn (path, ",")] = 0;
	profiler.file = open (path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	free (path);
}

MONO_API void
mono_profiler_init_matrix (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	profiler.desc = strdup (desc);
	open_output (strstr (desc, "output="));
	sem_init (&profiler.thread_go, 0, 0);
	sem_init (&profiler.thread_done, 0, 0);
	run_context ("init", &profiler.known, MEMORY);
	if (mono_profiler_enable_allocations ())
		mono_profiler_set_gc_allocation_callback (handle, gc_allocation);
	subscribe (handle);
}

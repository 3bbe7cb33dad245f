/*
 * SPDX-License-Identifier: MIT
 *
 * misbehave.c - a module that calls what it must not, once in each place and twice there, and what it may, in between.
 *
 * Under MONOCLE_CHECK=1 each mistake is one line, and nothing deadlocks or dies. It says on stderr, with its own words,
 * what came of calls that are executed or not. Methods are told by name: misbehave.cs and test_check.c have them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/threads.h>

struct _MonoProfiler {
	MonoProfilerHandle handle;
	MonoMethod *method;
	MonoImage *image;
	int signalled;
	int is_slow;
};

static struct _MonoProfiler profiler;

/* The module is built in several ways, each under its own name. */
#ifndef NAME
#define NAME misbehave
#endif
#define JOIN(a, b)    a##b
#define INIT_OF(name) JOIN (mono_profiler_init_, name)

MONO_API void INIT_OF (NAME) (const char *desc);

static void
say (const char *what)
{
	char line[128];
	int length = snprintf (line, sizeof line, "misbehave: %s\n", what);

	if (write (STDERR_FILENO, line, (size_t) length) != length)
		_exit (120);
}

static int
is (const char *name, const char *wanted)
{
	return name && !strcmp (name, wanted);
}

/* An address in the module's data, besides the slot that its calls go through. */
static MonoImage *(*volatile image_loaded_pointer) (const char *name) = mono_image_loaded;

/* Needs a normal context, and is simple enough to be called anywhere if nobody prevents it. */
static MonoImage *
look_up (void)
{
	mono_image_loaded ("misbehave");
	return image_loaded_pointer ("misbehave");
}

/* Takes memory. */
static void
spell (MonoMethod *method)
{
	for (int i = 0; method && i < 2; i++)
		mono_free (mono_method_full_name (method, 1));
}

/* --- callbacks, each with one mistake ----------------------------------------------------------------------------- */

static void
image_loaded (MonoProfiler *prof, MonoImage *image)
{
	if (!is (mono_image_get_name (image), "misbehave"))
		return;
	prof->image = image;
	if (mono_class_from_name (image, "", "Program"))
		say ("a class was looked up in a half loaded image");
}

static void *
own_thread (void *unused)
{
	look_up ();
	MonoThread *thread = mono_thread_attach (mono_get_root_domain ());
	if (!look_up ())
		say ("the program's image was not found on an attached thread");
	if (thread)
		mono_thread_detach (thread);
	return NULL;
}

static void
visit_own_thread (void)
{
	pthread_t thread;

	if (pthread_create (&thread, NULL, own_thread, NULL) == 0)
		pthread_join (thread, NULL);
}

static void
jit_begin (MonoProfiler *prof, MonoMethod *method)
{
	if (!is (mono_method_get_name (method), "Calls") || prof->method)
		return;
	prof->method = method;
	spell (method);
	if (!look_up ())
		say ("the program's image was not found in a normal context");
	if (mono_profiler_enable_clauses ())
		say ("clauses were enabled late");
	mono_profiler_call_context_get_this (NULL);
	visit_own_thread ();
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
	profiler.signalled = info && info->si_signo == number && mono_method_get_name (profiler.method);
	spell (profiler.method);
}

static void
on_plain_signal (int number)
{
	profiler.signalled += number == SIGUSR2;
	mono_method_desc_new ("*:*", 0);
}

static void
interrupt (void)
{
	struct sigaction mine = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, before, was;

	sigaction (SIGUSR1, &mine, &before);
	raise (SIGUSR1);
	sigaction (SIGUSR1, &before, &was);
	if (profiler.signalled != 1 || was.sa_sigaction != on_signal || !(was.sa_flags & SA_SIGINFO))
		say ("the signal handler did not run as it was set");
	sigaction (SIGUSR1, &(struct sigaction) { .sa_handler = on_plain_signal }, NULL);
	sigaction (SIGUSR1, &before, &was);
	if (was.sa_handler != on_plain_signal || was.sa_flags & SA_SIGINFO)
		say ("the plain signal handler is not shown as it was set");
	void (*plain) (int) = signal (SIGUSR2, on_plain_signal);
	raise (SIGUSR2);
	if (signal (SIGUSR2, plain) != on_plain_signal || profiler.signalled != 2)
		say ("the plain signal handler did not run as it was set");
}

/* Where others wait for it. */
static void
nap (MonoProfiler *prof)
{
	if (prof->is_slow)
		usleep (5000);
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (!is (mono_method_get_name (method), "Calls"))
		return;
	nap (prof);
	mono_profiler_call_context_get_this (context);
	spell (method);
	if (look_up ())
		say ("an image was looked up in a call probe");
	interrupt ();
}

static void
gc_event (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event == MONO_GC_EVENT_POST_STOP_WORLD || event == MONO_GC_EVENT_PRE_STOP_WORLD)
		nap (prof);
	if (event == MONO_GC_EVENT_POST_STOP_WORLD)
		spell (prof->method);
	else if (event == MONO_GC_EVENT_POST_START_WORLD)
		look_up ();
}

static void
gc_allocation (MonoProfiler *prof, MonoObject *object)
{
	look_up ();
}

static void
sample_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	spell (prof->method);
}

static void
thread_exited (MonoProfiler *prof, uintptr_t tid)
{
	look_up ();
}

static void
shutdown_end (MonoProfiler *prof)
{
	mono_thread_attach (mono_get_root_domain ());
	if (!look_up ())
		say ("the program's image was not found in the last event");
}

static void
cleanup (MonoProfiler *prof)
{
	mono_profiler_set_jit_begin_callback (prof->handle, NULL);
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	return is (mono_method_get_name (method), "Calls") ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER
	                                                   : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

MONO_API void
INIT_OF (NAME) (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (&profiler);

	profiler.handle = handle;
	profiler.is_slow = strstr (desc, "slow") != NULL;
	look_up ();
	if (strstr (desc, "allocations") && mono_profiler_enable_allocations ())
		mono_profiler_set_gc_allocation_callback (handle, gc_allocation);
	mono_profiler_set_cleanup_callback (handle, cleanup);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_image_loaded_callback (handle, image_loaded);
	mono_profiler_set_jit_begin_callback (handle, jit_begin);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_gc_event_callback (handle, gc_event);
	mono_profiler_set_sample_hit_callback (handle, sample_hit);
	mono_profiler_set_thread_exited_callback (handle, thread_exited);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}
